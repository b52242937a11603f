"""A cluster that stands is diagnosed: well, broken by hand one part at a time, and with AWS silent on one part."""

from __future__ import annotations

from ipaddress import IPv4Network

import pytest

from infra.local.faults import Fault, Kind
from tests.host.by_hand import OPERATOR, ByHand
from tests.host.diagnoses import counted, diagnosed, facts, found, unchecked, without, wrong
from tests.host.driver import Driver

TAG = "ready"
# How often each call is made for a cluster of one group, whatever else there is.
CALLS = {
    "dynamodb Query": 2,
    "cloudformation DescribeStacks": 1,
    "eks DescribeCluster": 1,
    "eks ListAddons": 1,
    "eks DescribeAddon": 5,
    "eks DescribeAccessEntry": 3,
    "eks ListAssociatedAccessPolicies": 2,
    "sagemaker DescribeCluster": 1,
    "sagemaker ListClusterEvents": 1,
    "sagemaker ListClusterNodes": 1,
    "ec2 DescribeSubnets": 1,
    "ec2 DescribeRouteTables": 1,
    "ec2 DescribeNatGateways": 1,
    "ec2 DescribeNetworkAcls": 1,
    "ec2 DescribeVpcAttribute": 2,
    "ec2 DescribeVpcEndpoints": 1,
    "ec2 DescribeSecurityGroups": 1,
    "iam GetRole": 1,
    "s3 HeadObject": 1,
    "s3 GetObject": 1,
}
AWS_CALLS = sorted(set(CALLS) - {"dynamodb Query"})


@pytest.fixture
def hand(driver_of_ready: Driver) -> ByHand:
    return ByHand(driver_of_ready, TAG)


def test_nothing_is_wrong_with_a_healthy_cluster_and_its_size_takes_no_more_calls(hand: ByHand) -> None:
    driver = hand.driver
    body, calls = counted(driver, TAG)
    assert ({each["status"] for each in body["checks"]}, wrong(body), body["complete"]) == (
        {"PASS", "INFO"},
        set(),
        True,
    )
    assert (body["cluster_tag"], body["more_checks"], body["counts"]["failed"]) == (TAG, 0, 0)
    assert calls == CALLS
    hand.update_group(InstanceCount=8)
    driver.sleep(1800)
    grown, more = counted(driver, TAG)
    assert facts(found(grown, "node_status")) == {"Running": 8}
    assert (wrong(grown), more) == (set(), calls)


def test_a_cluster_nobody_knows_and_an_area_there_is_not_are_refused(driver_of_ready: Driver) -> None:
    assert driver_of_ready.send("GET", "/api/clusters/nobody/diagnosis").body["code"] == "not_found"
    refused = driver_of_ready.send("GET", f"/api/clusters/{TAG}/diagnosis?areas=network,weather")
    assert (refused.status, refused.fields) == (400, ["areas"])
    assert "network" in refused.body["errors"][0]["allowed"]


def test_one_area_is_looked_at_alone(hand: ByHand) -> None:
    hand.delete_addon()
    hand.delete_compute_route()
    hand.driver.sleep(300)
    body = diagnosed(hand.driver, TAG, "?areas=addons")
    assert {each["area"] for each in body["checks"]} == {"addons"}
    assert wrong(body) == {("addon", "FAIL", "P1")}


def test_a_foundation_alone_lacks_nothing_that_was_asked_for(driver_of_base: Driver) -> None:
    body = diagnosed(driver_of_base, "base")
    assert (wrong(body), body["complete"]) == (set(), True)
    assert found(body, "hyperpod_cluster")["message"] == "nobody asked for a HyperPod cluster"
    assert (found(body, "addon")["status"], found(body, "compute_subnet")["status"]) == ("INFO", "INFO")


# -- the control plane and who gets in


def stand(hand: ByHand, **network: object) -> None:
    """Let the EKS cluster stand otherwise in its network: the simulator does not take this change from a caller."""
    record = hand.driver.host.world.eks.records.clusters[hand.eks]
    record.described["resourcesVpcConfig"] = {**record.described["resourcesVpcConfig"], **network}


@pytest.mark.parametrize(
    ("network", "judged"),
    [
        ({"publicAccessCidrs": ["198.51.100.0/24"]}, ("endpoint_access", "FAIL", "P0")),
        ({"endpointPublicAccess": False}, ("endpoint_access", "FAIL", "P0")),
        ({"endpointPrivateAccess": False}, ("endpoint_access", "WARN", "P1")),
        ({"securityGroupIds": []}, ("security_group_control_plane", "WARN", "P1")),
    ],
)
def test_an_endpoint_that_shuts_somebody_out_is_named(
    hand: ByHand, network: dict[str, object], judged: tuple[str, str, str]
) -> None:
    stand(hand, **network)
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {judged}
    assert hand.eks in body["checks"][0]["message"]


def test_lost_access_entries_of_ours_and_of_the_instances_are_told_by_their_roles(hand: ByHand) -> None:
    hand.delete_access_entry()
    group = hand.group_of()
    hand.aws("eks").delete_access_entry(clusterName=hand.eks, principalArn=group["ExecutionRole"])
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("access_entry", "FAIL", "P0")}
    blamed = {
        each["resource"] for each in body["checks"] if each["check"] == "access_entry" and each["status"] == "FAIL"
    }
    assert blamed == {OPERATOR, group["ExecutionRole"]}


def test_an_execution_role_that_sagemaker_may_not_take_on_is_told_from_one_that_is_gone(hand: ByHand) -> None:
    hand.change_execution_role()
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("execution_role", "FAIL", "P0")}
    check = found(body, "execution_role")
    assert (check["resource"], facts(check)) == (hand.group_of()["ExecutionRole"], {"trusts": "ec2.amazonaws.com"})
    iam, name = hand.aws("iam"), hand.role("execution")
    for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
        iam.delete_role_policy(RoleName=name, PolicyName=policy)
    for each in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
        iam.detach_role_policy(RoleName=name, PolicyArn=each["PolicyArn"])
    iam.delete_role(RoleName=name)
    assert "does not exist" in found(diagnosed(hand.driver, TAG), "execution_role")["message"]


def test_an_addon_that_somebody_removed_is_missed(hand: ByHand) -> None:
    hand.delete_addon()
    hand.driver.sleep(300)
    check = found(diagnosed(hand.driver, TAG), "addon")
    assert (check["status"], check["priority"], check["resource"]) == ("FAIL", "P1", "coredns")


# -- the network


@pytest.mark.case(13)
def test_a_security_group_without_its_self_reference_is_named_with_the_rule_and_the_command(hand: ByHand) -> None:
    hand.change_rule()
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("security_group_self_reference", "FAIL", "P1")}
    check = found(body, "security_group_self_reference")
    assert (check["resource"], facts(check)["from_itself"]) == (hand.group_id(), False)
    assert "authorize-security-group-ingress" in check["remedy"]
    hand.aws("ec2").revoke_security_group_ingress(GroupId=hand.group_id(), SecurityGroupRuleIds=[hand.rule_id()])
    egress = hand.aws("ec2").describe_security_groups(GroupIds=[hand.group_id()])["SecurityGroups"][0]
    hand.aws("ec2").revoke_security_group_egress(GroupId=hand.group_id(), IpPermissions=egress["IpPermissionsEgress"])
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {
        ("security_group_self_reference", "FAIL", "P1"),
        ("security_group_egress", "WARN", "P1"),
    }
    assert "inbound" in found(body, "security_group_self_reference")["message"]
    assert "outbound" in found(body, "security_group_self_reference")["message"]


def test_a_vpc_without_dns_is_named_with_the_commands(hand: ByHand) -> None:
    vpc = hand.compute_subnet()["VpcId"]
    hand.aws("ec2").modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": False})
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("vpc_dns", "FAIL", "P0")}
    check = found(body, "vpc_dns")
    assert (check["resource"], facts(check)) == (vpc, {"dns-support": True, "dns-hostnames": False})
    assert check["remedy"] == f"aws ec2 modify-vpc-attribute --vpc-id {vpc} --enable-dns-hostnames"
    assert check["runbook"] == "diagnose-cluster-creation/dns"


def test_a_network_acl_that_keeps_answers_back_is_named_with_the_command_that_lets_them_in(hand: ByHand) -> None:
    ec2, subnet = hand.aws("ec2"), hand.compute_subnet()
    [acl] = ec2.describe_network_acls(Filters=[{"Name": "association.subnet-id", "Values": [subnet["SubnetId"]]}])[
        "NetworkAcls"
    ]
    rule = {"NetworkAclId": acl["NetworkAclId"], "Protocol": "6", "Egress": False}
    ports = {"From": 1024, "To": 65535}
    ec2.create_network_acl_entry(**rule, RuleNumber=50, RuleAction="deny", CidrBlock="10.9.0.0/16", PortRange=ports)
    assert wrong(diagnosed(hand.driver, TAG)) == {("network_acl", "WARN", "P1")}
    ec2.create_network_acl_entry(**rule, RuleNumber=40, RuleAction="deny", CidrBlock="0.0.0.0/0", PortRange=ports)
    body = diagnosed(hand.driver, TAG)
    # All subnets share it: answers of kubelets are kept from the control plane, too, and the NAT gateway's from there.
    assert wrong(body) == {("network_acl", "FAIL", "P0"), ("network_acl", "FAIL", "P1")}
    told = {each["resource"]: each for each in body["checks"] if each["check"] == "network_acl"}
    [nat] = ec2.describe_nat_gateways(Filters=[{"Name": "vpc-id", "Values": [subnet["VpcId"]]}])["NatGateways"]
    assert f"answers to {nat['NatGatewayId']} of" in told[nat["SubnetId"]]["message"]
    check = told[subnet["SubnetId"]]
    assert facts(check)["rules on the answers to it"].startswith("40 deny 0.0.0.0/0")
    assert "--ingress --rule-number 39 " in check["remedy"]
    ec2.create_network_acl_entry(**rule, RuleNumber=39, RuleAction="allow", CidrBlock="0.0.0.0/0", PortRange=ports)
    assert wrong(diagnosed(hand.driver, TAG)) == set(), "what the remedy says has helped"


def test_an_acl_that_keeps_an_interface_endpoint_from_nodes_is_named_by_the_endpoints_subnet(hand: ByHand) -> None:
    ec2, nodes = hand.aws("ec2"), hand.compute_subnet()
    vpc = ec2.describe_vpcs(VpcIds=[nodes["VpcId"]])["Vpcs"][0]
    *_, last = IPv4Network(vpc["CidrBlock"]).subnets(new_prefix=28)
    subnet = ec2.create_subnet(VpcId=vpc["VpcId"], CidrBlock=str(last), AvailabilityZone=nodes["AvailabilityZone"])
    place = subnet["Subnet"]["SubnetId"]
    ec2.create_vpc_endpoint(
        VpcId=vpc["VpcId"],
        ServiceName="com.amazonaws.us-west-2.ecr.api",
        VpcEndpointType="Interface",
        SubnetIds=[place],
        PrivateDnsEnabled=True,
    )
    assert wrong(diagnosed(hand.driver, TAG)) == set()
    acl = ec2.create_network_acl(VpcId=vpc["VpcId"])["NetworkAcl"]["NetworkAclId"]
    wanted = [{"Name": "association.subnet-id", "Values": [place]}]
    [before] = ec2.describe_network_acls(Filters=wanted)["NetworkAcls"]
    [link] = [each for each in before["Associations"] if each["SubnetId"] == place]
    ec2.replace_network_acl_association(AssociationId=link["NetworkAclAssociationId"], NetworkAclId=acl)
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("network_acl", "FAIL", "P0")}
    [check] = [each for each in body["checks"] if each["check"] == "network_acl" and each["status"] == "FAIL"]
    assert (check["resource"], "HTTPS from nodes to endpoints" in check["message"]) == (place, True)
    rule = {"NetworkAclId": acl, "Protocol": "6", "RuleAction": "allow", "CidrBlock": nodes["CidrBlock"]}
    ec2.create_network_acl_entry(**rule, Egress=False, RuleNumber=1, PortRange={"From": 443, "To": 443})
    ec2.create_network_acl_entry(**rule, Egress=True, RuleNumber=1, PortRange={"From": 32768, "To": 60999})
    assert wrong(diagnosed(hand.driver, TAG)) == set(), "what the remedy says has helped"


def test_a_subnet_that_leads_nowhere_is_judged_by_the_endpoints_of_its_vpc(hand: ByHand) -> None:
    ec2, subnet = hand.aws("ec2"), hand.compute_subnet()

    def endpoint(service: str) -> None:
        ec2.create_vpc_endpoint(
            VpcId=subnet["VpcId"],
            ServiceName=f"com.amazonaws.us-west-2.{service}",
            VpcEndpointType="Interface",
            SubnetIds=[subnet["SubnetId"]],
            PrivateDnsEnabled=True,
        )

    hand.delete_compute_route()
    for service in ("ec2", "ecr.api", "ecr.dkr", "sts"):
        endpoint(service)
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("interface_endpoints", "FAIL", "P0")}
    assert "no endpoint for eks-auth:" in found(body, "interface_endpoints")["message"]
    assert found(body, "subnet_route")["status"] == "INFO"
    endpoint("eks-auth")
    assert wrong(diagnosed(hand.driver, TAG)) == {("interface_endpoints", "WARN", "P1")}
    for service in ("eks", "logs", "sagemaker.api", "ssm", "ssmmessages"):
        endpoint(service)
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == set()
    assert found(body, "interface_endpoints")["status"] == "PASS"


def test_a_subnet_that_leads_nowhere_is_told_from_one_that_lacks_the_endpoint_only(hand: ByHand) -> None:
    hand.delete_s3_endpoint()
    subnet = hand.compute_subnet()
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("s3_route", "WARN", "P2")}
    hand.delete_compute_route()
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("s3_route", "FAIL", "P0"), ("subnet_route", "FAIL", "P0")}
    check = found(body, "subnet_route")
    assert (check["resource"], facts(check)["route_table"]) == (subnet["SubnetId"], subnet["RouteTableId"])


def test_a_nat_gateway_that_was_deleted_is_seen_though_its_route_stands(hand: ByHand) -> None:
    hand.aws("ec2").delete_nat_gateway(NatGatewayId=hand.outputs()["NatGatewayId"])
    hand.driver.sleep(300)
    assert wrong(diagnosed(hand.driver, TAG)) == {("subnet_route", "FAIL", "P0")}


# -- what was made and is gone, and what nodes suffer


@pytest.mark.case(25)
def test_a_lifecycle_script_that_is_gone_or_has_windows_line_endings_is_found_before_the_next_instance(
    hand: ByHand,
) -> None:
    s3, bucket, key = hand.aws("s3"), hand.outputs()["BucketName"], "lifecycle/on_create.sh"
    s3.put_object(Bucket=bucket, Key=key, Body=b"#!/bin/bash\r\necho hi\r\n")
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("lifecycle_script", "FAIL", "P0")}
    assert found(body, "lifecycle_script")["resource"] == f"s3://{bucket}/{key}"
    assert "CR LF" in found(body, "lifecycle_script")["message"]
    s3.delete_object(Bucket=bucket, Key=key)
    assert "does not exist" in found(diagnosed(hand.driver, TAG), "lifecycle_script")["message"]


def test_a_hyperpod_cluster_that_somebody_deleted_stood_and_is_gone(hand: ByHand) -> None:
    hand.aws("sagemaker").delete_cluster(ClusterName=hand.hyperpod)
    assert found(diagnosed(hand.driver, TAG), "hyperpod_cluster")["message"].endswith("is Deleting")
    hand.driver.sleep(1800)
    body = diagnosed(hand.driver, TAG)
    check = found(body, "hyperpod_cluster")
    assert (check["status"], check["priority"]) == ("FAIL", "P0")
    assert body["checks"][0] == check


def test_a_faulty_node_is_told_as_hyperpod_told_it(hand: ByHand) -> None:
    [instance] = hand.instances()
    hand.switch_recovery_off()
    hand.driver.sleep(300)
    hand.driver.host.world.hyperpod.conditions.break_node(instance)
    hand.driver.sleep(300)
    body = diagnosed(hand.driver, TAG)
    assert wrong(body) == {("node_health", "FAIL", "P1")}
    assert instance in found(body, "node_health")["message"]


# -- what AWS does not say


@pytest.mark.parametrize(("kind", "said"), [(Kind.DENY, ("AccessDenied", "403")), (Kind.THROTTLE, ("Throttl", "400"))])
def test_what_aws_refuses_to_say_is_unchecked_and_never_well_nor_wrong(
    driver_of_ready: Driver, kind: Kind, said: tuple[str, ...]
) -> None:
    for call in AWS_CALLS:
        service, operation = call.split(" ")
        body = without(driver_of_ready, TAG, service, operation, kind)
        assert (body["complete"], body["counts"]["failed"]) == (False, 0), call
        assert wrong(body) == {(check, "WARN", "P2") for check in unchecked(body)} != set(), call
        messages = [each["message"] for each in body["checks"] if each["status"] == "WARN"]
        assert all(any(word in each for word in said) for each in messages), (call, messages)


def test_without_the_ledger_there_is_nothing_to_diagnose(driver_of_ready: Driver) -> None:
    fault = Fault("dynamodb", "Query", Kind.FAIL_BEFORE, times=1_000, role="function-diagnostics")
    with driver_of_ready.host.faults.planned(fault):
        assert driver_of_ready.send("GET", f"/api/clusters/{TAG}/diagnosis").status == 503


def test_a_service_that_hangs_costs_its_own_checks_and_no_more_than_the_time_of_an_answer(
    driver_of_ready: Driver,
) -> None:
    driver, before = driver_of_ready, driver_of_ready.host.clock.time()
    body = without(driver, TAG, "sagemaker", "DescribeCluster", Kind.HANG)
    assert driver.host.clock.time() - before <= 10
    assert unchecked(body) > {"hyperpod_cluster", "node_status"}
    said = {each["message"] for each in body["checks"] if each["message"].startswith("unchecked: ")}
    assert said == {"unchecked: AWS did not answer (ReadTimeoutError)"}
    assert found(body, "eks_cluster")["status"] == "PASS"
