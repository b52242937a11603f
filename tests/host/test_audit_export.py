"""The schedule of the audit's export, on the host that is built from the topology."""

from __future__ import annotations

import json

from infra.topology import AUDIT_BUCKET, TOPOLOGY
from tests.host.driver import Driver

DAY = 24 * 3600


def test_what_was_done_yesterday_lies_in_the_deployments_audit_bucket(driver: Driver) -> None:
    begun = driver.post("/api/clusters", {"tag": "base"})
    [schedule] = [each for each in TOPOLOGY.schedules if each.function == "audit"]
    with driver.host.schedules_held():
        driver.sleep(DAY + schedule.every_seconds)
    answered = driver.host.functions.invoke("audit", {"source": "schedule", "action": schedule.payload})
    # As many days have finished as the clock says; what was done is in the file of its own.
    day = begun["created_at"][:10]
    assert day in json.loads(answered.payload)["exported"]
    s3, bucket = driver.host.client("s3"), driver.host.deployed.environment[AUDIT_BUCKET.variable]
    file = s3.get_object(Bucket=bucket, Key=f"audit/{day.replace('-', '/')}.jsonl")["Body"].read()
    assert [json.loads(line)["operation_id"] for line in file.splitlines()] == [begun["operation_id"]]
    rules = s3.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    assert [rule["Expiration"]["Days"] for rule in rules] == [AUDIT_BUCKET.keep_days]
