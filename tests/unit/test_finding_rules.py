"""Where an EFA plugin is worth a warning, and what the warning advises."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from functions.catalog.rules import types_with_efa
from functions.clusters.verification.findings.rules import efa_finding, efa_plugins, selector_of

Object = dict[str, JsonValue]
TYPES = {"plain": "ml.g5.xlarge", "fabric": "ml.p5.48xlarge", "unknown": "ml.new.xlarge"}


def plugin(image: str = "r/eks/aws-efa-k8s-device-plugin:v0.5.3", annotations: Object | None = None) -> Object:
    spec: JsonValue = {
        "selector": {"matchLabels": {"name": "efa", "a": "b"}},
        "template": {"spec": {"containers": [{"image": image}]}},
    }
    return {"metadata": {"name": "efa", "namespace": "tools", "annotations": annotations or {}}, "spec": spec}


def pod(name: str, node: str) -> Object:
    return {"metadata": {"name": name}, "spec": {"nodeName": node}}


@pytest.mark.case(33)
def test_the_plugin_is_known_by_its_image_whatever_it_is_called() -> None:
    assert efa_plugins([plugin(), plugin("nvidia-device-plugin:1")]) == [plugin()]
    assert selector_of(plugin()) == "a=b,name=efa"


@pytest.mark.case(33)
def test_pods_on_types_without_efa_are_named_and_no_others() -> None:
    pods = [pod("a", "plain"), pod("b", "fabric"), pod("c", "unknown"), pod("d", "not-of-hyperpod"), pod("e", "plain")]
    found = efa_finding(plugin(), pods, TYPES, "t")
    assert found is not None
    assert (found.resource, found.level) == ("tools/daemonset/efa", "warning")
    assert "EFA plugin on a node type without EFA (ml.g5.xlarge; pods: 2)" in found.message
    assert efa_finding(plugin(), pods[1:4], TYPES, "t") is None


@pytest.mark.case(33)
def test_the_remedy_depends_on_whose_the_plugin_is() -> None:
    marks: Object = {"meta.helm.sh/release-name": "dependencies", "meta.helm.sh/release-namespace": "kube-system"}
    ours = efa_finding(plugin(annotations=marks), [pod("a", "plain")], TYPES, "t")
    theirs = efa_finding(plugin(), [pod("a", "plain")], TYPES, "t")
    assert ours is not None
    assert theirs is not None
    assert "POST /api/clusters/t/dependencies" in (ours.remedy or "")
    assert "tools/daemonset/efa" in (theirs.remedy or "")


@pytest.mark.case(33)
def test_the_types_with_efa_are_those_of_the_catalog() -> None:
    chosen = types_with_efa()
    assert {"ml.p5.48xlarge", "ml.g5.8xlarge", "ml.trn2.48xlarge"} <= set(chosen)
    assert not {"ml.g5.xlarge", "ml.g6.4xlarge", "ml.i3en.large", "ml.m7i.large", "ml.t3.medium"} & set(chosen)
