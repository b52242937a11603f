"""Grants on what runs: executions, foundation stacks, connections, the topic; and quotas, which are read only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.privilege.grant import Grant, equal, like, named
from infra.release import NOTIFICATIONS
from infra.topology import ANY, API, FOUNDATION_ROLE, PREFIX

if TYPE_CHECKING:
    from infra.release import Place
    from infra.topology import Topology

STAGE_MACHINE = "stage"


def grants(topology: Topology, place: Place) -> tuple[Grant, ...]:
    """Give the grants of all functions on what runs."""
    return (
        *_executions(topology, place),
        *_stacks(place),
        _connections(place),
        _api(topology, place),
        _quotas(place),
        _topic(place),
    )


def pipelines(topology: Topology) -> tuple[str, ...]:
    """Name the state machines that operations are run by; stages are run by theirs."""
    return tuple(machine.name for machine in topology.machines if machine.name != STAGE_MACHINE)


def _topic(place: Place) -> Grant:
    return Grant("TellPeople", ("sns:Publish",), named(place, "sns", NOTIFICATIONS))


def _executions(topology: Topology, place: Place) -> tuple[Grant, ...]:
    machines = [f"stateMachine:{PREFIX}{name}" for name in pipelines(topology)]
    executions = [f"execution:{PREFIX}{name}:*" for name in pipelines(topology)]
    return (
        Grant("StartOperations", ("states:StartExecution",), named(place, "states", *machines)),
        Grant("ReadOperations", ("states:DescribeExecution",), named(place, "states", *executions)),
    )


def _stacks(place: Place) -> tuple[Grant, ...]:
    stacks = named(place, "cloudformation", f"stack/{PREFIX}*/*")
    reads = (
        "cloudformation:DescribeChangeSet",
        "cloudformation:DescribeStackEvents",
        "cloudformation:DescribeStackResourceDrifts",
        "cloudformation:DescribeStackResources",
        "cloudformation:DescribeStacks",
        "cloudformation:DetectStackDrift",
        "cloudformation:DetectStackResourceDrift",
    )
    changes = ("cloudformation:CreateChangeSet", "cloudformation:DeleteStack", "cloudformation:UpdateStack")
    change_sets = ("cloudformation:DeleteChangeSet", "cloudformation:ExecuteChangeSet")
    with_role = equal("cloudformation:RoleArn", place.role_arn(FOUNDATION_ROLE.name))
    shipped = f"https://{place.bucket('artifacts')}.s3.{place.region}.{place.url_suffix}/*/foundation.yaml"
    return (
        Grant("ReadStacks", reads, stacks),
        # The role may do more than we: no template but a release's own may be made with it. Later changes keep the
        # template of the stack, for which the request has no key.
        Grant(
            "CreateStacks",
            ("cloudformation:CreateStack",),
            stacks,
            (with_role, like("cloudformation:TemplateUrl", shipped)),
        ),
        Grant("ChangeStacks", changes, stacks, (with_role,)),
        Grant("UseChangeSets", change_sets, stacks),
    )


def _connections(place: Place) -> Grant:
    """Grant messages to WebSockets: the id of the API is made up when it is deployed."""
    connections = [f"*/*/{method}/@connections/*" for method in ("DELETE", "POST")]
    return Grant("ReachBrowsers", ("execute-api:ManageConnections",), named(place, "execute-api", *connections))


def _api(topology: Topology, place: Place) -> Grant:
    """Grant the API's routes at the internal door, by the methods that there are; the gateway's own is not of them."""
    methods = sorted({route.method for route in topology.routes if route.path.startswith(API)} - {ANY})
    return Grant("CallApi", ("execute-api:Invoke",), tuple(place.internal_route(each, f"{API}*") for each in methods))


def _quotas(place: Place) -> Grant:
    services = named(place, "servicequotas", "ec2/*", "sagemaker/*", "vpc/*")
    return Grant("ReadQuotas", ("servicequotas:GetServiceQuota",), services)
