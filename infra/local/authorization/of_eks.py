"""What IAM is asked for calls of EKS: clusters, their parts, tags of new ones, and the roles that they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from infra.local.authorization.asking import Unknown, passing, service_role, to_be_tagged
from infra.local.authorization.evaluation import Asked

if TYPE_CHECKING:
    from infra.local.authorization.live import Live
    from infra.local.authorization.parsing import Call

_FREE: Final = ("DescribeAddonConfiguration", "DescribeAddonVersions", "DescribeClusterVersions", "ListClusters")
# On the cluster itself, whatever of it is read, changed or made.
_ON_CLUSTERS: Final = (
    "CreateAccessEntry",
    "CreateAddon",
    "CreatePodIdentityAssociation",
    "DeleteCluster",
    "DescribeCluster",
    "DescribeInsight",
    "DescribeUpdate",
    "ListAccessEntries",
    "ListAddons",
    "ListInsights",
    "ListPodIdentityAssociations",
    "ListUpdates",
    "UpdateClusterConfig",
    "UpdateClusterVersion",
)
_ON_PARTS: Final = {
    "AssociateAccessPolicy": "access-entry",
    "DeleteAccessEntry": "access-entry",
    "DeleteAddon": "addon",
    "DeletePodIdentityAssociation": "podidentityassociation",
    "DescribeAccessEntry": "access-entry",
    "DescribeAddon": "addon",
    "DescribePodIdentityAssociation": "podidentityassociation",
    "DisassociateAccessPolicy": "access-entry",
    "ListAssociatedAccessPolicies": "access-entry",
    "UpdateAccessEntry": "access-entry",
    "UpdateAddon": "addon",
    "UpdatePodIdentityAssociation": "podidentityassociation",
}
_NAMES: Final = {
    "access-entry": "principalArn",
    "addon": "addonName",
    "podidentityassociation": "associationId",
}
_MADE: Final = {
    "CreateAccessEntry": "access-entry",
    "CreateAddon": "addon",
    "CreatePodIdentityAssociation": "podidentityassociation",
}
# What EKS looks at in its caller's name. Source: EKS user guide, "Amazon EKS cluster IAM role" and "Pod Identity".
_CLUSTER_LOOKS: Final = ("ec2:DescribeSecurityGroups", "ec2:DescribeSubnets", "ec2:DescribeVpcs")


def asked(call: Call, live: Live) -> Iterator[Asked]:
    """Say what is asked; raises Unknown."""
    action = f"eks:{call.operation}"
    if call.operation in _FREE:
        yield Asked(action, "*")
    elif call.operation == "CreateCluster":
        yield from _new_cluster(call, live)
    elif call.operation in ("TagResource", "UntagResource"):
        yield Asked(action, call.text("resourceArn"), to_be_tagged(dict(call.parameters.get("tags") or {})))
    elif call.operation in _ON_CLUSTERS:
        yield Asked(action, cluster_arn(live, _cluster(call)), to_be_tagged(_tags(call)))
        yield from _tagging(call, live)
    elif call.operation in _ON_PARTS:
        yield Asked(action, _part(call, live, _ON_PARTS[call.operation]))
    else:
        raise Unknown(call.operation)
    yield from _roles(call, live)


def cluster_arn(live: Live, name: str) -> str:
    """Name a cluster."""
    return live.place.arn("eks", f"cluster/{name}")


def access_entry(live: Live, cluster: str, principal: str) -> str:
    """Name the access entry of a principal, which need not be there."""
    found = live.world.eks_part(cluster, "access-entry", principal)
    kind, _, path = principal.rpartition(":")[2].partition("/")
    account, name = principal.split(":")[4], path.rpartition("/")[2]
    return found or live.place.arn("eks", f"access-entry/{cluster}/{kind}/{account}/{name}/none")


def _cluster(call: Call) -> str:
    return call.text("clusterName") or call.text("name")


def _tags(call: Call) -> dict[str, str]:
    return dict(call.parameters.get("tags") or {})


def _tagging(call: Call, live: Live) -> Iterator[Asked]:
    kind, tags = _MADE.get(call.operation), _tags(call)
    if kind and tags:
        made = access_entry(live, _cluster(call), call.text("principalArn")) if kind == "access-entry" else ""
        fresh = f"{kind}/{_cluster(call)}/{call.text('addonName') + '/' if kind == 'addon' else ''}*"
        yield Asked("eks:TagResource", made or live.place.arn("eks", fresh), to_be_tagged(tags))


def _part(call: Call, live: Live, kind: str) -> str:
    name = call.text(_NAMES[kind])
    if kind == "access-entry":
        return access_entry(live, _cluster(call), name)
    found = live.world.eks_part(_cluster(call), kind, name)
    missing = f"{kind}/{_cluster(call)}/{name}/none" if kind == "addon" else f"{kind}/{_cluster(call)}/{name}"
    return found or live.place.arn("eks", missing)


def _new_cluster(call: Call, live: Live) -> Iterator[Asked]:
    role = call.text("roleArn")
    yield Asked("eks:CreateCluster", "*", to_be_tagged(_tags(call)))
    if _tags(call):
        yield Asked("eks:TagResource", cluster_arn(live, call.text("name")), to_be_tagged(_tags(call)))
    yield from (Asked(look, "*") for look in _CLUSTER_LOOKS)
    yield from (Asked(look, role) for look in ("iam:GetRole", "iam:ListAttachedRolePolicies"))
    yield from passing([role], "eks")
    yield service_role(live, "eks.amazonaws.com", "AWSServiceRoleForAmazonEKS")


def _roles(call: Call, live: Live) -> Iterator[Asked]:
    """Roles of service accounts are passed to EKS, those of pod identities to its service for pods; it reads them."""
    if call.operation in ("CreateAddon", "UpdateAddon"):
        yield from passing([call.text("serviceAccountRoleArn")], "eks")
    roles = [call.text("roleArn")] if "PodIdentityAssociation" in call.operation else []
    roles += [str(row.get("roleArn", "")) for row in call.rows("podIdentityAssociations")]
    yield from passing(roles, "pods.eks")
    yield from (Asked("iam:GetRole", arn) for arn in roles if arn)
