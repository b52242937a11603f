"""What later operations leave alone on an imported cluster, because somebody else runs it, and what they cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from functions.core.errors import PreconditionFailed
from functions.core.findings import Finding, Level
from functions.core.tags import MANAGER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from functions.clusters.importing.models.found import Component, Detected
    from functions.core.cluster import ClusterSpec

ADOPTED: Final = "adopted"
_S3_ADDON: Final = "aws-mountpoint-s3-csi-driver"
_S3_CHAIN: Final = "identity_chain:s3-csi-driver"
_S3_DRIVER: Final = "s3.csi.aws.com"
# Who installs an add-on by EKS: such a one the add-on's own stage judges.
_BY_EKS: Final = (MANAGER, "external")


def fitted(
    stages: Sequence[tuple[str, str]], spec: ClusterSpec, detected: Detected | None
) -> tuple[list[tuple[str, str]], list[Finding]]:
    """Leave out the stages of what somebody else runs, each with a finding that says so; of a created cluster none."""
    left = left_alone(spec, detected)
    named = {name for _, name in stages}
    told = [_adopted(name, why) for name, why in left.items() if name in named]
    return [each for each in stages if each[1] not in left], told


def left_alone(spec: ClusterSpec, detected: Detected | None) -> dict[str, str]:
    """Name the stages of what somebody else runs on an imported cluster by the last look, each with what it is."""
    return {} if spec.origin == "created" or detected is None else dict(_left_alone(spec, detected))


def run_by_us(detected: Detected | None) -> set[str]:
    """Name the stages of the Helm releases that the last look found to be the control plane's."""
    releases = [each for each in detected.components if each.kind == "helm_release"] if detected else []
    ours = [each for each in releases if each.presence == "present" and each.managed_by == MANAGER]
    return {f"helm_release:{each.name}" for each in ours}


def in_the_way(phases: Iterable[str], spec: ClusterSpec, detected: Detected | None) -> list[Finding]:
    """Find what an operation needs and an imported cluster was not given."""
    if spec.origin == "created":
        return []
    wanted = set(phases)
    found: list[Finding] = []
    if wanted & {"hyperpod", "storage"} and spec.names.bucket is None:
        found.append(_missing(spec, "bucket", "bucket", '"sagemaker-..."'))
    if "hyperpod" in wanted and not (spec.surroundings and spec.surroundings.execution_role_arn):
        found.append(_missing(spec, "execution role for HyperPod's instances", "execution_role_arn", '"arn:..."'))
    if "storage" in wanted and detected and (role := _foreign_s3_role(spec, detected)):
        found.append(_foreign_driver(role))
    return found


def _left_alone(spec: ClusterSpec, detected: Detected) -> Iterator[tuple[str, str]]:
    chart = detected.component("helm_release", "dependencies")
    if chart and chart.presence == "present" and chart.status == "deployed" and chart.managed_by != MANAGER:
        said = f"the release dependencies ({chart.version or 'of an unknown version'}) was installed by others"
        yield "helm_release:dependencies", said
    for name in ("coredns", _S3_ADDON):
        found = detected.component("addon", name)
        if found and found.presence == "present" and found.managed_by not in _BY_EKS:
            yield f"addon:{name}", f"{name} runs without EKS's add-on ({_by(found)})"
    yield from _s3(spec, detected)


def _s3(spec: ClusterSpec, detected: Detected) -> Iterator[tuple[str, str]]:
    addon, driver = detected.component("addon", _S3_ADDON), detected.component("csi_driver", _S3_DRIVER)
    if spec.names.bucket is None:
        for name in (_S3_CHAIN, f"addon:{_S3_ADDON}"):
            yield name, "the cluster was imported without a bucket to mount"
    elif driver and driver.presence == "present" and addon and addon.presence == "absent":
        for name in (_S3_CHAIN, f"addon:{_S3_ADDON}"):
            yield name, f"the S3 CSI driver runs without EKS's add-on ({_by(driver)})"
    elif role := _foreign_s3_role(spec, detected):
        yield _S3_CHAIN, f"the S3 CSI driver has the role {role}, which others gave it"


def _foreign_s3_role(spec: ClusterSpec, detected: Detected) -> str | None:
    role = detected.s3_driver_role_arn
    return role if role and role.rpartition("/")[2] != spec.names.s3_csi_role else None


def _by(component: Component) -> str:
    return f"by {component.managed_by}" if component.managed_by else "by others"


def _adopted(stage: str, why: str) -> Finding:
    return Finding(check=ADOPTED, level=Level.INFO, message=f"{why}: it is left as it is", resource=stage)


def _missing(spec: ClusterSpec, what: str, field: str, example: str) -> Finding:
    return Finding(
        check="imported_without",
        level=Level.ERROR,
        code=PreconditionFailed.code,
        message=f"cluster {spec.tag} was imported without a {what}",
        resource=field,
        remedy=f'Name one: POST /api/clusters/{spec.tag}/redetect with {{"{field}": {example}}}.',
    )


def _foreign_driver(role: str) -> Finding:
    return Finding(
        check="s3_driver_role",
        level=Level.ERROR,
        code=PreconditionFailed.code,
        message=f"the S3 CSI driver of the cluster has the role {role}, which is not the control plane's: what it may "
        "mount is not known",
        resource=role,
        remedy="Mount buckets by volumes of your own; or delete the pod identity association of "
        "kube-system/s3-csi-driver-sa, let the cluster be detected again and configure its dependencies.",
    )
