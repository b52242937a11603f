"""What holds for everything in the template, whichever construct has made it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from infra.host.stack import NAME
from infra.privilege.authorization import load
from infra.privilege.grants.identity import of_clusters
from infra.release import BOUNDARY, OWN_BOUNDARY, function_role
from infra.shapes import Weight
from infra.topology import PREFIX, TOPOLOGY, UNMATCHED
from tests.infrastructure.deployment import PLACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import JsonValue

    from tests.infrastructure.deployment import Deployment, Resource

# CloudFormation takes a megabyte.
TEMPLATE_BYTES: Final = 1_000_000
BOUNDARIES: Final = [PLACE.global_name(name) for name in (BOUNDARY, OWN_BOUNDARY)]
OUTPUTS: Final = {
    *("Release", "ArtifactBucket", "AuditBucket", "NotificationsTopic", "DeadLetterQueue", "DashboardUrl"),
    *("ConsoleUrl", "ApiUrl", "McpUrl", "McpRoleUrl", "AgentClientId", "MachineClientId", "UserPoolId", "ConsoleHost"),
}


def test_every_route_asks_who_calls_but_those_that_cannot(plain: Deployment) -> None:
    open_ones = {str(each.at("RouteKey")) for each in plain.of("ApiGatewayV2::Route") if not asks(each)}
    assert open_ones == {route.key for route in TOPOLOGY.socket_routes}
    ways = Counter(str(each.at("AuthorizationType")) for each in plain.of("ApiGatewayV2::Route"))
    assert ways["JWT"] == len(TOPOLOGY.routes)
    scoped = [each for each in plain.of("ApiGatewayV2::Route") if each.at("AuthorizationScopes")]
    assert len(scoped) == ways["JWT"]
    assert str(UNMATCHED.path) in {str(each.at("RouteKey")).partition(" ")[2] for each in scoped}


def test_a_function_has_one_permission_for_each_api_and_service_that_calls_it(chosen: Deployment) -> None:
    granted = Counter(
        (str(each.at("FunctionName")), str(each.at("Principal")), str(each.at("SourceArn")))
        for each in chosen.of("Lambda::Permission")
    )
    assert set(granted.values()) == {1}


def test_nothing_but_the_boundary_names_all_resources_where_aws_has_a_type_for_them(chosen: Deployment) -> None:
    known = load().actions
    for owner, statement in statements(chosen):
        if "*" not in listed(statement.get("Resource")):
            continue
        for action in listed(statement["Action"]):
            assert known[action].resource_types == (), f"{owner} may {action} on everything"


def test_the_gateway_alone_calls_the_api_and_by_the_id_of_its_internal_door(chosen: Deployment) -> None:
    held = [
        (owner, str(resource))
        for owner, statement in statements(chosen)
        if "execute-api:Invoke" in listed(statement["Action"])
        for resource in listed(statement["Resource"])
    ]
    door = chosen.reference("<InternalApi>")
    gateway = chosen.named("IAM::Role", "RoleName")[PLACE.global_name(function_role("mcp"))]
    assert (door.kind, door.at("Name")) == ("AWS::ApiGatewayV2::Api", f"{PREFIX}internal")
    assert {owner for owner, _ in held} == {gateway.name}
    assert {resource for _, resource in held} == {
        f"arn:aws:execute-api:us-west-2:111122223333:<InternalApi>/$default/{method}/api/*"
        for method in ("DELETE", "GET", "PATCH", "POST", "PUT")
    }


def test_every_role_whoever_made_it_has_the_boundary_of_the_deployment(chosen: Deployment) -> None:
    boundaries = chosen.named("IAM::ManagedPolicy", "ManagedPolicyName")
    assert {boundaries[name].whole["DeletionPolicy"] for name in BOUNDARIES} == {"RetainExceptOnCreate"}
    own = f"<{boundaries[PLACE.global_name(OWN_BOUNDARY)].name}>"
    assert [each.name for each in chosen.of("IAM::Role") if each.at("PermissionsBoundary") != own] == []


def test_nothing_in_the_template_resolves_a_secret(plain: Deployment, chosen: Deployment) -> None:
    """Whoever reads the settings of a function, or of anything else, would read what was resolved."""
    for deployment in (plain, chosen):
        assert deployment.of("SecretsManager::Secret")
        template = (deployment.assembly / f"{NAME}.template.json").read_text(encoding="utf-8")
        assert "{{resolve:secretsmanager" not in template
        assert "ssm-secure" not in template


def test_no_role_is_left_out_of_those_that_the_deployment_must_not_change(plain: Deployment) -> None:
    boundary = plain.named("IAM::ManagedPolicy", "ManagedPolicyName")[PLACE.global_name(OWN_BOUNDARY)]
    denied = next(each for each in whole(boundary.at("PolicyDocument")) if each["Sid"] == "NoIamElsewhere")
    assert [each for each in listed(denied["NotResource"]) if ":role/instantstart/" in each] == [*of_clusters(PLACE)]
    assert {each.at("Path") for each in plain.of("IAM::Role")} == {PLACE.role_path}
    assert PLACE.clusters_role_path != PLACE.role_path


def test_every_function_runs_on_arm_but_helm(plain: Deployment) -> None:
    functions = plain.named("Lambda::Function", "FunctionName")
    helm = {f"{PREFIX}{each.name}" for each in TOPOLOGY.functions if each.weight is Weight.HELM}
    assert {name for name, each in functions.items() if each.at("Architectures") != ["arm64"]} == helm


def test_what_holds_data_for_years_is_retained(plain: Deployment) -> None:
    durable = {f"{PREFIX}{table.name}" for table in TOPOLOGY.tables if table.point_in_time_recovery}
    tables = plain.named("DynamoDB::GlobalTable", "TableName")
    kept = [tables[name] for name in durable] + plain.of("Cognito::UserPool")
    assert {(each.whole["DeletionPolicy"], each.whole["UpdateReplacePolicy"]) for each in kept} == {
        ("RetainExceptOnCreate", "Retain")
    }
    (pool,) = plain.of("Cognito::UserPool")
    assert pool.at("DeletionProtection") == "ACTIVE"


def test_a_first_deployment_that_fails_leaves_no_name_behind_that_the_next_would_find_taken(plain: Deployment) -> None:
    kept_always = [each for each in plain.resources if each.whole.get("DeletionPolicy") == "Retain"]
    # The account's one setting and its role, which CloudFormation names.
    assert {each.kind for each in kept_always} == {"AWS::ApiGateway::Account", "AWS::IAM::Role"}
    assert not [each for each in kept_always if each.at("RoleName")]


def test_people_of_named_identity_providers_sign_in_to_every_program_of_people(
    plain: Deployment, chosen: Deployment
) -> None:
    for deployment, expected in ((plain, ["COGNITO"]), (chosen, ["COGNITO", "Company"])):
        clients = deployment.named("Cognito::UserPoolClient", "ClientName")
        for name in ("console", "agent"):
            assert clients[f"{PREFIX}{name}"].at("SupportedIdentityProviders") == expected
        assert clients[f"{PREFIX}machine"].at("SupportedIdentityProviders") is None


def test_whoever_deploys_is_told_all_that_they_need_and_no_secret(plain: Deployment) -> None:
    assert plain.outputs.keys() == OUTPUTS
    secrets = {each.name for each in plain.of("SecretsManager::Secret")}
    assert not [name for name, value in plain.outputs.items() if any(secret in value for secret in secrets)]


def test_the_template_leaves_room_below_what_cloudformation_takes(chosen: Deployment) -> None:
    size = (chosen.assembly / f"{NAME}.template.json").stat().st_size
    print(f"{size:,} bytes, {len(chosen.resources)} resources")
    assert size < TEMPLATE_BYTES


def asks(route: Resource) -> bool:
    return route.at("AuthorizationType") in ("JWT", "AWS_IAM")


def statements(deployment: Deployment) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """Walk through what roles are allowed, wherever it is written; the boundary and policies of resources are not."""
    for role in deployment.of("IAM::Role"):
        for inline in role.list_at("Policies"):
            yield from ((role.name, each) for each in written(inline["PolicyDocument"]))
    apart = [each for each in deployment.of("IAM::ManagedPolicy") if each.at("ManagedPolicyName") not in BOUNDARIES]
    for made in (*deployment.of("IAM::Policy"), *apart):
        yield from ((made.name, each) for each in written(made.at("PolicyDocument")))


def written(document: JsonValue) -> list[dict[str, JsonValue]]:
    return [each for each in whole(document) if each["Effect"] == "Allow"]


def whole(document: JsonValue) -> list[dict[str, JsonValue]]:
    assert isinstance(document, dict)
    found = document["Statement"]
    assert isinstance(found, list)
    return [each for each in found if isinstance(each, dict)]


def listed(value: JsonValue) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]
