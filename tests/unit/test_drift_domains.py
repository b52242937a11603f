"""How what each domain made is compared with how it stands."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from functions.capacity.rules import drifts as hyperpod
from functions.core.cluster import ClusterSpec, DesiredTaint
from functions.core.drifts import Drift
from functions.features import rules as addons
from functions.features.helm.rules import CONTENT, Revision, Wanted, differences
from functions.features.rules import AddonFacts, Installed
from functions.identity.chains.rules.trust import merged, trust_fault, trust_of
from functions.identity.rules import ADMINISTRATOR, OPERATOR_GROUP, entry_drifts
from functions.network.subnets.models import Route, RouteTable, Vpc
from functions.network.subnets.rules.drifts import drifts_of as subnet_drifts
from functions.network.subnets.rules.identity import identity_of
from functions.network.subnets.rules.needs import needs_of
from functions.storage.drift.rules import drifts_of as mount_drifts
from functions.storage.manifests import Mount, persistent_volume, persistent_volume_claim
from tests.unit.test_drift_rules import spec
from tests.unit.test_identity_chain_rules import PLACE, PODS, WEB
from tests.unit.test_subnet_needs import OURS, ZONE, group, subnet
from tests.unit.test_subnet_rules import endpoint, nat

if TYPE_CHECKING:
    from pydantic import JsonValue

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def properties(found: list[Drift]) -> list[str | None]:
    return [each.property for each in found]


# -- identity


def test_an_access_entry_is_compared_by_presence_groups_and_policies() -> None:
    assert entry_drifts("operator", "arn", [OPERATOR_GROUP, "more"], ["arn:of:others"]) == []
    assert properties(entry_drifts("operator", "arn", None, [])) == [None]
    assert properties(entry_drifts("operator", "arn", [], [ADMINISTRATOR])) == [
        f"group {OPERATOR_GROUP}",
        f"policy {ADMINISTRATOR}",
    ]
    assert properties(entry_drifts("admin", "arn", [], [])) == [f"policy {ADMINISTRATOR}"]


def test_a_trust_that_is_put_right_keeps_what_others_added() -> None:
    theirs: dict[str, JsonValue] = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
        "Action": "sts:AssumeRole",
    }
    denying: dict[str, JsonValue] = {"Effect": "Deny", "Principal": "*", "Action": "sts:*"}
    for chain, broken in ((PODS, {"Service": "pods.eks.amazonaws.com"}), (WEB, {"Federated": "arn:of:another"})):
        old: dict[str, JsonValue] = {"Effect": "Allow", "Principal": dict(broken), "Action": "sts:TagSession"}
        standing: dict[str, JsonValue] = {"Version": "2012-10-17", "Statement": [old, theirs, denying]}
        wanted = trust_of(chain, PLACE)
        written = merged(wanted, standing)
        assert written["Statement"] == [*wanted["Statement"], theirs]  # type: ignore[misc]  # a list
        assert trust_fault(written, chain, PLACE) is None
        # Twice adds nothing.
        assert merged(wanted, written) == written


# -- features


def test_an_addon_is_compared_by_presence_state_version_and_configuration() -> None:
    ours = Installed("ACTIVE", "v1.20.4-eksbuild.1", None, {}, ours=True)
    assert addons.drifts_of("vpc-cni", ours, {}) == []
    assert properties(addons.drifts_of("vpc-cni", None, {})) == [None]
    broken = replace(ours, status="DEGRADED")
    assert properties(addons.drifts_of("vpc-cni", broken, {"AccessDenied": "no"})) == ["status"]
    assert addons.drifts_of("vpc-cni", broken, {"InsufficientNumberOfReplicas": "no node"}) == []
    assert properties(addons.drifts_of("vpc-cni", replace(ours, version="v1.18.2-eksbuild.1"), {})) == ["version"]
    configured = replace(ours, configuration='{"replicaCount": 3}')
    assert properties(addons.drifts_of("coredns", configured, {})) == ["configuration"]
    assert addons.drifts_of("coredns", replace(configured, ours=False), {}) == []


def test_a_repair_restores_a_configuration_and_changes_no_version_that_serves() -> None:
    facts = AddonFacts(minimum="v1.18.3")
    configured = Installed("ACTIVE", "v1.19.0-eksbuild.1", '{"a": 1}', {}, ours=True)
    assert addons.version_kept(configured, facts) == "v1.19.0-eksbuild.1"
    assert addons.version_kept(replace(configured, version="v1.18.2"), facts) is None
    assert addons.version_kept(None, facts) is None
    assert addons.configuration_after(configured, facts, restores=True) == "{}"
    assert addons.configuration_after(configured, facts) is None
    assert addons.configuration_after(replace(configured, ours=False), facts, restores=True) == '{"a": 1}'


def test_a_release_is_compared_by_its_very_chart_and_values() -> None:
    wanted = Wanted("mark", "0.1.0", {"a": {"enabled": True}, "b": 1})
    marked = Revision(1, "deployed", NOW, {CONTENT: "mark"}, "0.1.0", wanted.values)
    assert differences(marked, wanted) == []
    # The mark stays when somebody upgrades by hand.
    by_hand = replace(marked, values={"a": {"enabled": False}, "c": 2, "b": 1})
    assert [name for name, _, _ in differences(by_hand, wanted)] == ["value a", "value c"]
    assert differences(replace(marked, chart_version="0.0.9"), wanted) == [("chart version", "0.1.0", "0.0.9")]
    assert [name for name, _, _ in differences(replace(marked, labels={}, values=None), wanted)] == ["content"]


# -- network


def test_a_compute_subnet_is_compared_property_by_property() -> None:
    [need] = needs_of([group("a")], ZONE)
    identity = identity_of(need, ZONE, OURS)
    own = subnet("subnet-1", identity.subnet_tags)
    table = RouteTable("rtb-1", {"subnet-1": "rtbassoc-1"}, Route("nat-1"), identity.table_tags)
    whole = Vpc("vpc-1", (own,), (table,), (nat(),), (endpoint("rtb-1"),))
    stage = "compute_subnet:zone"
    assert subnet_drifts(identity, stage, whole) == []
    assert properties(subnet_drifts(identity, stage, replace(whole, subnets=()))) == [None]
    retagged = replace(own, tags={**own.tags, "Name": "mine"})
    assert properties(subnet_drifts(identity, stage, replace(whole, subnets=(retagged,)))) == ["tag Name"]
    unrouted = replace(whole, tables=(replace(table, default_route=None, tags=OURS | {"Name": identity.table_name}),))
    assert properties(subnet_drifts(identity, stage, unrouted))[-1] == "default route"
    assert properties(subnet_drifts(identity, stage, replace(whole, endpoints=()))) == ["S3 endpoint"]
    assert properties(subnet_drifts(identity, stage, replace(whole, tables=()))) == ["route table"]


# -- capacity


class Taint(NamedTuple):
    key: str
    value: str | None
    effect: str


@dataclass(frozen=True)
class Group:
    name: str = "gpu"
    types: tuple[str, ...] = ("ml.g6.4xlarge",)
    target: int = 2
    capacity_type: str = "on_demand"
    labels: dict[str, str] | None = None
    taints: tuple[Taint, ...] = ()


def of_groups(wanted: ClusterSpec, *groups: Group, recovers: bool | None = True) -> list[tuple[str, str | None, bool]]:
    standing = [replace(each, labels=each.labels or {}) for each in groups]
    found = hyperpod.drifts_of(wanted, standing, recovers)  # type: ignore[arg-type]  # labels are set
    return [(each.resource, each.property, each.repaired_by is not None) for each in found]


def test_a_hyperpod_cluster_is_compared_by_groups_and_recovery_and_others_groups_are_left() -> None:
    assert of_groups(spec(), Group()) == []
    assert of_groups(spec()) == [("gpu", None, True)]
    assert of_groups(spec(), Group(target=1, labels={"team": "x"})) == [("gpu", "count", True), ("gpu", "labels", True)]
    assert of_groups(spec(), Group(types=("ml.p5.48xlarge",), capacity_type="spot")) == [
        ("gpu", "instance types", False),
        ("gpu", "capacity", False),
    ]
    assert of_groups(spec(), Group(), Group("cpu")) == [("cpu", None, False)]
    assert of_groups(spec(), Group(), recovers=False) == [("hp-cluster-t1", "node recovery", True)]
    assert of_groups(spec(), Group(), recovers=None) == []
    desired = spec().instance_groups[0].model_copy(update={"taints": [DesiredTaint(key="a", effect="NoSchedule")]})
    tainted = spec(instance_groups=[desired])
    assert of_groups(tainted, Group(taints=(Taint("a", None, "NoSchedule"),))) == []
    assert of_groups(tainted, Group()) == [("gpu", "taints", True)]


# -- storage

MOUNT = Mount("s3-claim", "default", "sagemaker-t1", "us-west-2")


def test_a_mount_is_compared_by_its_volume_its_claim_and_their_bond() -> None:
    volume, claim = persistent_volume(MOUNT, {}), persistent_volume_claim(MOUNT, {}) | {"status": {"phase": "Bound"}}
    assert mount_drifts(MOUNT, "mount:s3-claim", volume, claim) == []
    assert len(mount_drifts(MOUNT, "mount:s3-claim", None, None)) == 2
    elsewhere = persistent_volume(replace(MOUNT, bucket="sagemaker-t2"), {})
    assert properties(mount_drifts(MOUNT, "mount:s3-claim", elsewhere, claim)) == ["csi"]
    lost = claim | {"status": {"phase": "Lost"}}
    assert properties(mount_drifts(MOUNT, "mount:s3-claim", volume, lost)) == ["phase"]
