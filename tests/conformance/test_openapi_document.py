"""The running host answers what its own OpenAPI document promises."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.conformance.conftest import Answer, Json, LocalRun


@pytest.fixture(scope="session")
def document(local_run: LocalRun) -> Json:
    answer = local_run.send("GET", "/openapi.json")
    assert answer.status == 200
    return answer.body


def promised(document: Json, operation_id: str, status: int) -> Json:
    """The content that an operation promises for a status."""
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    operation = next(each for each in operations if each["operationId"] == operation_id)
    response = operation["responses"][str(status)]
    if reference := response.get("$ref"):
        response = document["components"]["responses"][reference.rpartition("/")[2]]
    content: Json = response["content"]
    return content


def agree(document: Json, operation_id: str, answer: Answer) -> None:
    schema: dict[str, Any] = promised(document, operation_id, answer.status)[answer.media]["schema"]
    Draft202012Validator({**schema, "components": document["components"]}).validate(answer.body)


@pytest.mark.parametrize(
    ("operation_id", "path"),
    [
        ("list_clusters", "/clusters"),
        ("get_cluster", "/clusters/{cluster_tag}"),
        ("get_diagnosis", "/clusters/{cluster_tag}/diagnosis"),
        ("list_operations", "/operations"),
        ("get_operation", "/operations/{operation_id}"),
        ("get_operation_audit", "/operations/{operation_id}/audit"),
        ("get_active_cluster", "/preferences/active_cluster"),
        ("list_regions", "/catalog/regions"),
        ("list_availability_zones", "/catalog/availability_zones?instance_types=ml.p5.48xlarge"),
        ("list_instance_types", "/catalog/instance_types?accelerated=true"),
        ("get_instance_type", "/catalog/instance_types/ml.p5.48xlarge"),
        ("list_training_plans", "/catalog/training_plans"),
        ("list_training_plan_offerings", "/catalog/training_plan_offerings?instance_type=ml.p5.48xlarge"),
        ("list_quotas", "/catalog/quotas?instance_types=ml.p5.48xlarge"),
        ("get_cidr_suggestion", "/catalog/cidr_suggestion"),
        ("list_importable_clusters", "/catalog/importable_clusters"),
        ("list_kubernetes_versions", "/catalog/kubernetes_versions"),
    ],
)
def test_what_is_read_has_the_promised_form(
    local_run: LocalRun, document: Json, created: Json, operation_id: str, path: str
) -> None:
    answer = local_run.send("GET", path.format(**created))
    assert answer.status == 200
    agree(document, operation_id, answer)


def test_what_is_begun_has_the_promised_form(local_run: LocalRun, document: Json, created: Json) -> None:
    answer = local_run.send("POST", f"/clusters/{created['cluster_tag']}/dependencies", {})
    assert answer.status == 202
    agree(document, "configure_dependencies", answer)


@pytest.mark.parametrize(
    ("operation_id", "method", "path", "body", "status"),
    [
        ("create_cluster", "POST", "/clusters", {"tag": "Not A Tag"}, 400),
        ("get_cluster", "GET", "/clusters/nobody", None, 404),
        ("get_diagnosis", "GET", "/clusters/{cluster_tag}/diagnosis?areas=weather", None, 400),
        ("retry_operation", "POST", "/operations/{operation_id}/retry", None, 409),
        ("get_operation", "GET", "/operations/nothing", None, 404),
    ],
)
def test_a_refusal_has_the_promised_form(
    local_run: LocalRun,
    document: Json,
    created: Json,
    operation_id: str,
    method: str,
    path: str,
    body: Json | None,
    status: int,
) -> None:
    answer = local_run.send(method, path.format(**created), body)
    assert answer.status == status
    agree(document, operation_id, answer)


def test_the_same_key_with_another_body_has_the_promised_form(local_run: LocalRun, document: Json) -> None:
    key = {"Idempotency-Key": "one"}
    assert local_run.send("POST", "/clusters", {"tag": "keyed"}, **key).status == 202
    answer = local_run.send("POST", "/clusters", {"tag": "other"}, **key)
    assert answer.status == 422
    agree(document, "create_cluster", answer)
