"""What in a cluster is worth a warning: pods that cannot work where they were placed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.catalog.rules import instance_type
from functions.core.documents import items_of, member
from functions.core.findings import Finding, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    Object = Mapping[str, JsonValue]

EFA_WITHOUT_EFA: Final = "efa_plugin_without_efa"
NOT_LOOKED_AT: Final = "plugins_not_looked_at"
_EFA_PLUGIN: Final = "aws-efa-k8s-device-plugin"
# Where our release of the dependencies chart is, as helm writes it down.
_RELEASE: Final = {"meta.helm.sh/release-name": "dependencies", "meta.helm.sh/release-namespace": "kube-system"}


def efa_plugins(daemon_sets: Iterable[Object]) -> list[Object]:
    """Choose the DaemonSets that run the EFA device plugin."""
    return [each for each in daemon_sets if _runs_efa_plugin(each)]


def selector_of(daemon_set: Object) -> str:
    """Write the label selector of a DaemonSet's pods."""
    labels = member(member(member(daemon_set, "spec"), "selector"), "matchLabels")
    return ",".join(f"{name}={value}" for name, value in sorted(labels.items()))


def efa_finding(daemon_set: Object, pods: Iterable[Object], types: Mapping[str, str], tag: str) -> Finding | None:
    """Judge where the pods of an EFA plugin are; `types` maps nodes to instance types. None unless one is without EFA.

    A crash loop looks healthy for moments; where there is no EFA the plugin fails without fail.
    Source: aws/sagemaker-hyperpod-cli issue 367.
    """
    placed = [(member(pod, "metadata"), types.get(str(member(pod, "spec").get("nodeName")), "")) for pod in pods]
    stranded = {str(metadata.get("name")): name for metadata, name in placed if _lacks_efa(name)}
    if not stranded:
        return None
    named = sorted(set(stranded.values()))
    return Finding(
        check=EFA_WITHOUT_EFA,
        level=Level.WARNING,
        message=f"EFA plugin on a node type without EFA ({', '.join(named)}; pods: {len(stranded)}). "
        "It ends there with 'no valid EFA devices'; the nodes can be used.",
        resource=_name_of(daemon_set),
        remedy=_remedy(daemon_set, tag),
    )


def not_looked_at(detail: str) -> Finding:
    """Say that the plugins were not looked at, and why."""
    return Finding(
        check=NOT_LOOKED_AT,
        level=Level.WARNING,
        message=f"The device plugins were not looked at: {detail}",
        remedy="Configure the dependencies again: they grant the control plane's role its rights.",
    )


def _remedy(daemon_set: Object, tag: str) -> str:
    if _RELEASE.items() <= member(member(daemon_set, "metadata"), "annotations").items():
        return f"Configure the dependencies again (POST /api/clusters/{tag}/dependencies): they fix the affinity."
    return (
        f"Fix the affinity of {_name_of(daemon_set)}, which is not of our release: allow instance types with EFA only; "
        "or remove it."
    )


def _name_of(daemon_set: Object) -> str:
    metadata = member(daemon_set, "metadata")
    return f"{metadata.get('namespace')}/daemonset/{metadata.get('name')}"


def _runs_efa_plugin(daemon_set: Object) -> bool:
    pod = member(member(member(daemon_set, "spec"), "template"), "spec")
    return any(_EFA_PLUGIN in str(container.get("image")) for container in items_of(pod, "containers"))


def _lacks_efa(name: str) -> bool:
    known = instance_type(name)
    return known is not None and not known.efa_interfaces
