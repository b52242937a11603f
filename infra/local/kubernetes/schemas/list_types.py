"""How lists and maps of the built-in kinds merge under server-side apply (Kubernetes API reference, listType)."""

from __future__ import annotations

LIST_KEYS: dict[str, tuple[str, ...]] = {
    "conditions": ("type",),
    "ownerReferences": ("uid",),
    "V1PodSpec.containers": ("name",),
    "V1PodSpec.initContainers": ("name",),
    "V1PodSpec.ephemeralContainers": ("name",),
    "V1PodSpec.volumes": ("name",),
    "V1PodSpec.imagePullSecrets": ("name",),
    "V1PodSpec.hostAliases": ("ip",),
    "V1PodSpec.resourceClaims": ("name",),
    "V1PodSpec.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "V1PodStatus.podIPs": ("ip",),
    "V1Container.env": ("name",),
    "V1Container.ports": ("containerPort", "protocol"),
    "V1Container.volumeMounts": ("mountPath",),
    "V1Container.volumeDevices": ("devicePath",),
    "V1EphemeralContainer.env": ("name",),
    "V1EphemeralContainer.ports": ("containerPort", "protocol"),
    "V1EphemeralContainer.volumeMounts": ("mountPath",),
    "V1EphemeralContainer.volumeDevices": ("devicePath",),
    "V1ServiceSpec.ports": ("port", "protocol"),
    "V1ServiceAccount.secrets": ("name",),
    "V1ServiceAccount.imagePullSecrets": (),
    "V1NodeStatus.addresses": ("type",),
    "V1ResourceRequirements.claims": ("name",),
    "V1PodStatus.resourceClaimStatuses": ("name",),
    "V1CSINodeSpec.drivers": ("name",),
    "V1EndpointSlice.ports": (),
}
"""Model and field (or a field of any model) to the fields that identify an item; an empty tuple means atomic."""

SETS = frozenset({
    "V1NodeSpec.podCIDRs",
    "V1PersistentVolumeClaimStatus.allocatedResourceStatuses",
    "V1CSINodeDriver.topologyKeys",
})  # fmt: skip

ATOMIC_MAPS = frozenset({
    "V1LabelSelector",
    "V1NodeSelector",
    "V1NodeSelectorTerm",
    "V1LocalObjectReference",
    "V1ObjectReference",
    "V1TypedLocalObjectReference",
    "V1ConfigMapKeySelector",
    "V1SecretKeySelector",
    "V1ObjectFieldSelector",
    "V1ResourceFieldSelector",
    "V1SecretReference",
    "V1RoleRef",
    "V1Subject",
    "V1TopologySelectorTerm",
    "V1OwnerReference",
    "V1ServiceSpec.selector",
    "V1PodSpec.nodeSelector",
    "V1PersistentVolumeSpec.claimRef",
})  # fmt: skip
"""Models, and fields of models, that change as a whole."""

QUANTITIES = frozenset({
    "V1ResourceRequirements.limits",
    "V1ResourceRequirements.requests",
    "V1VolumeResourceRequirements.limits",
    "V1VolumeResourceRequirements.requests",
    "V1PersistentVolumeSpec.capacity",
    "V1PersistentVolumeClaimStatus.capacity",
    "V1PersistentVolumeClaimStatus.allocatedResources",
    "V1NodeStatus.capacity",
    "V1NodeStatus.allocatable",
    "V1PodSpec.overhead",
    "V1EmptyDirVolumeSource.sizeLimit",
    "V1ResourceFieldSelector.divisor",
    "V1ResourceQuotaSpec.hard",
    "V1ResourceQuotaStatus.hard",
    "V1ResourceQuotaStatus.used",
    "V1LimitRangeItem.max",
    "V1LimitRangeItem.min",
    "V1LimitRangeItem.default",
    "V1LimitRangeItem.defaultRequest",
    "V1LimitRangeItem.maxLimitRequestRatio",
})  # fmt: skip
"""Fields whose values are quantities: numbers or strings."""

INT_OR_STRING = frozenset({"port", "targetPort", "maxSurge", "maxUnavailable", "minAvailable"})
"""Fields that take a number or a string where the models say nothing."""

MODELS: dict[tuple[str, str], str] = {
    ("autoscaling", "HorizontalPodAutoscaler"): "V2HorizontalPodAutoscaler",
    ("", "Event"): "CoreV1Event",
    ("events.k8s.io", "Event"): "EventsV1Event",
    ("authentication.k8s.io", "TokenRequest"): "AuthenticationV1TokenRequest",
}
"""Kinds whose model is not called `V1<kind>`."""
