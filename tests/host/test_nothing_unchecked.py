"""What a function may not read it tells as unchecked: where it may read all that it asks for, nothing is."""

from __future__ import annotations

from tests.host.driver import Driver, Json, cluster_request

# Of this type no release knows the code of its quota: it has to be looked for.
UNLISTED = "ml.c5.4xlarge"


def request() -> Json:
    wanted = cluster_request("t1")
    wanted["hyperpod"]["system_group"] = {"instance_type": UNLISTED}
    return wanted


def test_of_a_creation_nothing_is_left_unchecked(driver: Driver) -> None:
    previewed = driver.send("POST", "/api/clusters?dry_run=true", request())
    assert previewed.status == 200
    assert [each for each in previewed.body["findings"] if each["message"].startswith("unchecked")] == []
    assert driver.post("/api/clusters", request())["stages"][0]["name"] != "preflight"


def test_of_quotas_nothing_is_unknown(driver: Driver) -> None:
    told = driver.get(f"/api/catalog/quotas?instance_types={UNLISTED}")
    assert told["unknown"] == []
    assert f"{UNLISTED} for cluster usage" in {quota["name"] for quota in told["quotas"]}
