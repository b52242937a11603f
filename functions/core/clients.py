"""Clients of services for which no published type stubs are installed, as far as they are used here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypedDict

if TYPE_CHECKING:
    from botocore.exceptions import ClientError


class ServiceQuota(TypedDict, total=False):
    """One quota of ListServiceQuotas and GetServiceQuota."""

    QuotaName: str
    QuotaCode: str
    Value: float


class ServiceQuotaAnswer(TypedDict):
    """GetServiceQuotaResponse."""

    Quota: ServiceQuota


class ServiceQuotasPage(TypedDict, total=False):
    """ListServiceQuotasResponse."""

    Quotas: list[ServiceQuota]
    NextToken: str


class ServiceQuotasClient(Protocol):
    """Service Quotas. Source: Service Quotas API reference."""

    def get_service_quota(self, *, ServiceCode: str, QuotaCode: str) -> ServiceQuotaAnswer:
        """Read the applied value of one quota."""

    def list_service_quotas(self, *, ServiceCode: str, MaxResults: int, NextToken: str = ...) -> ServiceQuotasPage:
        """List the applied quotas of a service, a hundred at a time."""


class LogEvent(TypedDict, total=False):
    """One line of a log stream."""

    message: str


class LogEvents(TypedDict, total=False):
    """GetLogEventsResponse."""

    events: list[LogEvent]


class LogGroup(TypedDict, total=False):
    """One log group."""

    logGroupName: str


class LogGroups(TypedDict, total=False):
    """DescribeLogGroupsResponse."""

    logGroups: list[LogGroup]


class LogsClient(Protocol):
    """CloudWatch Logs. Source: CloudWatch Logs API reference."""

    def get_log_events(self, *, logGroupName: str, logStreamName: str, limit: int, startFromHead: bool) -> LogEvents:
        """Read lines of a log stream."""

    def describe_log_groups(self, *, logGroupNamePrefix: str) -> LogGroups:
        """List log groups by the beginning of their names, fifty at most."""


class ConnectionsClient(Protocol):
    """API Gateway's management API of a WebSocket's connections, as far as it is used here."""

    @property
    def exceptions(self) -> ConnectionsExceptions:
        """Give the errors of the API."""

    def post_to_connection(self, *, ConnectionId: str, Data: bytes) -> object:
        """Send to a connection; raises GoneException when it is closed."""

    def delete_connection(self, *, ConnectionId: str) -> object:
        """Close a connection."""


class ConnectionsExceptions(Protocol):
    """The modelled errors of that API."""

    GoneException: type[ClientError]


class SecretValue(TypedDict, total=False):
    """GetSecretValueResponse; a secret of bytes has no text."""

    SecretString: str


class SecretsClient(Protocol):
    """Secrets Manager, as far as it is used here. Source: AWS Secrets Manager API reference."""

    def get_secret_value(self, *, SecretId: str) -> SecretValue:
        """Read the present value of a secret, by its ARN."""


class TopicsClient(Protocol):
    """SNS, as far as it is used here. Source: SNS API reference."""

    def publish(self, *, TopicArn: str, Subject: str, Message: str) -> object:
        """Send a message to whoever listens to a topic."""
