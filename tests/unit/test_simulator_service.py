from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

import pytest
from botocore import xform_name
from botocore.exceptions import ClientError

from infra.local.messages import HttpRequest, HttpResponse
from infra.local.simulators import moto_codec
from infra.local.simulators.eks_catalog import ADDONS, VERSIONS
from infra.local.simulators.instance_facts import instance_facts
from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest, refuse_unverified
from infra.local.simulators.validation import compiled
from tests.unit.test_simulator_service_helpers import ACCOUNT, ADMIN, REGION, Clock, client_of, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FACTS = Path(os.environ.get("SHARED_FACTS", Path(__file__).parents[2].parent / "shared" / "facts"))
SIMULATED = ("CreateCluster", "CreateAddon", "CreateAccessEntry", "CreatePodIdentityAssociation", "ListClusterEvents")


class Echo(Service):
    """A service that answers every operation of its model with what the test put there."""

    name: ClassVar[str] = "sagemaker"

    def __init__(self) -> None:
        super().__init__(Clock(), ACCOUNT, REGION)
        self.records: dict[str, Any] = {"calls": []}
        self.answer: JsonObject | ServiceError = {}
        self.settled = 0

    def settle(self) -> None:
        self.settled += 1

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        return dict.fromkeys(moto_codec.service_model(self.name).operation_names, self._echo)

    def _echo(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        self.records["calls"].append(params)
        if isinstance(self.answer, ServiceError):
            raise self.answer
        return self.answer


class Silent(Echo):
    """A service that simulates no operation at all."""

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        return {}


class EksEcho(Echo):
    name: ClassVar[str] = "eks"
    validation_code: ClassVar[str] = "InvalidParameterException"


class CloudFormationEcho(Echo):
    name: ClassVar[str] = "cloudformation"
    validation_code: ClassVar[str] = "ValidationError"


class LambdaEcho(Echo):
    name: ClassVar[str] = "lambda"


def post(service: Service, operation: str, body: object) -> tuple[int, dict[str, Any]]:
    headers = {"x-amz-target": f"SageMaker.{operation}", "content-type": "application/x-amz-json-1.1"}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = handle(service, HttpRequest("POST", "/", headers=headers, body=content))
    return answer.status, json.loads(answer.body)


def handle(service: Service, request: HttpRequest) -> HttpResponse:
    return service.handle(ServiceRequest(request, REGION, ADMIN))


def test_records_are_brought_up_to_the_clock_before_each_operation() -> None:
    service = Echo()
    service.answer = {"ClusterSummaries": []}
    client_of(service).list_clusters()
    assert service.settled == 1
    assert service.records["calls"] == [{}]


def test_a_json_service_answers_with_its_model_types() -> None:
    service = Echo()
    service.answer = {
        "ClusterArn": f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:cluster/aaaaaaaaaaaa",
        "ClusterStatus": "InService",
        "CreationTime": service.now(),
        "InstanceGroups": [],
    }
    answer = client_of(service).describe_cluster(ClusterName="demo")
    assert answer["CreationTime"] == service.now()
    assert answer["ResponseMetadata"]["RequestId"]


def test_an_unlisted_operation_is_unverified_and_an_unknown_one_unknown() -> None:
    status, body = post(Silent(), "CreateMlflowApp", {})
    assert (status, body["__type"]) == (501, "UnverifiedOperation")
    assert "unverified" in body["message"] and "CreateMlflowApp" in body["message"]
    assert post(Echo(), "Dance", {})[1]["__type"] == "UnknownOperationException"


def test_members_that_are_not_simulated_are_refused_by_name() -> None:
    refuse_unverified({"known": 1, "absent": None}, {"known"})
    with pytest.raises(ServiceError, match="unverified: input member other") as caught:
        refuse_unverified({"known": 1, "other": False}, {"known"})
    assert caught.value.code == "UnverifiedOperation"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"ClusterName": "demo", "Color": "blue"}, "Value 'blue' at 'color' failed to satisfy constraint"),
        ({"ClusterName": "_"}, "Value '_' at 'clusterName' failed to satisfy constraint: Member must satisfy regular"),
        ({}, "Value null at 'clusterName' failed to satisfy constraint: Member must not be null"),
        ({"ClusterName": 5}, "Value at 'clusterName' has the wrong JSON type"),
        ({"ClusterName": "a" * 300}, "Member must have length less than or equal to 256"),
    ],
)
def test_a_request_that_breaks_the_model_is_refused_in_awss_words(body: JsonObject, says: str) -> None:
    service = Echo()
    status, answer = post(service, "DescribeCluster", body)
    assert (status, answer["__type"]) == (400, "ValidationException")
    assert answer["message"].startswith("1 validation error detected: ")
    assert says in answer["message"]
    assert service.records["calls"] == []


def test_a_body_that_is_not_json_is_refused() -> None:
    assert post(Echo(), "DescribeCluster", b"{")[1]["__type"] == "SerializationException"


def test_modelled_errors_carry_their_status_and_members() -> None:
    service = EksEcho()
    service.answer = ServiceError("ResourceNotFoundException", "No cluster found for name: x.", clusterName="x")
    client = client_of(service)
    with pytest.raises(ClientError) as caught:
        client.describe_cluster(name="x")
    response: JsonObject = dict(caught.value.response)
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 404
    assert response["clusterName"] == "x"


def test_an_arn_in_the_middle_of_a_path_is_one_label() -> None:
    service, role = EksEcho(), f"arn:aws:iam::{ACCOUNT}:role/instantstart/a"
    service.answer = {"clusterName": "demo"}
    client = client_of(service)
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    scope = {"type": "cluster"}
    client.associate_access_policy(clusterName="demo", principalArn=role, policyArn=policy, accessScope=scope)
    client.describe_access_entry(clusterName="demo", principalArn=role)
    client.list_access_entries(clusterName="demo", maxResults=5)
    first, second, third = service.records["calls"]
    assert first == {"clusterName": "demo", "principalArn": role, "policyArn": policy, "accessScope": scope}
    assert second == {"clusterName": "demo", "principalArn": role}
    assert third == {"clusterName": "demo", "maxResults": 5}


def test_a_query_service_speaks_xml() -> None:
    service = CloudFormationEcho()
    service.answer = {
        "Stacks": [{"StackName": "a<b", "CreationTime": service.now(), "StackStatus": "CREATE_COMPLETE", "Tags": []}]
    }
    stack = client_of(service).describe_stacks(StackName="demo")["Stacks"][0]
    assert (stack["StackName"], stack["CreationTime"]) == ("a<b", service.now())
    assert service.records["calls"] == [{"StackName": "demo"}]
    service.answer = ServiceError("ValidationError", "Stack with id a<b does not exist")
    assert refused("ValidationError", client_of(service).describe_stacks, StackName="demo") == service.answer.message


def test_a_query_service_refuses_fields_and_values_outside_the_model() -> None:
    service = CloudFormationEcho()
    create = client_of(service).create_stack
    service.answer = {"StackId": "arn:aws:cloudformation:us-east-1:123456789012:stack/demo/1"}
    parameters = [{"ParameterKey": "a", "ParameterValue": ""}]
    create(StackName="demo", Parameters=parameters, Capabilities=["CAPABILITY_IAM"], DisableRollback=True)
    assert service.records["calls"][0]["Parameters"] == parameters
    message = refused("ValidationError", create, StackName="demo", TimeoutInMinutes=0)
    assert "Value '0' at 'timeoutInMinutes' failed to satisfy constraint: Member must have value greater" in message
    refused("ValidationError", create, StackName="demo", Capabilities=["CAPABILITY_ALL"])
    form = urlencode({"Action": "DescribeStacks", "Version": "2010-05-15", "StackName": "demo", "Color": "blue"})
    answer = handle(service, HttpRequest("POST", "/", body=form.encode()))
    assert (answer.status, b"ValidationError" in answer.body, b"Color" in answer.body) == (400, True, True)


def test_a_blob_payload_is_not_read_as_json() -> None:
    service = LambdaEcho()
    service.answer = {"StatusCode": 200, "Payload": b'{"ok":true}'}
    answer = client_of(service).invoke(FunctionName="f", Payload=b"not json")
    assert answer["Payload"].read() == b'{"ok":true}'
    assert service.records["calls"][0]["Payload"] == b"not json"


def test_a_snapshot_restores_what_was_remembered() -> None:
    service = Echo()
    state = service.snapshot()
    service.records["calls"].append("later")
    service.restore(state)
    assert service.records == {"calls": []}


def test_every_pattern_of_the_simulated_services_compiles() -> None:
    for name in ("eks", "sagemaker", "cloudformation", "lambda"):
        model = moto_codec.service_model(name)
        for shape_name in model.shape_names:
            pattern = model.shape_for(shape_name).metadata.get("pattern")
            if pattern:
                compiled(pattern)


def test_unicode_classes_mean_what_they_mean_in_java() -> None:
    tag = compiled(r"([\p{L}\p{Z}\p{N}_.:/=+\-@]*)")
    assert tag.fullmatch("équipe 12") and tag.fullmatch("日本")
    assert not tag.fullmatch("a|b")
    assert compiled(r"([\p{L}]*)${1,128}").fullmatch("abc")


def test_instance_facts_cover_every_type_of_the_model() -> None:
    model = moto_codec.service_model("sagemaker")
    assert set(instance_facts()) == set(model.shape_for("ClusterInstanceType").metadata["enum"])
    p5 = instance_facts()["ml.p5.48xlarge"]
    assert (p5.vcpus_at(1), p5.vcpus_at(2), p5.accelerator_count, p5.efa_count) == (96, 192, 8, 32)
    assert instance_facts()["ml.trn2.48xlarge"].accelerator_resource == "aws.amazon.com/neurondevice"


def test_every_addon_suits_some_offered_version() -> None:
    assert all(any(addon.versions(version) for version in VERSIONS) for addon in ADDONS.values())
    assert set(ADDONS) >= {name for addon in ADDONS.values() for name in addon.requires}


@pytest.mark.skipif(not (FACTS / "data" / "examples").is_dir(), reason="the shared facts are not here")
def test_every_documented_example_is_accepted() -> None:
    accepted = set()
    for path in sorted((FACTS / "data" / "examples").glob("api_*.json")):
        example = json.loads(path.read_text())
        if example["side"] != "request" or example["operation"] not in SIMULATED:
            continue
        service = EksEcho() if example["service"] == "eks" else Echo()
        getattr(client_of(service), xform_name(example["operation"]))(**example["payload"])
        received = {name: value for name, value in service.records["calls"][0].items() if name != "clientRequestToken"}
        assert received == example["payload"], path.name
        accepted.add(example["operation"])
    assert accepted == set(SIMULATED)
