"""Files that a deployment writes into its buckets: uploaded folders, and documents that only the deployment knows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aws_cdk import CfnElement, CustomResource, Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_assets as assets
from constructs import Construct

from infra.host.acknowledged import AS_FOUND, acknowledge, acknowledge_python
from infra.host.pages import FRESH
from infra.release import FILES, function_name, function_role

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from infra.host.context import Context
    from infra.release import Place

WRITER: Final = Path(__file__).resolve().parent / "writer"
FOR_MINUTES: Final = "public, max-age=300"


@dataclass(frozen=True)
class Folder:
    """A folder of this machine whose files go into a bucket under `prefix`."""

    path: Path
    prefix: str = ""
    cache_control: str = FRESH


@dataclass(frozen=True)
class Document:
    """One JSON document; its values may be known to the deployment only."""

    key: str
    content: Mapping[str, JsonValue]
    cache_control: str = FRESH


class Files(Construct):
    """The function that writes, with a role that names each bucket and each archive it may touch."""

    def __init__(self, scope: Construct, construct_id: str, *, context: Context, place: Place) -> None:
        super().__init__(scope, construct_id)
        name = function_name(FILES)
        log = logs.CfnLogGroup(
            self, "Log", log_group_name=f"/aws/lambda/{name}", retention_in_days=context.log_retention_days
        )
        log.apply_removal_policy(RemovalPolicy.DESTROY)
        self._role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            path=place.role_path,
            role_name=place.global_name(function_role(FILES)),
            description="writes a release's files into their buckets",
        )
        streams = f"log-group:/aws/lambda/{name}:log-stream:*"
        self._allow(["logs:CreateLogStream", "logs:PutLogEvents"], [place.arn("logs", streams)])
        acknowledge(
            self._role,
            f"IAM5[Resource::{AS_FOUND.arn('logs', streams)}]",
            "Lambda names the streams in the group.",
        )
        architecture = lambda_.Architecture.ARM_64 if context.architecture == "arm64" else lambda_.Architecture.X86_64
        self._function = lambda_.Function(
            self,
            "Function",
            function_name=name,
            description="writes a release's files into their buckets",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=architecture,
            handler="handler.handler",
            code=lambda_.Code.from_asset(str(WRITER), exclude=["__pycache__", "*.pyc"]),
            role=self._role,
            timeout=Duration.minutes(5),
            memory_size=512,
            logging_format=lambda_.LoggingFormat.JSON,
        )
        self._function.node.add_dependency(log)
        acknowledge_python(self._function)

    def write(
        self,
        scope: Construct,
        construct_id: str,
        bucket: s3.IBucket,
        *,
        folders: Sequence[Folder] = (),
        documents: Sequence[Document] = (),
    ) -> CustomResource:
        """Write files into a bucket, now and whenever they change; the bucket is emptied when they go."""
        self._allow(["s3:PutObject", "s3:DeleteObject"], [bucket.arn_for_objects("*")])
        self._allow(["s3:ListBucket"], [bucket.bucket_arn])
        made = bucket.node.default_child
        if isinstance(made, CfnElement):
            found = f"IAM5[Resource::<{Stack.of(self).get_logical_id(made)}.Arn>/*]"
            acknowledge(self._role, found, "The function writes and deletes every file of the bucket.")
        properties = {
            "bucket": bucket.bucket_name,
            "archives": [self._archive(scope, f"{construct_id}-{n}", each) for n, each in enumerate(folders)],
            "documents": [_document(each) for each in documents],
        }
        return CustomResource(
            scope,
            construct_id,
            service_token=self._function.function_arn,
            resource_type="Custom::Files",
            properties=properties,
        )

    def _archive(self, scope: Construct, construct_id: str, folder: Folder) -> dict[str, str]:
        asset = assets.Asset(scope, construct_id, path=str(folder.path))
        self._allow(["s3:GetObject"], [asset.bucket.arn_for_objects(asset.s3_object_key)])
        return {
            "bucket": asset.s3_bucket_name,
            "key": asset.s3_object_key,
            "prefix": folder.prefix,
            "cache_control": folder.cache_control,
        }

    def _allow(self, actions: list[str], resources: list[str]) -> None:
        self._role.add_to_principal_policy(iam.PolicyStatement(actions=actions, resources=resources))


def _document(document: Document) -> dict[str, str]:
    return {
        "key": document.key,
        # Tokens stand inside of strings, where JSON leaves them be.
        "body": json.dumps(document.content, indent=2),
        "media_type": "application/json",
        "cache_control": document.cache_control,
    }
