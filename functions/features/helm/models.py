"""The values of the charts we install, by the keys of the charts themselves."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class _Values(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Toggle(_Values):
    """A part of a chart that is on or off."""

    enabled: bool


class DevicePlugin(_Values):
    """A device plugin: its part of the chart nests the switch."""

    device_plugin: Toggle = Field(serialization_alias="devicePlugin")


class InstanceTypes(_Values):
    """The instance types that a plugin's pods are placed on."""

    values: tuple[str, ...]


class EfaDevicePlugin(DevicePlugin):
    """The EFA plugin, and where it may run: on other nodes it fails again and again.

    Source: stable/aws-efa-k8s-device-plugin/values.yaml of aws/eks-charts. The list of the HyperPod chart's own names
    types without EFA.
    """

    instance_types: InstanceTypes = Field(serialization_alias="supportedInstanceLabels")


class Global(_Values):
    """What every part of the chart reads."""

    region: str


ON, OFF = Toggle(enabled=True), Toggle(enabled=False)
PLUGGED = DevicePlugin(device_plugin=ON)


class DependenciesValues(_Values):
    """Values of the HyperPod dependencies chart: device plugins, health agent and patching, no operators.

    Operators are features of their own. Source: helm_chart/HyperPodHelmChart/values.yaml of aws/sagemaker-hyperpod-cli.
    """

    everywhere: Global = Field(serialization_alias="global")
    nvidia_device_plugin: DevicePlugin = Field(PLUGGED, serialization_alias="nvidia-device-plugin")
    efa_device_plugin: EfaDevicePlugin = Field(serialization_alias="aws-efa-k8s-device-plugin")
    neuron_device_plugin: DevicePlugin = Field(PLUGGED, serialization_alias="neuron-device-plugin")
    health_monitoring_agent: Toggle = Field(ON, serialization_alias="health-monitoring-agent")
    deep_health_check: Toggle = Field(ON, serialization_alias="deep-health-check")
    hyperpod_patching: Toggle = Field(ON, serialization_alias="hyperpod-patching")
    job_auto_restart: Toggle = Field(OFF, serialization_alias="job-auto-restart")
    training_operators: Toggle = Field(OFF, serialization_alias="trainingOperators")
    mpi_operator: Toggle = Field(OFF, serialization_alias="mpi-operator")
    kuberay: Toggle = OFF
    inference_operators: Toggle = Field(OFF, serialization_alias="inferenceOperators")
    cert_manager: Toggle = Field(OFF, serialization_alias="cert-manager")
    mlflow: Toggle = OFF
    storage: Toggle = OFF
    gpu_operator: Toggle = Field(OFF, serialization_alias="gpu-operator")


class Chart(_Values):
    """A chart as the release ships it."""

    version: str
    key: str
    sha256: str
    namespace: str
