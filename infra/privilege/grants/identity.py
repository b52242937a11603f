"""Grants on IAM: only roles that bear a cluster's tag and our boundary are written, and passed to one service each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.tags import CLUSTER_MARK
from infra.privilege.documents import Condition
from infra.privilege.grant import Grant, equal, like, worldwide
from infra.release import boundary_arn, function_role
from infra.shapes import Weight
from infra.topology import FOUNDATION_ROLE, KUBERNETES_ADMIN, KUBERNETES_OPERATOR

if TYPE_CHECKING:
    from infra.release import Place
    from infra.shapes import Function, Role

# Roles of clusters bear the tag of theirs, those of the deployment itself never do.
OF_CLUSTER: Final = like(f"iam:ResourceTag/{CLUSTER_MARK}", "?*")
TO_BE_OF_CLUSTER: Final = like(f"aws:RequestTag/{CLUSTER_MARK}", "?*")
# Source: SageMaker developer guide, "Service-linked roles for SageMaker HyperPod".
_HYPERPOD: Final = "hyperpod.sagemaker.amazonaws.com"
TAKING: Final = ("iam:DeleteRole", "iam:DeleteRolePolicy", "iam:DetachRolePolicy")
# What the chains attach: functions/identity/chains/models.py.
CHAIN_POLICIES: Final = "policy/AmazonSageMakerHyperPod*"


def grants(place: Place, passable: tuple[str, ...]) -> tuple[Grant, ...]:
    """Give the grants of all functions on IAM; `passable` are the ARNs of roles that callers may reuse."""
    return (*_reading(place), *_roles(place), *_providers(place), *_passing(place, passable), _service_role(place))


def sessions(place: Place, function: Function) -> tuple[Grant, ...]:
    """Give the grants of one function to assume roles: its own again, and those that clusters let in."""
    own, action = place.role_arn(function_role(function.name)), ("sts:AssumeRole",)
    entered = tuple(place.role_arn(role.name) for role in _entered(function))
    found = [Grant("ActForOperations", action, (own,))] if function.acts_for_operations else []
    return (*found, *([Grant("EnterClusters", action, entered)] if entered else []))


def bounded(place: Place) -> Condition:
    """Demand that the role has our permissions boundary."""
    return equal("iam:PermissionsBoundary", boundary_arn(place))


def of_clusters(place: Place) -> tuple[str, ...]:
    """Name the roles that the deployment makes for clusters: all under a path where no other role stands."""
    return worldwide(place, "iam", f"role{place.clusters_role_path}*")


def providers(place: Place) -> tuple[str, ...]:
    """Name the identity providers of EKS clusters of the region."""
    return worldwide(place, "iam", f"oidc-provider/oidc.eks.{place.region}.{place.url_suffix}/id/*")


def _entered(function: Function) -> tuple[Role, ...]:
    """Say which roles a function enters clusters with; the connection test asks for both."""
    if function.name == "kubernetes":
        return (KUBERNETES_ADMIN, KUBERNETES_OPERATOR)
    by_weight = {Weight.KUBERNETES: (KUBERNETES_OPERATOR,), Weight.HELM: (KUBERNETES_ADMIN,)}
    return by_weight.get(function.weight, ())


def _reading(place: Place) -> tuple[Grant, ...]:
    # Any role: callers reuse theirs, import clusters with theirs, and a name that we want may be taken under any path.
    roles = ("iam:GetRole", "iam:GetRolePolicy", "iam:ListAttachedRolePolicies", "iam:ListRolePolicies")
    by_aws = f"arn:{place.partition}:iam::aws:policy/*"
    return (
        Grant("ReadRoles", roles, worldwide(place, "iam", "role/*")),
        Grant(
            "ReadPolicies",
            ("iam:GetPolicy", "iam:GetPolicyVersion"),
            (by_aws, *worldwide(place, "iam", "policy/*")),
        ),
        Grant("ReadIdentityProviders", ("iam:GetOpenIDConnectProvider",), worldwide(place, "iam", "oidc-provider/*")),
    )


def _roles(place: Place) -> tuple[Grant, ...]:
    ours, bound = of_clusters(place), bounded(place)
    giving = ("iam:PutRolePolicy", "iam:UpdateAssumeRolePolicy")
    attached = Condition("ArnLike", "iam:PolicyARN", (f"arn:{place.partition}:iam::aws:{CHAIN_POLICIES}",))
    return (
        Grant("CreateRoles", ("iam:CreateRole",), ours, (bound, TO_BE_OF_CLUSTER)),
        # IAM asks for this when a role is created with tags, and knows then neither a tag nor the boundary of the role:
        # what somebody tags is no cluster's yet, for without our boundary nothing else is done to it.
        Grant("TagRoles", ("iam:TagRole",), ours, (TO_BE_OF_CLUSTER,)),
        Grant("WriteRoles", giving, ours, (bound, OF_CLUSTER)),
        Grant("UnmakeRoles", TAKING, ours, (bound, OF_CLUSTER)),
        Grant("AttachPolicies", ("iam:AttachRolePolicy",), ours, (bound, OF_CLUSTER, attached)),
    )


def _providers(place: Place) -> tuple[Grant, ...]:
    writes = (
        "iam:AddClientIDToOpenIDConnectProvider",
        "iam:CreateOpenIDConnectProvider",
        "iam:TagOpenIDConnectProvider",
    )
    return (Grant("WriteIdentityProviders", writes, providers(place)),)


def _passing(place: Place, passable: tuple[str, ...]) -> tuple[Grant, ...]:
    action, roles = ("iam:PassRole",), (*of_clusters(place), *passable)
    foundation = (place.role_arn(FOUNDATION_ROLE.name),)
    return (
        Grant("PassToStacks", action, foundation, _passed_to("cloudformation"), ("stages_cluster",)),
        Grant("PassToHyperPod", action, roles, _passed_to("sagemaker"), ("stages_cluster",)),
        Grant("PassToPods", action, roles, _passed_to("pods.eks"), ("stages_identity",)),
    )


def _passed_to(service: str) -> tuple[Condition, ...]:
    return (equal("iam:PassedToService", f"{service}.amazonaws.com"),)


def _service_role(place: Place) -> Grant:
    role = worldwide(place, "iam", f"role/aws-service-role/{_HYPERPOD}/*")
    return Grant("CreateServiceRole", ("iam:CreateServiceLinkedRole",), role, (equal("iam:AWSServiceName", _HYPERPOD),))
