"""EC2 resource types of stacks as they stand: read for drift, mended in place."""

from __future__ import annotations

from botocore.exceptions import ClientError

from infra.local.simulators.service import JsonObject
from infra.local.simulators.stack_handlers import Call, HandlerFailure, is_absent, names
from infra.local.simulators.stack_live import Live, changed_tags
from infra.local.simulators.stack_resources_network import permission_of, rule_of

_GONE = frozenset({"deleting", "deleted", "failed"})


def _listed(call: Call, method: str, member: str, **arguments: object) -> JsonObject | None:
    """The one item that a describing operation gives of a resource; None when EC2 does not know it."""
    try:
        found: list[JsonObject] = call.ask("ec2", method, **arguments)[member]
    except ClientError as error:
        if is_absent(error):
            return None
        raise
    return found[0] if found else None


def _standing(found: JsonObject | None, *members: str) -> JsonObject | None:
    """Those members of an item that a template may set, with its tags."""
    if found is None or str(found.get("State", "")).lower() in _GONE:
        return None
    return {name: found[name] for name in (*members, "Tags") if name in found} | {"Tags": found.get("Tags", [])}


def _tag(call: Call, resource_id: str, changed: frozenset[str]) -> None:
    if "Tags" in changed:
        call.ask("ec2", "create_tags", Resources=[resource_id], Tags=changed_tags(call))


def _tag_only(call: Call, changed: frozenset[str]) -> None:
    _tag(call, call.resource.attributes.get("AllocationId", call.physical_id), changed)


def _read_vpc(call: Call) -> JsonObject | None:
    vpc = _standing(_listed(call, "describe_vpcs", "Vpcs", VpcIds=[call.physical_id]), "CidrBlock")
    if vpc is None:
        return None
    for name in ("EnableDnsSupport", "EnableDnsHostnames"):
        attribute = name[:1].lower() + name[1:]
        vpc[name] = call.ask("ec2", "describe_vpc_attribute", VpcId=call.physical_id, Attribute=attribute)[name][
            "Value"
        ]
    return vpc


def _mend_vpc(call: Call, changed: frozenset[str]) -> None:
    for name in changed & {"EnableDnsSupport", "EnableDnsHostnames"}:
        wanted = {name: {"Value": call.properties[name]}}
        call.ask("ec2", "modify_vpc_attribute", VpcId=call.physical_id, **wanted)
    _tag_only(call, changed)


def _read_internet_gateway(call: Call) -> JsonObject | None:
    ids = [call.physical_id]
    return _standing(_listed(call, "describe_internet_gateways", "InternetGateways", InternetGatewayIds=ids))


def _read_attachment(call: Call) -> JsonObject | None:
    ids = [call.properties["InternetGatewayId"]]
    found = _listed(call, "describe_internet_gateways", "InternetGateways", InternetGatewayIds=ids)
    attached = [each["VpcId"] for each in (found or {}).get("Attachments", [])]
    return {"VpcId": attached[0], "InternetGatewayId": ids[0]} if attached else None


def _read_subnet(call: Call) -> JsonObject | None:
    found = _listed(call, "describe_subnets", "Subnets", SubnetIds=[call.physical_id])
    return _standing(found and {**found, "State": ""}, "VpcId", "CidrBlock", "AvailabilityZone")


def _read_address(call: Call) -> JsonObject | None:
    ids = [call.resource.attributes["AllocationId"]]
    return _standing(_listed(call, "describe_addresses", "Addresses", AllocationIds=ids), "Domain")


def _read_nat_gateway(call: Call) -> JsonObject | None:
    found = _listed(call, "describe_nat_gateways", "NatGateways", NatGatewayIds=[call.physical_id])
    standing = _standing(found, "SubnetId")
    if found is None or standing is None:
        return None
    addresses = [each["AllocationId"] for each in found["NatGatewayAddresses"] if "AllocationId" in each]
    return standing | ({"AllocationId": addresses[0]} if addresses else {})


def _read_route_table(call: Call) -> JsonObject | None:
    return _standing(_table(call, call.physical_id), "VpcId")


def _table(call: Call, table_id: str) -> JsonObject | None:
    return _listed(call, "describe_route_tables", "RouteTables", RouteTableIds=[table_id])


def _read_route(call: Call) -> JsonObject | None:
    table_id, destination = call.physical_id.split("|")
    routes = (_table(call, table_id) or {}).get("Routes", [])
    route = next((each for each in routes if each.get("DestinationCidrBlock") == destination), None)
    if route is None:
        return None
    targets = {name: route[name] for name in ("GatewayId", "NatGatewayId") if route.get(name)}
    return {"RouteTableId": table_id, "DestinationCidrBlock": destination, **targets}


def _mend_route(call: Call, changed: frozenset[str]) -> None:
    if changed:
        given = call.given("RouteTableId", "DestinationCidrBlock", "GatewayId", "NatGatewayId")
        call.ask("ec2", "replace_route", **given)


def _read_association(call: Call) -> JsonObject | None:
    filters = [{"Name": "association.route-table-association-id", "Values": [call.physical_id]}]
    table = _listed(call, "describe_route_tables", "RouteTables", Filters=filters)
    for each in (table or {}).get("Associations", []):
        if each["RouteTableAssociationId"] == call.physical_id:
            return {"RouteTableId": each["RouteTableId"], "SubnetId": each.get("SubnetId")}
    return None


def _mend_association(call: Call, changed: frozenset[str]) -> None:
    if "RouteTableId" in changed:
        wanted = {"AssociationId": call.physical_id, **call.given("RouteTableId")}
        made = call.ask("ec2", "replace_route_table_association", **wanted)["NewAssociationId"]
        call.created(made, Id=made)


def _read_endpoint(call: Call) -> JsonObject | None:
    found = _listed(call, "describe_vpc_endpoints", "VpcEndpoints", VpcEndpointIds=[call.physical_id])
    return _standing(found, "VpcId", "VpcEndpointType", "ServiceName", "RouteTableIds")


def _mend_endpoint(call: Call, changed: frozenset[str]) -> None:
    if "RouteTableIds" in changed:
        wanted = set(call.properties["RouteTableIds"])
        have = set((_read_endpoint(call) or {}).get("RouteTableIds", []))
        change = {"AddRouteTableIds": sorted(wanted - have), "RemoveRouteTableIds": sorted(have - wanted)}
        given = {name: ids for name, ids in change.items() if ids}
        call.ask("ec2", "modify_vpc_endpoint", VpcEndpointId=call.physical_id, **given)
    _tag_only(call, changed)


def _read_security_group(call: Call) -> JsonObject | None:
    found = _listed(call, "describe_security_groups", "SecurityGroups", GroupIds=[call.physical_id])
    standing = _standing(found, "GroupName", "VpcId")
    if found is None or standing is None:
        return None
    # Rules that are resources of their own, or of others, are in the same list: only those of the group are looked for.
    rules = {
        name: [rule for rule in call.properties[name] if _has_rule(found[member], rule)]
        for name, member in _RULE_LISTS.items()
        if name in call.properties
    }
    return standing | {"GroupDescription": found["Description"], **rules}


_RULE_LISTS = {"SecurityGroupEgress": "IpPermissionsEgress", "SecurityGroupIngress": "IpPermissions"}


def _has_rule(permissions: list[JsonObject], rule: JsonObject) -> bool:
    return any(_grants(permission, permission_of(rule)) for permission in permissions)


def _grants(permission: JsonObject, wanted: JsonObject) -> bool:
    if any(permission.get(name) != wanted.get(name) for name in ("IpProtocol", "FromPort", "ToPort")):
        return False
    ranges = {each["CidrIp"] for each in permission.get("IpRanges", [])}
    groups = {each["GroupId"] for each in permission.get("UserIdGroupPairs", [])}
    return {each["CidrIp"] for each in wanted.get("IpRanges", [])} <= ranges and {
        each["GroupId"] for each in wanted.get("UserIdGroupPairs", [])
    } <= groups


def _mend_security_group(call: Call, changed: frozenset[str]) -> None:
    found = _listed(call, "describe_security_groups", "SecurityGroups", GroupIds=[call.physical_id]) or {}
    for name in changed & _RULE_LISTS.keys():
        for rule in call.properties[name]:
            if not _has_rule(found[_RULE_LISTS[name]], rule):
                direction = name.removeprefix("SecurityGroup").lower()
                permissions = [permission_of(rule)]
                method = f"authorize_security_group_{direction}"
                call.ask("ec2", method, GroupId=call.physical_id, IpPermissions=permissions)
    _tag_only(call, changed)


def _read_rule(call: Call) -> JsonObject | None:
    rule = _listed(call, "describe_security_group_rules", "SecurityGroupRules", SecurityGroupRuleIds=[call.physical_id])
    return None if rule is None else rule_of(rule)


def _mend_rule(call: Call, changed: frozenset[str]) -> None:
    if changed:
        raise HandlerFailure(f"a change of {', '.join(sorted(changed))} of a rule is not simulated", "InvalidRequest")


_RULE = Live(
    _read_rule,
    _mend_rule,
    names("GroupId IpProtocol FromPort ToPort CidrIp SourceSecurityGroupId DestinationSecurityGroupId"),
    # moto does not tell what a rule says of itself.
    names("Description"),
)

LIVE_NETWORK = {
    "AWS::EC2::VPC": Live(_read_vpc, _mend_vpc, names("CidrBlock")),
    "AWS::EC2::InternetGateway": Live(_read_internet_gateway, _tag_only),
    "AWS::EC2::VPCGatewayAttachment": Live(_read_attachment, _tag_only, names("VpcId InternetGatewayId")),
    "AWS::EC2::Subnet": Live(_read_subnet, _tag_only, names("VpcId CidrBlock AvailabilityZone")),
    "AWS::EC2::EIP": Live(_read_address, _tag_only, names("Domain")),
    "AWS::EC2::NatGateway": Live(_read_nat_gateway, _tag_only, names("AllocationId SubnetId")),
    "AWS::EC2::RouteTable": Live(_read_route_table, _tag_only, names("VpcId")),
    "AWS::EC2::Route": Live(_read_route, _mend_route, names("RouteTableId DestinationCidrBlock")),
    "AWS::EC2::SubnetRouteTableAssociation": Live(_read_association, _mend_association, names("SubnetId")),
    "AWS::EC2::VPCEndpoint": Live(_read_endpoint, _mend_endpoint, names("VpcId VpcEndpointType ServiceName")),
    "AWS::EC2::SecurityGroup": Live(
        _read_security_group, _mend_security_group, names("GroupName GroupDescription VpcId")
    ),
    "AWS::EC2::SecurityGroupIngress": _RULE,
    "AWS::EC2::SecurityGroupEgress": _RULE,
}
