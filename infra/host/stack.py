"""The one stack of a deployment: it composes the constructs, each of which makes one capability."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aws_cdk import Annotations, Aws, CfnOutput, Fn, Stack, Tags
from aws_cdk import aws_iam as iam

from functions.core.tags import MANAGER
from infra.host.alarms import Alarms
from infra.host.buckets import Buckets
from infra.host.dashboard import Dashboard
from infra.host.dead_letters import DeadLetters
from infra.host.edge import Edge
from infra.host.files import Files, Folder
from infra.host.functions import Functions, Packages
from infra.host.internal_api import INTERNAL_API
from infra.host.machines import Machines
from infra.host.pages import FRESH
from infra.host.rehearsal import RehearsalLock
from infra.host.roles import Roles
from infra.host.signing_keys import SigningKeys
from infra.host.tables import Tables
from infra.host.topic import Topic
from infra.host.triggers import Triggers
from infra.privilege import boundary
from infra.release import Place, environment, event_rules, substitutions
from infra.topology import STACK

if TYPE_CHECKING:
    from constructs import Construct

    from infra.host.context import Context
    from infra.host.shipment import Shipment
    from infra.topology import Topology

NAME: Final = STACK
# What the tests hold the stack to; CloudFormation takes 500, and says so only when it has made the rest.
MOST_RESOURCES: Final = 400


class InstantStart(Stack):
    """Everything of one deployment; account and region are those of whoever deploys."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str = NAME,
        *,
        topology: Topology,
        context: Context,
        packages: Packages,
        shipment: Shipment,
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            description="HyperPod InstantStart Serverless: the control plane",
            # The ledger knows what runs in the account; nobody deletes it by mistake.
            termination_protection=True,
        )
        # Else a function whose layer alone has changed would keep its version, and whoever calls that the old layer.
        self.node.set_context("@aws-cdk/aws-lambda:recognizeLayerVersion", True)
        self.topology = topology
        self.context = context
        self.place = Place(Aws.ACCOUNT_ID, Aws.REGION, Aws.PARTITION, Aws.URL_SUFFIX, Fn.ref(INTERNAL_API))
        self._environment = environment(topology, self.place, shipment.release, context.choices())
        self._add_stores(shipment)
        self._add_workers(packages)
        self._add_edge(shipment)
        self._add_watch()
        self._add_outputs(shipment)
        self._add_tags()
        if context.charts == "stand_in":
            RehearsalLock(self, "Rehearsal")
        if shipment.refused:
            # `cdk deploy` stops at it, and whoever only looks goes on.
            Annotations.of(self).add_error(shipment.refused)

    def _add_stores(self, shipment: Shipment) -> None:
        self.tables = Tables(self, "Tables", tables=self.topology.tables)
        self.buckets = Buckets(self, "Buckets", buckets=self.topology.buckets, place=self.place)
        self.files = Files(self, "Files", context=self.context, place=self.place)
        with tempfile.TemporaryDirectory() as scratch:
            folder = Folder(shipment.write(Path(scratch)), f"{shipment.release.name}/", FRESH)
            self.artifacts = self.files.write(self, "Artifacts", self.buckets.artifacts, folders=[folder])

    def _add_workers(self, packages: Packages) -> None:
        self.dead_letters = DeadLetters(self, "DeadLetters", place=self.place)
        self.roles = Roles(
            self,
            "Roles",
            topology=self.topology,
            place=self.place,
            passable_role_arns=self.context.passable_role_arns,
            in_subnets=self.context.egress is not None,
            boundary=boundary.of_deployment(self.place, self.context.passable_role_arns),
            cluster_boundary=boundary.of_managed_clusters(self.topology, self.place, self.context.passable_role_arns),
        )
        # Whatever makes a role in this stack makes it within the boundary.
        iam.PermissionsBoundary.of(self).apply(self.roles.boundary)
        self.functions = Functions(
            self,
            "Functions",
            topology=self.topology,
            context=self.context,
            place=self.place,
            packages=packages,
            roles=self.roles.functions,
            environment=self._environment,
            signing_keys=SigningKeys(self, "SigningKeys", generation=self.context.signing_key_generation).arns,
            dead_letters=self.dead_letters.queue,
        )
        self.machines = Machines(
            self,
            "Machines",
            machines=self.topology.machines,
            roles=self.roles.machines,
            substitutions=substitutions(self._environment),
            log_retention_days=self.context.log_retention_days,
        )
        for worker in (*self.functions.by_name.values(), *self.machines.by_name.values()):
            # What its settings name is there before it runs, and IAM has had the time to spread its role's policy.
            worker.node.add_dependency(self.artifacts)
        self.triggers = Triggers(
            self,
            "Triggers",
            topology=self.topology,
            place=self.place,
            rules=event_rules(self.topology, self._environment),
            functions=self.functions.by_name,
            tables=self.tables.by_name,
            dead_letters=self.dead_letters.queue,
        )

    def _add_edge(self, shipment: Shipment) -> None:
        self.edge = Edge(
            self,
            "Edge",
            topology=self.topology,
            functions=self.functions.by_name,
            answering=self.functions.answering(),
            context=self.context,
            place=self.place,
            release=shipment.release,
            files=self.files,
        )

    def _add_watch(self) -> None:
        self.topic = Topic(self, "Topic", place=self.place, address=self.context.alarm_address)
        self.alarms = Alarms(
            self,
            "Alarms",
            topology=self.topology,
            functions=self.functions.by_name,
            dead_letters=self.dead_letters.queue,
            topic=self.topic.topic,
        )
        self.alarms.add_door("public", self.edge.public_api.id)
        self.alarms.add_door("internal", self.edge.internal_api.id)
        self.dashboard = Dashboard(self, "Dashboard", alarms=self.alarms.all, place=self.place)

    def _add_outputs(self, shipment: Shipment) -> None:
        page = f"https://{Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region={Aws.REGION}"
        told = {
            "Release": shipment.release.name,
            "ArtifactBucket": self.buckets.artifacts.bucket_name,
            **{f"{name.title()}Bucket": bucket.bucket_name for name, bucket in self.buckets.by_name.items()},
            "NotificationsTopic": self.topic.topic.topic_arn,
            "DeadLetterQueue": self.dead_letters.queue.queue_url,
            "DashboardUrl": f"{page}#dashboards/dashboard/{self.dashboard.name}",
        }
        for name, value in told.items():
            CfnOutput(self, name, value=value)

    def _add_tags(self) -> None:
        for key, value in {**self.context.company_tags, "instantstart:managed-by": MANAGER}.items():
            Tags.of(self).add(key, value)
