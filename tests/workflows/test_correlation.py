"""CloudTrail tells which operation a call was made for: the session's name is the operation's id."""

from __future__ import annotations

from collections import Counter, defaultdict

from infra.local.faults import HOST_ROLE, Call, Fault, Kind
from infra.local.host import LocalHost
from infra.topology import TOPOLOGY
from tests.host.driver import Driver, cluster_request, stage_of

STORAGE = "/api/clusters/ready/storage"
CLAIM = "GET persistentvolumeclaims"
# What a creation asks of AWS beside the ledger; moto and simulators among themselves use the host's own role.
SERVICES = {"cloudformation", "ec2", "eks", "iam", "sagemaker", "s3", "sts"}
ACTING = [function.name for function in TOPOLOGY.functions if function.acts_for_operations]


def of_stages(call: Call) -> bool:
    return any(f"function-{name}-" in call.role for name in ACTING)


def of_aws(calls: list[Call]) -> list[Call]:
    """What stages ask of AWS, but the ledger and the clusters."""
    return [call for call in calls if of_stages(call) and call.service not in ("dynamodb", "kubernetes", "helm")]


def test_every_call_of_a_creation_is_made_in_the_session_of_its_operation(driver: Driver) -> None:
    heard: list[Call] = []
    with driver.host.faults.overheard(heard.append):
        first = driver.post("/api/clusters", cluster_request("one"))["operation_id"]
        second = driver.post("/api/clusters", {"tag": "two"})["operation_id"]
        assert [driver.finish(each)["status"] for each in (first, second)] == ["SUCCEEDED"] * 2
    found: dict[str, set[str]] = defaultdict(set)
    for call in of_aws(heard):
        found[call.session].add(call.service)
    # A session is begun in the function's own; no other call is made there.
    assert {call.operation for call in of_aws(heard) if call.session == "local"} == {"AssumeRole"}
    assert found.keys() == {"local", first, second}
    assert found[first] == SERVICES
    assert found[second] <= SERVICES
    # The clusters' audit logs tell the same: who signs in there came out of an operation's session.
    doors = [call for call in heard if call.service == "kubernetes" and HOST_ROLE not in call.role]
    assert doors
    assert {call.session for call in doors} == {first}
    begun = Counter(call.role for call in of_aws(heard) if call.session == "local")
    assert max(begun.values()) == 2, "a function assumes its role once for each operation"


def test_the_ledger_is_written_by_the_functions_own_roles(driver_of_ready: Driver) -> None:
    heard: list[Call] = []
    with driver_of_ready.host.faults.overheard(heard.append):
        operation = driver_of_ready.run(STORAGE)
    assert {call.session for call in heard if call.service == "dynamodb" and of_stages(call)} == {"local"}
    assert operation["status"] == "SUCCEEDED"


def test_a_session_is_begun_anew_five_minutes_before_it_ends(driver_of_ready: Driver) -> None:
    driver = driver_of_ready
    begun_sessions = Fault("sts", "AssumeRole", Kind.THROTTLE, first=1_000, role="function-stages_workloads")
    with driver.host.faults.planned(begun_sessions), driver.host.schedules_held():
        throttled = Fault("kubernetes", CLAIM, Kind.THROTTLE, times=1_000, role="instantstart-kubernetes-")
        with driver.host.faults.planned(throttled):
            operation_id = driver.post(STORAGE)["operation_id"]
            driver.sleep(54 * 60)
            before = begun_sessions.seen
            driver.sleep(8 * 60)
        assert driver.finish(operation_id)["status"] == "SUCCEEDED"
    # Four tokens of fourteen minutes and one session; then one more of each.
    assert (before, begun_sessions.seen) == (5, 7)


def test_a_stage_whose_session_is_refused_fails_with_that_cause_and_makes_no_call(driver_of_ready: Driver) -> None:
    heard: list[Call] = []
    denied = Fault("sts", "AssumeRole", Kind.DENY, times=1_000, role="function-stages_workloads")
    with driver_of_ready.host.faults.overheard(heard.append):
        operation = driver_of_ready.failing(STORAGE, None, denied)
    cause = stage_of(operation, "mount:s3-claim")["error"]["cause"]
    assert (operation["status"], cause["service"], cause["api_call"]) == ("FAILED", "sts", "AssumeRole")
    calls = [call for call in of_aws(heard) if "stages_workloads-" in call.role]
    assert {call.operation for call in calls} == {"AssumeRole"}


def test_only_functions_that_act_for_operations_may_assume_their_own_role(session_host: LocalHost) -> None:
    acting = {name for name, role in session_host.deployed.function_roles.items() if _trusts_itself(session_host, role)}
    assert acting == set(ACTING)


def _trusts_itself(host: LocalHost, role: str) -> bool:
    document = host.client("iam").get_role(RoleName=role.rpartition("/")[2])["Role"]["AssumeRolePolicyDocument"]
    return role in str(document)
