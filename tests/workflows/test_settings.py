"""A change of company tags reaches the clusters that cost money, and no repair or upgrade takes it back."""

from __future__ import annotations

import pytest

from functions.catalog import rules as catalog
from tests.host.by_hand import ByHand, told
from tests.host.driver import Driver, Json, statuses

PATH = "/api/clusters/ready"
STACK = "instantstart-ready"


@pytest.fixture
def hand(driver_of_ready: Driver) -> ByHand:
    return ByHand(driver_of_ready, "ready")


def test_company_tags_come_and_go_on_the_clusters_of_eks_and_hyperpod(hand: ByHand) -> None:
    tag(hand.driver, **{"cost-center": "42", "team": "ml"})
    tag(hand.driver, team="research")

    sagemaker = hand.aws("sagemaker")
    arn = sagemaker.describe_cluster(ClusterName=hand.hyperpod)["ClusterArn"]
    hyperpod = {tag["Key"]: tag["Value"] for tag in sagemaker.list_tags(ResourceArn=arn)["Tags"]}
    for tags in (of_eks(hand), hyperpod):
        assert (tags["team"], tags["instantstart:cluster"]) == ("research", "ready")
        assert "cost-center" not in tags


def test_what_is_made_later_has_the_company_tags_from_the_beginning(driver_of_ready: Driver) -> None:
    spec = driver_of_ready.get(PATH)["spec"]
    assert (spec["company_tags"], spec["owner_groups"], spec["origin"]) == ({}, [], "created")


def test_company_tags_that_were_changed_are_no_drift_and_are_what_a_repair_brings(hand: ByHand) -> None:
    driver = hand.driver
    tag(driver, team="ml", owner="ann")
    rename(hand, Name="mine")
    assert told(hand.detected()) == {("AWS::EC2::VPC", "/Tags/0/Value")}
    changed(driver, "repair")
    assert {"team": "ml", "owner": "ann"}.items() <= of_eks(hand).items()
    assert {"team": "ml", "owner": "ann"}.items() <= of_vpc(hand).items()
    # The stack has them by now, and expects them of what it has made.
    tag(driver, team="research")
    assert (told(hand.detected()), hand.in_sync()) == (set(), ("True", "InSync"))
    rename(hand, Name="mine")
    hand.detected()
    changed(driver, "repair")
    for tags in (of_eks(hand), of_vpc(hand), of_stack(hand)):
        assert (tags["team"], tags["instantstart:cluster"]) == ("research", "ready")
        assert "owner" not in tags
    assert (told(hand.detected()), of_vpc(hand)["Name"]) == (set(), STACK)


def test_company_tags_that_somebody_changed_by_hand_are_told_by_what_is_wanted(hand: ByHand) -> None:
    # What comes back from before is as wrong as anything else, though the stack had it by then.
    for wanted, written in (("ml", "mine"), ("research", "ml")):
        tag(hand.driver, team=wanted)
        eks = hand.aws("eks")
        eks.tag_resource(resourceArn=eks.describe_cluster(name=hand.eks)["cluster"]["arn"], tags={"team": written})
        [found] = hand.detected()["drifts"]
        assert (found["kind"], found["property"]) == ("AWS::EKS::Cluster", "tag team")
        assert (found["expected"], found["actual"]) == (wanted, written)
        changed(hand.driver, "repair")
        assert (of_eks(hand)["team"], told(hand.detected())) == (wanted, set())


def test_an_upgrade_brings_no_former_company_tags_back(hand: ByHand, monkeypatch: pytest.MonkeyPatch) -> None:
    # The simulated EKS offers one version more than HyperPod's table has.
    monkeypatch.setattr(catalog, "HYPERPOD_KUBERNETES_VERSIONS", (*catalog.HYPERPOD_KUBERNETES_VERSIONS, "1.35"))
    tag(hand.driver, team="ml", owner="ann")
    rename(hand, Name="mine")
    hand.detected()
    changed(hand.driver, "repair")
    tag(hand.driver, team="research")
    changed(hand.driver, "upgrade")
    for tags in (of_eks(hand), of_vpc(hand), of_stack(hand)):
        assert (tags["team"], "owner" in tags) == ("research", False)


def test_a_tag_that_others_put_on_the_stack_is_no_drift_and_stays(hand: ByHand) -> None:
    tag(hand.driver, team="ml")
    retag(hand, backup="daily")
    assert told(hand.detected()) == set()
    rename(hand, Name="mine", backup="weekly")
    assert told(hand.detected()) == {("AWS::EC2::VPC", "/Tags/0/Value")}
    changed(hand.driver, "repair")
    for tags in (of_stack(hand), of_vpc(hand)):
        assert (tags["team"], tags["backup"], tags["instantstart:cluster"]) == ("ml", "daily", "ready")


def tag(driver: Driver, **tags: str) -> None:
    operation = driver.run(PATH, {"company_tags": tags}, method="PATCH")
    assert operation["status"] == "SUCCEEDED", operation["error"]


def changed(driver: Driver, way: str) -> None:
    """Repair or upgrade as the preview has it."""
    digest = driver.preview(f"{PATH}/{way}", method="POST")["preview"]["digest"]
    operation = driver.run(f"{PATH}/{way}?confirm={digest}")
    assert operation["status"] == "SUCCEEDED", (statuses(operation), operation["error"])


def of_eks(hand: ByHand) -> Json:
    tags: Json = hand.aws("eks").describe_cluster(name=hand.eks)["cluster"]["tags"]
    return tags


def of_stack(hand: ByHand) -> Json:
    stack = hand.aws("cloudformation").describe_stacks(StackName=STACK)["Stacks"][0]
    return {each["Key"]: each["Value"] for each in stack["Tags"]}


def of_vpc(hand: ByHand) -> Json:
    [vpc] = hand.aws("ec2").describe_vpcs(VpcIds=[hand.outputs()["VpcId"]])["Vpcs"]
    return {each["Key"]: each["Value"] for each in vpc["Tags"]}


def retag(hand: ByHand, **tags: str) -> None:
    """Add tags to the stack as somebody at a console would."""
    cloudformation = hand.aws("cloudformation")
    stack = cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]
    cloudformation.update_stack(
        StackName=STACK,
        UsePreviousTemplate=True,
        Parameters=[{"ParameterKey": each["ParameterKey"], "UsePreviousValue": True} for each in stack["Parameters"]],
        Capabilities=["CAPABILITY_NAMED_IAM"],
        Tags=[*stack["Tags"], *({"Key": key, "Value": value} for key, value in tags.items())],
    )
    hand.driver.sleep(600)


def rename(hand: ByHand, **tags: str) -> None:
    """Write tags on the VPC as somebody at a console would."""
    written = [{"Key": key, "Value": value} for key, value in tags.items()]
    hand.aws("ec2").create_tags(Resources=[hand.outputs()["VpcId"]], Tags=written)
