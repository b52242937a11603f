"""Files that a deployment puts into a bucket, by a small function of our own that CloudFormation calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from aws_cdk import Aws, CustomResource, Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3_assets as s3_assets
from constructs import Construct

from infra.host.logs import log_group
from infra.topology import PREFIX, ROLE_PATH

if TYPE_CHECKING:
    from aws_cdk import aws_s3 as s3

_HANDLER: Final = Path(__file__).resolve().parent / "uploader"
_NAME: Final = f"{PREFIX}uploads"


class Uploads(Construct):
    """The files of a directory under a prefix of a bucket; those of a former prefix go once an update stands."""

    files: CustomResource

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        directory: Path,
        bucket: s3.IBucket,
        prefix: str,
        log_retention_days: int,
    ) -> None:
        super().__init__(scope, construct_id)
        archive = s3_assets.Asset(self, "archive", path=str(directory))
        function = self._add_function(self._add_role(archive, bucket), log_retention_days)
        self.files = CustomResource(
            self,
            "files",
            service_token=function.function_arn,
            resource_type="Custom::InstantStartFiles",
            properties={
                "SourceBucket": archive.s3_bucket_name,
                "SourceKey": archive.s3_object_key,
                "Bucket": bucket.bucket_name,
                "Prefix": prefix,
            },
        )

    def _add_function(self, role: iam.IRole, log_retention_days: int) -> lambda_.Function:
        return lambda_.Function(
            self,
            "function",
            function_name=_NAME,
            description="puts a release's files into the artifact bucket",
            code=lambda_.Code.from_asset(str(_HANDLER)),
            handler="index.handler",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            role=role.without_policy_updates() if isinstance(role, iam.Role) else role,
            timeout=Duration.minutes(2),
            memory_size=512,
            logging_format=lambda_.LoggingFormat.JSON,
            log_group=log_group(self, "log", f"/aws/lambda/{_NAME}", log_retention_days),
        )

    def _add_role(self, archive: s3_assets.Asset, bucket: s3.IBucket) -> iam.Role:
        source = archive.bucket.arn_for_objects(archive.s3_object_key)
        logs = f"arn:{Aws.PARTITION}:logs:{Aws.REGION}:{Aws.ACCOUNT_ID}:log-group:/aws/lambda/{_NAME}:*"
        statements = [
            _allow("ReadTheArchive", ["s3:GetObject"], source),
            _allow("FindOldFiles", ["s3:ListBucket"], bucket.bucket_arn),
            _allow("ReplaceFiles", ["s3:PutObject", "s3:DeleteObject"], bucket.arn_for_objects("*")),
            _allow("WriteLogs", ["logs:CreateLogStream", "logs:PutLogEvents"], logs),
        ]
        return iam.Role(
            self,
            "role",
            role_name=_NAME,
            path=ROLE_PATH,
            description="puts a release's files into the artifact bucket",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            inline_policies={"declared": iam.PolicyDocument(statements=statements)},
        )


def _allow(sid: str, actions: list[str], resource: str) -> iam.PolicyStatement:
    return iam.PolicyStatement(sid=sid, actions=actions, resources=[resource])
