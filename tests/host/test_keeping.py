"""A host that is kept at any moment goes on from there: what had finished stands, what ran is begun anew."""

from __future__ import annotations

import pickle
import threading
from typing import TYPE_CHECKING, Any

from functions.core.signing import SECRETS
from infra.local.images import HostImage, HostSnapshot
from tests.host.driver import Driver, Json, cluster_request, execution_arn

if TYPE_CHECKING:
    import pytest

WHOLE = {
    "stack": 1,
    "eks": 1,
    "addons": 5,
    "access_entries": 3,
    "vpcs": 1,
    "subnets": 5,
    "route_tables": 3,
    "hyperpod": 1,
}


def killed_and_started_again(driver: Driver, empty: HostSnapshot, image: HostImage) -> Driver:
    """End all that runs, forget everything, and be the host of an image that has been on disk."""
    on_disk = pickle.dumps(image)
    driver.stop_everything()
    driver.host.restore(empty)
    driver.host.resume(pickle.loads(on_disk))
    return driver


def standing(operation: Json) -> dict[str, Json]:
    return {stage["name"]: stage for stage in operation["stages"] if stage["status"] == "SUCCEEDED"}


def test_an_unfinished_operation_goes_on_under_its_name_and_makes_nothing_twice(
    driver: Driver, empty_state: HostSnapshot
) -> None:
    begun = driver.post("/api/clusters", cluster_request("t1"))
    before = standing(driver.until(begun["operation_id"], "compute_subnet:us-west-2c", "SUCCEEDED", every=20))
    image = driver.host.image()
    assert [each.name for each in image.unfinished] == [begun["operation_id"]]
    driver.sleep(200)  # what happens now is lost with the host
    killed_and_started_again(driver, empty_state, image)
    operation = driver.finish(begun["operation_id"])
    assert operation["status"] == "SUCCEEDED", operation["error"]
    assert {name: standing(operation)[name] for name in before} == before
    assert driver.made("t1") == WHOLE
    client = driver.host.client("stepfunctions")
    arn = execution_arn("create_cluster", begun["operation_id"])
    assert client.describe_execution(executionArn=arn)["status"] == "SUCCEEDED"


def test_a_host_that_rested_knows_its_clusters_its_pages_and_its_callers_again(
    driver_of_ready: Driver, empty_state: HostSnapshot
) -> None:
    driver = driver_of_ready
    assert driver.send("PUT", "/api/preferences/active_cluster", {"cluster_tag": "ready"}).status == 200
    session = driver.host.identities.assume("arn:aws:iam::123456789012:role/instantstart/x", "somebody")
    cluster, image = driver.get("/api/clusters/ready"), driver.host.image()
    assert image.unfinished == ()
    killed_and_started_again(driver, empty_state, image)
    assert driver.get("/api/clusters/ready") == cluster
    assert driver.get("/api/preferences/active_cluster")["cluster_tag"] == "ready"
    assert driver.host.identities.get(session.access_key) == session
    assert driver.run("/api/clusters/ready/storage")["status"] == "SUCCEEDED"


def test_a_list_is_continued_after_the_rest_with_the_key_that_the_image_holds(
    driver_of_ready: Driver, empty_state: HostSnapshot
) -> None:
    driver, path = driver_of_ready, "/api/clusters/ready/events?limit=1"
    page, image = driver.get(path), driver.host.image()
    killed_and_started_again(driver, empty_state, image)
    assert driver.get(f"{path}&next_token={page['next_token']}")["events"] != page["events"]
    deployed = driver.host.deployed
    client: Any = driver.host.client_of_role("secretsmanager", deployed.function_roles["api"])
    held = client.get_secret_value(SecretId=deployed.environment[SECRETS])
    assert held["SecretString"] == image.page_token_key


def test_an_image_is_taken_while_a_stack_that_moves_on_calls_the_engine(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, made, taken = driver.host.world, list[str](), list[HostImage]()
    settled, place = world.settle, {"LocationConstraint": "us-west-2"}

    def moved_on() -> None:
        if threading.current_thread() is keeper:
            monkeypatch.setattr(world, "settle", settled)
            made.append(f"moved-on-{len(made)}")
            driver.host.client("s3").create_bucket(Bucket=made[-1], CreateBucketConfiguration=place)  # type: ignore[arg-type]
            monkeypatch.setattr(world, "settle", moved_on)
        settled()

    monkeypatch.setattr(world, "settle", moved_on)
    keeper = threading.Thread(target=lambda: taken.append(driver.host.image()), daemon=True)
    keeper.start()
    keeper.join(20)
    assert taken, "the host waits for itself"
    assert made
    assert made[-1].encode() in b"".join(taken[0].engine.values())
