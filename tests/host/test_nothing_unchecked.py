"""What a function may not read it tells as unchecked: where it may read all that it asks for, nothing is."""

from __future__ import annotations

from tests.host.driver import Driver, cluster_request


def test_of_a_creation_nothing_is_left_unchecked(driver: Driver) -> None:
    previewed = driver.send("POST", "/api/clusters?dry_run=true", cluster_request("t1"))
    assert previewed.status == 200
    assert [each for each in previewed.body["findings"] if each["message"].startswith("unchecked")] == []
    assert driver.post("/api/clusters", cluster_request("t1"))["stages"][0]["name"] != "preflight"


def test_of_quotas_nothing_is_unknown(driver: Driver) -> None:
    told = driver.get("/api/catalog/quotas")
    assert told["unknown"] == []
    assert {quota["used"] for quota in told["quotas"]} - {None}
