"""The doors as they would be deployed: who gets in, with what, and whether all that is published agrees."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, cast

import botocore.session
import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from functions.core import runtime
from functions.core.caller import SCOPE_PREFIX
from functions.core.declaration import Route
from functions.core.http import invocation_of, response_headers
from infra.host.addresses import AGENT_CALLBACK, is_of_mcp, named
from infra.host.context import Context, CustomDomain
from infra.local.gateway import HttpGateway, local_authorizer
from infra.local.messages import HttpRequest
from infra.topology import TOPOLOGY, UNMATCHED
from tests.infrastructure.edge_stack import KNOWN, Resource, Stacked, edge

if TYPE_CHECKING:
    from pydantic import JsonValue

CUSTOM: Final = CustomDomain(
    name="instantstart.example.com",
    certificate_arn="arn:aws:acm:us-east-1:111122223333:certificate/12345678-1234-1234-1234-123456789012",
)
ORIGIN: Final = f"https://{CUSTOM.name}"
# Half of what a stack may hold; the other half is everything else.
MAX_RESOURCES: Final = 200


@pytest.fixture(scope="session")
def plain() -> Stacked:
    """What a deployment with nothing chosen gets."""
    return edge(Context(), TOPOLOGY)


@pytest.fixture(scope="session")
def chosen() -> Stacked:
    """What a deployment with a domain of its own and a page elsewhere gets."""
    return edge(Context(custom_domain=CUSTOM, allowed_origins=("https://ui.example",)), TOPOLOGY)


def routes_of(stack: Stacked, api: Resource) -> dict[str, Resource]:
    ours = [each for each in stack.of("ApiGatewayV2::Route") if each.text("ApiId") == f"<{api.name}>"]
    return {each.text("RouteKey"): each for each in ours}


def api(stack: Stacked, name: str) -> Resource:
    return stack.one("ApiGatewayV2::Api", Name=f"instantstart-{name}")


def function_behind(stack: Stacked, route: Resource) -> str:
    """Name the function that a route leads to, as the stack's stand-ins are named."""
    target = route.text("Target").removeprefix("integrations/<").removesuffix(">")
    uri = next(each.text("IntegrationUri") for each in stack.of("ApiGatewayV2::Integration") if each.name == target)
    return next(each.text("FunctionName") for each in stack.of("Lambda::Function") if f"<{each.name}.Arn>" in uri)


def authorizer(stack: Stacked, route: Resource) -> Resource:
    return next(each for each in stack.of("ApiGatewayV2::Authorizer") if f"<{each.name}>" == route.text("AuthorizerId"))


def documents(stack: Stacked) -> Mapping[str, Mapping[str, JsonValue]]:
    """Read the documents that the deployment publishes, by the path of each."""
    files = next(each for each in stack.resources if each.kind == "Custom::Files")
    written = cast("list[dict[str, str]]", files.properties["documents"])
    return {f"/{each['key']}": json.loads(each["body"]) for each in written}


def origin_of(stack: Stacked) -> str:
    return f"https://<{stack.one('CloudFront::Distribution').name}.DomainName>"


# -- the public door


@pytest.mark.parametrize(
    "route", [each for each in TOPOLOGY.routes if not is_of_mcp(each.path)], ids=lambda route: route.operation_id
)
def test_every_route_asks_for_a_token_with_its_scope_and_leads_to_its_function(route: Route, plain: Stacked) -> None:
    made = routes_of(plain, api(plain, "api"))[f"{route.method} {route.path}"]

    assert made.text("AuthorizationType") == "JWT"
    assert made.texts("AuthorizationScopes") == [f"{SCOPE_PREFIX}{route.scope}"]
    assert function_behind(plain, made) == route.function


def test_what_no_route_matches_asks_for_a_token_too_and_nothing_else_is_open(plain: Stacked) -> None:
    made = routes_of(plain, api(plain, "api"))

    assert set(made) == {f"{each.method} {each.path}" for each in TOPOLOGY.routes}
    assert "ANY /api/{proxy+}" in made


def test_tokens_of_people_and_machines_open_the_api_and_those_of_agents_do_not(plain: Stacked) -> None:
    made = routes_of(plain, api(plain, "api"))["GET /api/clusters"]
    clients = {each.text("ClientName"): f"<{each.name}>" for each in plain.of("Cognito::UserPoolClient")}

    audience = authorizer(plain, made).texts("JwtConfiguration", "Audience")
    assert audience == [clients["instantstart-console"], clients["instantstart-machine"]]


def test_tokens_of_agents_open_the_gateway_and_nothing_else(chosen: Stacked) -> None:
    made = routes_of(chosen, api(chosen, "api"))["POST /mcp"]

    assert function_behind(chosen, made) == "mcp"
    assert made.texts("AuthorizationScopes") == [f"{ORIGIN}/mcp/read"]
    assert authorizer(chosen, made).texts("JwtConfiguration", "Audience") == [f"{ORIGIN}/mcp"]


def test_both_authorisers_trust_the_user_pool_and_nobody_else(plain: Stacked) -> None:
    pool = plain.one("Cognito::UserPool").name
    issuers = {each.text("JwtConfiguration", "Issuer") for each in plain.of("ApiGatewayV2::Authorizer")}

    assert issuers == {f"https://cognito-idp.us-west-2.amazonaws.com/<{pool}>"}


@pytest.mark.case(70)
def test_no_other_origin_may_call_unless_the_deployment_says_so(plain: Stacked) -> None:
    assert all("CorsConfiguration" not in each.properties for each in plain.of("ApiGatewayV2::Api"))
    assert all("ALLOWED_ORIGINS" not in json.dumps(each.properties) for each in plain.of("Lambda::Function"))


@pytest.mark.case(70)
def test_an_allowed_origin_gets_its_preflight_answered_without_a_token(chosen: Stacked) -> None:
    public = api(chosen, "api")
    made = routes_of(chosen, public)
    open_routes = {key for key, route in made.items() if route.text("AuthorizationType") == "NONE"}

    assert open_routes == {"OPTIONS /api/{proxy+}"}
    assert function_behind(chosen, made["OPTIONS /api/{proxy+}"]) == UNMATCHED.function
    assert public.texts("CorsConfiguration", "AllowOrigins") == ["https://ui.example"]
    assert "AllowCredentials" not in cast("dict[str, JsonValue]", public.properties["CorsConfiguration"])


@pytest.mark.case(70)
def test_the_gateway_tells_an_allowed_origin_what_the_functions_tell_it(chosen: Stacked) -> None:
    told = told_by_functions("https://ui.example")
    cors = api(chosen, "api")

    assert ", ".join(cors.texts("CorsConfiguration", "AllowMethods")) == told["access-control-allow-methods"]
    assert ", ".join(cors.texts("CorsConfiguration", "AllowHeaders")) == told["access-control-allow-headers"]
    assert ", ".join(cors.texts("CorsConfiguration", "ExposeHeaders")) == told["access-control-expose-headers"]


# -- the gateway's door


def test_the_internal_door_is_signed_with_iam_on_every_route(plain: Stacked) -> None:
    made = routes_of(plain, api(plain, "internal"))

    assert {each.text("AuthorizationType") for each in made.values()} == {"AWS_IAM"}
    assert set(made) == {f"{each.method} {each.path}" for each in named(TOPOLOGY.routes)}


def test_the_internal_door_leads_every_route_to_the_function_that_the_public_one_does() -> None:
    called: list[str] = []

    def invoke(function: str, _event: dict[str, JsonValue]) -> JsonValue:
        called.append(function)
        return {"statusCode": 200}

    door = HttpGateway(named(TOPOLOGY.routes), invoke, lambda: datetime(2026, 1, 1, tzinfo=UTC), "1", "us-west-2")
    for route in TOPOLOGY.routes:
        path = route.path.replace("{proxy+}", "nothing/here").replace("{", "").replace("}", "")
        method = "GET" if route.method == "ANY" else route.method
        door.handle(HttpRequest(method, path, "", {}, b""), "192.0.2.1", local_authorizer)

    assert called == [route.function for route in TOPOLOGY.routes]


def test_an_agent_that_signs_with_iam_finds_the_gateway_behind_the_same_door(chosen: Stacked) -> None:
    made = routes_of(chosen, api(chosen, "internal"))["POST /mcp"]

    assert (made.text("AuthorizationType"), function_behind(chosen, made)) == ("AWS_IAM", "mcp")


def test_the_deployment_lets_nobody_through_the_internal_door_by_itself(plain: Stacked) -> None:
    policies = [json.dumps(each.properties) for each in plain.resources if each.kind.startswith("AWS::IAM::")]

    assert policies
    assert not [each for each in policies if "execute-api:Invoke" in each or "execute-api:*" in each]


# -- all doors


def test_a_function_has_one_permission_for_an_api_whatever_its_routes(chosen: Stacked) -> None:
    permissions = [
        each for each in chosen.of("Lambda::Permission") if each.text("Principal") == "apigateway.amazonaws.com"
    ]
    pairs = Counter((each.text("FunctionName"), each.text("SourceArn")) for each in permissions)
    integrations = Counter(
        (each.text("ApiId"), each.text("IntegrationUri")) for each in chosen.of("ApiGatewayV2::Integration")
    )

    assert set(pairs.values()) == {1}
    assert set(integrations.values()) == {1}
    assert len(pairs) == len(integrations)
    assert all(source.startswith("arn:aws:execute-api:us-west-2:111122223333:<") for _, source in pairs)


def test_every_stage_is_throttled_and_logs_who_called_what_but_nothing_that_opens_a_door(plain: Stacked) -> None:
    groups = {f"<{each.name}.Arn>": each for each in plain.of("Logs::LogGroup")}
    stages = plain.of("ApiGatewayV2::Stage")

    assert {each.text("StageName") for each in stages} == {"$default", "live"}
    assert len({each.text("AccessLogSettings", "DestinationArn") for each in stages}) == len(stages) == 3
    for stage in stages:
        assert float(stage.text("DefaultRouteSettings", "ThrottlingRateLimit")) > 0
        assert groups[stage.text("AccessLogSettings", "DestinationArn")].text("RetentionInDays") == "30"
        logged = json.loads(stage.text("AccessLogSettings", "Format"))
        assert {"request_id", "route", "status"} <= set(logged)
        assert not [each for each in logged.values() if "query" in each.lower() or "header" in each.lower()]


def test_a_stage_named_default_leaves_paths_as_they_were_sent(plain: Stacked) -> None:
    http = {f"<{each.name}>" for each in plain.of("ApiGatewayV2::Api") if each.text("ProtocolType") == "HTTP"}

    assert {each.text("StageName") for each in plain.of("ApiGatewayV2::Stage") if each.text("ApiId") in http} == {
        "$default"
    }


def test_web_sockets_lead_to_the_topologys_functions_and_those_that_post_know_where(plain: Stacked) -> None:
    sockets = api(plain, "sockets")
    made = routes_of(plain, sockets)
    told = {
        each.text("FunctionName"): each.text("Environment", "Variables", "CONNECTIONS_ENDPOINT")
        for each in plain.of("Lambda::Function")
        if "CONNECTIONS_ENDPOINT" in json.dumps(each.properties)
    }

    assert {key: function_behind(plain, route) for key, route in made.items()} == {
        route.key: route.function for route in TOPOLOGY.socket_routes
    }
    endpoint = f"https://<{sockets.name}>.execute-api.us-west-2.amazonaws.com/live"
    assert told == {"connections": endpoint, "push": endpoint}


def test_a_new_account_may_log_web_sockets_before_their_stage_is_made(plain: Stacked) -> None:
    account = plain.one("ApiGateway::Account")
    stage = plain.one("ApiGatewayV2::Stage", StageName="live")

    assert account.name in cast("list[str]", stage.whole["DependsOn"])
    assert account.whole["DeletionPolicy"] == "Retain"


@pytest.mark.parametrize("name", ["console", "machine"])
def test_functions_that_answer_routes_know_the_console_and_machines(plain: Stacked, name: str) -> None:
    client = plain.one("Cognito::UserPoolClient", ClientName=f"instantstart-{name}")
    variable = f"{name.upper()}_CLIENT_ID"
    answering = {route.function for route in TOPOLOGY.routes}
    told = {
        each.text("FunctionName"): each.text("Environment", "Variables", variable)
        for each in plain.of("Lambda::Function")
        if variable in json.dumps(each.properties)
    }

    assert told == dict.fromkeys(answering, f"<{client.name}>")


def test_what_narrows_tokens_knows_which_address_is_ours(chosen: Stacked) -> None:
    function = chosen.one("Lambda::Function", FunctionName="token_claims")

    assert function.text("Environment", "Variables", "CONSOLE_URL") == ORIGIN


def test_the_user_pool_has_tokens_narrowed_wherever_the_topology_has_the_function(
    plain: Stacked, chosen: Stacked
) -> None:
    is_there = "token_claims" in {each.name for each in TOPOLOGY.functions}

    assert ("LambdaConfig" in plain.one("Cognito::UserPool").properties) == is_there
    assert "PreTokenGenerationConfig" in chosen.one("Cognito::UserPool").text("LambdaConfig")


def test_whoever_deploys_is_told_where_everything_is(plain: Stacked) -> None:
    origin = origin_of(plain)

    assert plain.outputs["ConsoleUrl"] == origin
    assert plain.outputs["McpUrl"] == f"{origin}/mcp"
    assert {"ApiUrl", "UserPoolId", "AgentClientId", "MachineClientId", "ConsoleHost"} <= set(plain.outputs)
    assert "ExistingUserPoolNeeds" not in plain.outputs


def test_the_doors_leave_room_for_the_rest_of_the_stack(chosen: Stacked) -> None:
    stand_ins = {"AWS::Lambda::Function", "AWS::IAM::Role"}

    assert len([each for each in chosen.resources if each.kind not in stand_ins]) <= MAX_RESOURCES


# -- what is published


@pytest.mark.case(76)
def test_the_resource_is_described_under_both_addresses_that_agents_ask(plain: Stacked) -> None:
    published = documents(plain)
    origin = origin_of(plain)

    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        assert published[path]["resource"] == f"{origin}/mcp"
        assert published[path]["authorization_servers"] == [origin]
        assert published[path]["bearer_methods_supported"] == ["header"]


def test_the_authorization_server_is_ours_by_name_and_says_that_it_takes_pkce(plain: Stacked) -> None:
    server = documents(plain)["/.well-known/oauth-authorization-server"]
    host = f"{plain.one('Cognito::UserPoolDomain').text('Domain')}.auth.us-west-2.amazoncognito.com"

    assert server["issuer"] == origin_of(plain)
    assert server["code_challenge_methods_supported"] == ["S256"]
    assert server["response_types_supported"] == ["code"]
    assert server["authorization_endpoint"] == f"https://{host}/oauth2/authorize"
    assert server["token_endpoint"] == f"https://{host}/oauth2/token"


def test_what_is_published_agrees_with_what_the_authorisers_take(plain: Stacked) -> None:
    published = documents(plain)
    resource = published["/.well-known/oauth-protected-resource/mcp"]
    server = published["/.well-known/oauth-authorization-server"]
    of_agents = plain.one("ApiGatewayV2::Authorizer", Name="McpTokens")
    registered = plain.one("Cognito::UserPoolResourceServer", Name="The MCP endpoint")
    agent = plain.one("Cognito::UserPoolClient", ClientName="instantstart-agent")

    assert of_agents.texts("JwtConfiguration", "Audience") == [resource["resource"]]
    assert registered.text("Identifier") == resource["resource"]
    assert server["jwks_uri"] == f"{of_agents.text('JwtConfiguration', 'Issuer')}/.well-known/jwks.json"
    assert resource["authorization_servers"] == [server["issuer"]]
    assert resource["scopes_supported"] == server["scopes_supported"] == agent.texts("AllowedOAuthScopes")


def test_the_console_is_told_what_it_cannot_know_when_it_is_built(plain: Stacked) -> None:
    config = documents(plain)["/config.json"]
    sign_in = cast("dict[str, JsonValue]", config["sign_in"])
    console = plain.one("Cognito::UserPoolClient", ClientName="instantstart-console")

    assert config["api_url"] == f"{origin_of(plain)}/api"
    assert config["websocket_url"] == f"wss://<{api(plain, 'sockets').name}>.execute-api.us-west-2.amazonaws.com/live"
    assert (
        config["signed_mcp_url"] == f"https://<{api(plain, 'internal').name}>.execute-api.us-west-2.amazonaws.com/mcp"
    )
    assert (config["region"], config["release"]) == (KNOWN["AWS::Region"], "r1")
    assert sign_in["client_id"] == f"<{console.name}>"
    assert console.texts("CallbackURLs") == [sign_in["callback_url"]]
    assert console.texts("AllowedOAuthScopes") == sign_in["scopes"]


def test_a_domain_of_ones_own_is_the_address_everywhere(chosen: Stacked) -> None:
    published = json.dumps([*documents(chosen).values()])
    distribution = chosen.one("CloudFront::Distribution")

    assert ".DomainName" not in published
    assert distribution.texts("DistributionConfig", "Aliases") == [CUSTOM.name]
    assert distribution.text("DistributionConfig", "ViewerCertificate", "AcmCertificateArn") == CUSTOM.certificate_arn
    assert distribution.text("DistributionConfig", "ViewerCertificate", "MinimumProtocolVersion") == "TLSv1.2_2021"
    assert chosen.one("Cognito::UserPoolClient", ClientName="instantstart-console").texts("CallbackURLs") == [
        f"{ORIGIN}/"
    ]


def test_agents_come_back_to_a_port_that_stands(plain: Stacked) -> None:
    config = documents(plain)["/config.json"]
    agent = plain.one("Cognito::UserPoolClient", ClientName="instantstart-agent")

    assert agent.texts("CallbackURLs") == [AGENT_CALLBACK]
    assert config["agent"] == {"client_id": f"<{agent.name}>", "callback_port": 38099}


def told_by_functions(origin: str) -> dict[str, str]:
    """Ask the functions' own code what it tells an allowed origin."""
    event: dict[str, JsonValue] = {
        "version": "2.0",
        "rawPath": "/api/clusters",
        "headers": {"origin": origin},
        "requestContext": {"requestId": "r", "stage": "$default", "http": {"method": "GET", "path": "/api/clusters"}},
    }
    settings = {"ALLOWED_ORIGINS": origin}
    with runtime.bound(runtime.Runtime(settings, botocore.session.Session(), runtime.SystemClock())):
        return response_headers(invocation_of(event, LambdaContext()))
