"""Refusals of AWS become problems with a cause of ours and a remedy."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from functions.core.failures import problem_of


def refusal(code: str, message: str, operation: str = "CreateSubnet") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


@pytest.mark.parametrize(
    ("code", "message", "status", "cause", "helps"),
    [
        ("SubnetLimitExceeded", "The maximum number of subnets has been reached.", 409, "SUBNET_QUOTA", "L-407747CB"),
        ("RouteTableLimitExceeded", "Too many.", 409, "ROUTE_TABLE_QUOTA", "L-589F43AA"),
        ("RouteLimitExceeded", "Too many.", 409, "ROUTE_QUOTA", "L-93826ACB"),
        ("InsufficientFreeAddressesInSubnet", "No.", 409, "SUBNET_IP_SHORTAGE", "dedicated_subnet: true"),
        (
            "InvalidParameter",
            "The specified subnet does not have enough free addresses to satisfy the request.",
            409,
            "SUBNET_IP_SHORTAGE",
            "network_interface: efa_only",
        ),
        ("InvalidSubnet.Range", "The CIDR '10.0.0.0/8' is invalid.", 500, "SUBNET_RANGE", "chosen anew"),
        ("InvalidSubnet.Conflict", "The CIDR '10.0.0.0/20' conflicts with another subnet", 500, "SUBNET_RANGE", "anew"),
        ("NatGatewayNotFound", "The Nat Gateway nat-0a1b2c3d was not found", 500, "NAT_GATEWAY_GONE", "NAT gateway"),
        ("AddressLimitExceeded", "The maximum number of addresses has been reached.", 409, "EIP_QUOTA", "L-0263D0A3"),
        ("SomethingElse", "Nobody knows.", 500, "SomethingElse", "retry the operation"),
    ],
)
def test_what_ec2_refuses_is_named_with_what_helps(
    code: str, message: str, status: int, cause: str, helps: str
) -> None:
    body = problem_of(refusal(code, message), "the stage").body()
    assert (body.status, body.cause and body.cause.code) == (status, cause)
    assert helps in (body.remedy or "")
    assert message in body.detail


@pytest.mark.parametrize("code", ["InvalidSubnetID.NotFound", "InvalidNatGatewayID.NotFound", "IncorrectState"])
def test_what_may_not_be_visible_yet_is_asked_for_again(code: str) -> None:
    body = problem_of(refusal(code, "It does not exist")).body()
    assert (body.code, body.retryable) == ("busy", True)
