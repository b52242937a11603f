"""Services: endpoints of ready pods, headless services, load balancers; and claims that nobody provisions."""

from __future__ import annotations

from infra.local.kubernetes.documents import JsonObject, objects, strings, text, value_at
from tests.conformance.contract.controllers.driver import Cluster, labels, phase, pod_spec, template, workload

_SLOW = {"simulator.instantstart/ready-after": "30"}
_PROBE = {"readinessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 5}}


def _serve(cluster: Cluster, seconds: float = 10, **spec: object) -> JsonObject:
    cluster.node()
    cluster.create("services", "web", {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}], **spec})
    cluster.create("deployments", "web", workload(template=template(annotations=_SLOW, container=_PROBE), replicas=2))
    cluster.after(seconds)
    return cluster.get("endpoints", "web")


def _addresses(endpoints: JsonObject, kind: str = "addresses") -> list[str]:
    return [text(address, "ip") for subset in objects(endpoints, "subsets") for address in objects(subset, kind)]


def test_a_pod_that_is_not_ready_is_listed_apart(cluster: Cluster) -> None:
    endpoints = _serve(cluster)
    assert (_addresses(endpoints), len(_addresses(endpoints, "notReadyAddresses"))) == ([], 2)


def test_ready_pods_stand_behind_the_service(cluster: Cluster) -> None:
    endpoints = _serve(cluster, 60)
    assert sorted(_addresses(endpoints)) == sorted(text(pod, "status", "podIP") for pod in cluster.pods())
    (subset,) = objects(endpoints, "subsets")
    assert objects(subset, "ports") == [{"port": 8080, "protocol": "TCP"}]
    assert {value_at(address, "targetRef", "kind") for address in objects(subset, "addresses")} == {"Pod"}


def test_an_endpoint_slice_says_the_same_with_conditions(cluster: Cluster) -> None:
    _serve(cluster, 60)
    (kept,) = cluster.list_all("endpointslices", labelSelector="kubernetes.io/service-name=web")
    conditions = [endpoint["conditions"] for endpoint in objects(kept, "endpoints")]
    assert conditions == [{"ready": True, "serving": True, "terminating": False}] * 2
    assert [strings(endpoint, "addresses") for endpoint in objects(kept, "endpoints")] == [
        [address] for address in _addresses(cluster.get("endpoints", "web"))
    ]


def test_a_pod_that_is_leaving_takes_no_traffic(cluster: Cluster) -> None:
    _serve(cluster, 60)
    cluster.patch("deployments", "web", {"spec": {"replicas": 1}})
    assert len(_addresses(cluster.get("endpoints", "web"))) == 1


def test_endpoints_go_with_their_service(cluster: Cluster) -> None:
    _serve(cluster)
    cluster.delete("services", "web")
    cluster.list_all("services")
    assert not cluster.exists("endpoints", "web")


def test_a_named_target_port_is_the_pods_port_of_that_name(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("services", "web", {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]})
    ports = {"ports": [{"name": "http", "containerPort": 9000}]}
    cluster.create("pods", "p", pod_spec(container=ports), metadata={"labels": {"app": "web"}})
    cluster.after(10)
    (subset,) = objects(cluster.get("endpoints", "web"), "subsets")
    assert objects(subset, "ports") == [{"port": 9000, "protocol": "TCP"}]


def test_a_headless_service_has_no_address_but_a_marked_slice(cluster: Cluster) -> None:
    _serve(cluster, 60, clusterIP="None")
    (kept,) = cluster.list_all("endpointslices")
    assert "service.kubernetes.io/headless" in labels(kept)
    assert text(cluster.get("services", "web"), "spec", "clusterIP") == "None"


def test_pods_not_ready_are_published_on_request(cluster: Cluster) -> None:
    assert len(_addresses(_serve(cluster, publishNotReadyAddresses=True))) == 2


def test_a_service_without_a_selector_gets_no_endpoints(cluster: Cluster) -> None:
    cluster.create("services", "outside", {"ports": [{"port": 80}]})
    cluster.list_all("services")
    assert not cluster.exists("endpoints", "outside")


def test_a_load_balancer_waits_for_a_controller_and_an_event_says_so(cluster: Cluster) -> None:
    cluster.node()
    cluster.create("services", "web", {"type": "LoadBalancer", "ports": [{"port": 80}]})
    service = cluster.get("services", "web")
    assert objects(service, "status", "loadBalancer", "ingress") == []
    assert "no load balancer controller runs in this cluster" in cluster.messages("web", "SyncLoadBalancerFailed")[0]
    cluster.create("deployments", "aws-load-balancer-controller", workload(replicas=1), "kube-system")
    cluster.after(10)
    (ingress,) = objects(cluster.get("services", "web"), "status", "loadBalancer", "ingress")
    assert text(ingress, "hostname").endswith(".elb.us-west-2.amazonaws.com")


def _claim(cluster: Cluster, mode: str) -> None:
    body = {"provisioner": "ebs.csi.aws.com", "volumeBindingMode": mode}
    cluster.create("storageclasses", "gp3", None, **body)
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "gp3", "resources": {"requests": {"storage": "1Gi"}}}
    cluster.create("persistentvolumeclaims", "data", spec)


def test_a_claim_whose_class_nobody_provisions_stays_pending(cluster: Cluster) -> None:
    _claim(cluster, "Immediate")
    assert phase(cluster.get("persistentvolumeclaims", "data")) == "Pending"
    assert "ebs.csi.aws.com" in cluster.messages("data", "ExternalProvisioning")[0]


def test_a_claim_may_wait_for_its_first_consumer(cluster: Cluster) -> None:
    _claim(cluster, "WaitForFirstConsumer")
    cluster.list_all("persistentvolumeclaims")
    assert cluster.reasons("data") == ["WaitForFirstConsumer"]
    cluster.create("pods", "p", pod_spec(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]))
    cluster.pods()
    assert cluster.reasons("data") == ["WaitForFirstConsumer", "ExternalProvisioning"]
