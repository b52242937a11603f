"""What the tests of imports have in common: requests, what was called, what is in a foreign cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from infra.local.demo.foreign import Foreign, Maker, Network
from infra.local.faults import Call
from tests.host.driver import Driver, Json
from tests.workflows.reused import role

IMPORT = "/api/clusters/import"
RESEARCH = "research"
LEGACY = "legacy-1"
ADMIN = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-kubernetes-admin-us-west-2"
OPERATOR = "arn:aws:iam::123456789012:role/instantstart/us-west-2/instantstart-kubernetes-operator-us-west-2"
BUCKET = f"sagemaker-{LEGACY}-123456789012"
LET_IN = {"create_access_entry": True}
MOVED = {"move_authentication_mode": True, "create_access_entry": True}
# What only the control plane itself is made of.
_OWN = ("dynamodb", "stepfunctions", "lambda", "sts")
_READS = ("Describe", "List", "Get", "Head", "GET ")


def imported(driver: Driver, name: str = RESEARCH, **members: object) -> Json:
    """Import a cluster and expect that it goes well."""
    operation = driver.run(IMPORT, {"eks_cluster_name": name, **members})
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return operation


def forgetting(driver: Driver, tag: str = RESEARCH, **members: object) -> Json:
    """The preview of a cluster's forgetting."""
    answer = driver.send("POST", f"/api/clusters/{tag}/forget?dry_run=true", members)
    assert answer.status == 200, answer
    preview: Json = answer.body["preview"]
    return preview


def forgotten(driver: Driver, tag: str = RESEARCH, **members: object) -> Json:
    """Let a cluster be forgotten, confirmed by its own preview, and expect that it goes well."""
    digest = forgetting(driver, tag, **members)["digest"]
    operation = driver.run(f"/api/clusters/{tag}/forget?confirm={digest}", members)
    assert operation["status"] == "SUCCEEDED", operation["error"]
    return operation


def conditions(driver: Driver, tag: str = RESEARCH) -> dict[str, str]:
    """The conditions of a cluster by type."""
    return {each["type"]: each["status"] for each in driver.get(f"/api/clusters/{tag}")["conditions"]}


def condition(driver: Driver, kind: str, tag: str = RESEARCH) -> Json:
    """A condition of a cluster."""
    found: list[Json] = driver.get(f"/api/clusters/{tag}")["conditions"]
    return next(each for each in found if each["type"] == kind)


def component(driver: Driver, kind: str, name: str, tag: str = RESEARCH) -> Json:
    """A component of a cluster as it was detected."""
    found: list[Json] = driver.get(f"/api/clusters/{tag}")["detected"]["components"]
    return next(each for each in found if (each["kind"], each["name"]) == (kind, name))


def entries(driver: Driver, name: str) -> set[str]:
    """Our roles that have an access entry."""
    listed = driver.host.client("eks").list_access_entries(clusterName=name)["accessEntries"]
    return {ADMIN, OPERATOR} & set(listed)


@contextmanager
def changes_heard(driver: Driver) -> Iterator[list[Call]]:
    """Hear every call by which functions change AWS or a cluster."""
    heard: list[Call] = []

    def listen(call: Call) -> None:
        review = call.operation == "POST selfsubjectaccessreviews"
        if "function-" not in call.role and call.service != "kubernetes":
            return
        if call.service not in _OWN and not call.operation.startswith(_READS) and not review:
            heard.append(call)

    with driver.host.faults.overheard(listen):
        yield heard


def foreign(driver: Driver, name: str) -> Foreign:
    """A foreign cluster as its maker knows it, read back from AWS."""
    maker = Maker(driver.host)
    cluster = maker.client("eks").describe_cluster(name=name)["cluster"]
    network = cluster["resourcesVpcConfig"]
    group = network["securityGroupIds"][0]
    private = network["subnetIds"]
    role = f"arn:aws:iam::123456789012:role/{name}-nodes"
    placed = Network(network["vpcId"], (private[0], private[1]), "", group)
    return Foreign(name, cluster["arn"], placed, role, f"sagemaker-{name}-123456789012")


def execution_role(driver: Driver) -> str:
    """Make a role that HyperPod's instances can run with and that the control plane may hand over."""
    actions = ["ec2:*", "ecr:*", "eks-auth:*", "logs:*"]
    return role(driver, "sagemaker.amazonaws.com", {"*": actions}, ("AmazonSageMakerClusterInstanceRolePolicy",))
