"""The topic that alarms and notifications go to, and whoever reads it by e-mail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.release import NOTIFICATIONS

if TYPE_CHECKING:
    from infra.release import Place


class Topic(Construct):
    """One topic; it holds no secret, and CloudWatch cannot write to one under AWS's own key, so it has none."""

    topic: sns.Topic

    def __init__(self, scope: Construct, construct_id: str, *, place: Place, address: str | None) -> None:
        super().__init__(scope, construct_id)
        self.topic = sns.Topic(
            self, "topic", topic_name=NOTIFICATIONS, display_name="HyperPod InstantStart", enforce_ssl=True
        )
        # A policy of one's own replaces SNS's, which lets the account's alarms in.
        self.topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="AlarmsOfThisAccount",
                principals=[iam.ServicePrincipal("cloudwatch.amazonaws.com")],
                actions=["sns:Publish"],
                resources=[self.topic.topic_arn],
                conditions={"StringEquals": {"aws:SourceAccount": place.account}},
            )
        )
        if address:
            self.topic.add_subscription(subscriptions.EmailSubscription(address))
