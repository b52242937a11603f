"""The queue of what could not be delivered: events, schedules and changes that a function failed on to the last."""

from __future__ import annotations

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.host.acknowledged import acknowledge
from infra.release import DEAD_LETTERS, Place
from infra.topology import PREFIX


class DeadLetters(Construct):
    """One queue for all: a record of Lambda names its function, and one of EventBridge its rule."""

    queue: sqs.Queue

    def __init__(self, scope: Construct, construct_id: str, *, place: Place) -> None:
        super().__init__(scope, construct_id)
        self.queue = sqs.Queue(
            self,
            "queue",
            queue_name=DEAD_LETTERS,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
        )
        acknowledge(self.queue, "SQS3", "It is the queue of dead letters.")
        self.queue.add_to_resource_policy(
            iam.PolicyStatement(
                sid="RulesOfThisDeployment",
                principals=[iam.ServicePrincipal("events.amazonaws.com")],
                actions=["sqs:SendMessage"],
                resources=[self.queue.queue_arn],
                conditions={"ArnLike": {"aws:SourceArn": place.arn("events", f"rule/{PREFIX}*")}},
            )
        )
