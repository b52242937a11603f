"""Clients of the simulated cloud, typed by their service's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypedDict, overload

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_ec2 import EC2Client
    from types_boto3_eks import EKSClient
    from types_boto3_iam import IAMClient
    from types_boto3_lambda import LambdaClient
    from types_boto3_s3 import S3Client
    from types_boto3_sagemaker import SageMakerClient
    from types_boto3_stepfunctions import SFNClient
    from types_boto3_sts import STSClient

    from infra.local.simulators.sns import TopicsClient


class MadeSecret(TypedDict):
    """CreateSecretResponse."""

    ARN: str


class SecretsClient(Protocol):
    """A client of Secrets Manager, as far as hosts need it: no published type stubs are installed."""

    def create_secret(self, *, Name: str, SecretString: str) -> MadeSecret:
        """Make a secret."""


class ClientOf(Protocol):
    """Gives a client of a service; botocore makes them by name, so only here their types are known."""

    @overload
    def __call__(self, service: Literal["cloudformation"]) -> CloudFormationClient: ...
    @overload
    def __call__(self, service: Literal["dynamodb"]) -> DynamoDBClient: ...
    @overload
    def __call__(self, service: Literal["ec2"]) -> EC2Client: ...
    @overload
    def __call__(self, service: Literal["eks"]) -> EKSClient: ...
    @overload
    def __call__(self, service: Literal["iam"]) -> IAMClient: ...
    @overload
    def __call__(self, service: Literal["lambda"]) -> LambdaClient: ...
    @overload
    def __call__(self, service: Literal["s3"]) -> S3Client: ...
    @overload
    def __call__(self, service: Literal["sagemaker"]) -> SageMakerClient: ...
    @overload
    def __call__(self, service: Literal["secretsmanager"]) -> SecretsClient: ...
    @overload
    def __call__(self, service: Literal["sns"]) -> TopicsClient: ...
    @overload
    def __call__(self, service: Literal["stepfunctions"]) -> SFNClient: ...
    @overload
    def __call__(self, service: Literal["sts"]) -> STSClient: ...
