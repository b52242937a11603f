"""Grants on EKS and HyperPod clusters: an imported one has any name, and HyperPod makes up the ids of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.privilege.grant import Grant, named

if TYPE_CHECKING:
    from infra.release import Place


def grants(place: Place) -> tuple[Grant, ...]:
    """Give the grants of all functions on clusters."""
    return (*_eks(place), *_addons(place), *_access_entries(place), *_pod_identities(place), *_hyperpod(place))


def _eks(place: Place) -> tuple[Grant, ...]:
    """Grant looks at clusters and their parts, and changes of the clusters themselves."""
    reads = (
        "eks:DescribeAccessEntry",
        "eks:DescribeAddon",
        "eks:DescribeCluster",
        "eks:DescribeInsight",
        "eks:DescribePodIdentityAssociation",
        "eks:DescribeUpdate",
        "eks:ListAccessEntries",
        "eks:ListAddons",
        "eks:ListAssociatedAccessPolicies",
        "eks:ListInsights",
        "eks:ListPodIdentityAssociations",
        "eks:ListUpdates",
    )
    cluster, *parts = named(
        place, "eks", "cluster/*", "access-entry/*/*/*/*/*", "addon/*/*/*", "podidentityassociation/*/*"
    )
    changes = ("eks:UpdateClusterConfig", "eks:UpdateClusterVersion")
    tags, tagged = (
        ("eks:TagResource", "eks:UntagResource"),
        named(place, "eks", "cluster/*", "access-entry/*/*/*/*/*", "addon/*/*/*"),
    )
    return (
        Grant("ReadEks", reads, (cluster, *parts)),
        Grant("ChangeEksClusters", changes, (cluster,)),
        Grant("TagEks", tags, tagged, functions=("stages_cluster",)),
    )


def _addons(place: Place) -> tuple[Grant, ...]:
    changes = ("eks:CreateAddon", "eks:DeleteAddon", "eks:UpdateAddon")
    return (Grant("ManageAddons", changes, named(place, "eks", "cluster/*", "addon/*/*/*")),)


def _access_entries(place: Place) -> tuple[Grant, ...]:
    """Grant what lets people and our roles into clusters, and HyperPod, which calls it as its caller."""
    changes = (
        "eks:AssociateAccessPolicy",
        "eks:CreateAccessEntry",
        "eks:DeleteAccessEntry",
        "eks:DisassociateAccessPolicy",
        "eks:UpdateAccessEntry",
    )
    return (Grant("ManageAccessEntries", changes, named(place, "eks", "cluster/*", "access-entry/*/*/*/*/*")),)


def _pod_identities(place: Place) -> tuple[Grant, ...]:
    association = named(place, "eks", "podidentityassociation/*/*")
    changes = (
        "eks:CreatePodIdentityAssociation",
        "eks:DeletePodIdentityAssociation",
        "eks:UpdatePodIdentityAssociation",
    )
    return (
        Grant("ManagePodIdentities", changes, (*named(place, "eks", "cluster/*"), *association)),
        Grant("TagPodIdentities", ("eks:TagResource",), association, functions=("stages_identity",)),
    )


def _hyperpod(place: Place) -> tuple[Grant, ...]:
    cluster, plan, capacity = named(place, "sagemaker", "cluster/*", "training-plan/*", "reserved-capacity/*")
    reads = (
        "sagemaker:DescribeCluster",
        "sagemaker:DescribeClusterEvent",
        "sagemaker:ListClusterEvents",
        "sagemaker:ListClusterNodes",
        "sagemaker:ListTags",
    )
    changes = (
        "sagemaker:BatchAddClusterNodes",
        "sagemaker:BatchDeleteClusterNodes",
        "sagemaker:CreateCluster",
        "sagemaker:DeleteCluster",
        "sagemaker:UpdateCluster",
        "sagemaker:UpdateClusterSoftware",
    )
    return (
        Grant("ReadHyperPod", reads, (cluster,)),
        # A group may run on the capacity of a training plan.
        Grant("ManageHyperPod", changes, (cluster, plan, capacity)),
        Grant("TagHyperPod", ("sagemaker:AddTags", "sagemaker:DeleteTags"), (cluster,)),
        Grant("ReadTrainingPlans", ("sagemaker:DescribeTrainingPlan",), (plan,)),
    )
