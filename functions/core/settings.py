"""What a function reads from its environment variables, as one typed value."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, TypeAdapter

from functions.core import runtime
from functions.core.errors import DeploymentFault

_ROLES: Final = TypeAdapter(dict[str, str])


class Settings(BaseModel):
    """Where this deployment is; the ledger and the stages name their own variables."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    region: str
    account_id: str


def current() -> Settings:
    """Read this invocation's settings; raise DeploymentFault naming a variable that is missing."""
    return Settings(region=required("AWS_REGION"), account_id=required("ACCOUNT_ID"))


def console_client_id() -> str | None:
    """Read the id of the console's client, None where there is no sign-in."""
    return optional("CONSOLE_CLIENT_ID")


def machine_client_id() -> str | None:
    """Read the id of the client with which programs sign in for themselves, None where there is no sign-in."""
    return optional("MACHINE_CLIENT_ID")


def gateway_role_arn() -> str | None:
    """Read the ARN of the role whose word counts at the internal door, None where there is no such door."""
    return optional("GATEWAY_ROLE_ARN")


def internal_api_url() -> str:
    """Read the address of the internal door, through which the gateway calls the API for its callers."""
    return required("INTERNAL_API_URL")


def agent_roles() -> dict[str, str]:
    """Read which group stands for each role, by its ARN, whose sessions speak to the gateway without a token."""
    return _ROLES.validate_json(optional("AGENT_ROLES") or "{}")


def console_url() -> str | None:
    """Read the address of the console, without a path; None where there is none."""
    return optional("CONSOLE_URL")


def allowed_origins() -> list[str]:
    """Read the origins, parted by spaces, whose pages may call the API; usually none, the console has the API's own."""
    return (optional("ALLOWED_ORIGINS") or "").split()


def fixed_egress_addresses() -> list[str]:
    """Read the IPv4 addresses, parted by spaces, from which alone this deployment's functions call; often none.

    A deployment has them when its functions run in a VPC behind NAT gateways with Elastic IPs.
    """
    return (optional("FIXED_EGRESS_ADDRESSES") or "").split()


def passable_role_arns() -> list[str]:
    """Read the ARNs, parted by spaces, of roles beside our own that this deployment may hand to AWS services."""
    return (optional("PASSABLE_ROLE_ARNS") or "").split()


def own_buckets() -> list[str]:
    """Name the buckets that are the deployment's own: what clusters keep is nothing for them."""
    return [name for variable in ("ARTIFACT_BUCKET", "AUDIT_BUCKET") if (name := optional(variable))]


def required(variable: str) -> str:
    """Read a variable that a deployment has to set."""
    value = optional(variable)
    if value is None:
        raise DeploymentFault(
            f"The function has no environment variable {variable}.",
            remedy="Deploy the control plane again: its topology sets the variable.",
        )
    return value


def optional(variable: str) -> str | None:
    """Read a variable that may be absent; an empty one counts as absent."""
    return runtime.environment().get(variable) or None
