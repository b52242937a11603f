"""Who may sign in with what, in a user pool of the deployment and in one that stands already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from functions.core.groups import SCOPES_OF_GROUPS, SCOPES_OF_MACHINES
from infra.host.context import Context, ExistingUserPool
from infra.host.sign_in import GROUPS, MACHINE_SCOPES, SignIn
from tests.infrastructure.edge_stack import PLACE, Resource, Stacked, stacked, stand_in

if TYPE_CHECKING:
    from aws_cdk import Stack

ORIGIN = "https://instantstart.example.com"
EXISTING = ExistingUserPool(id="us-west-2_Abc123456", domain="login.example.com")


def sign_in(
    context: Context | None = None, *, functions: tuple[str, ...] = ("token_claims",), providers: tuple[str, ...] = ()
) -> tuple[Stacked, SignIn]:
    """Synthesise the sign-in alone; the construct says what others get to know of it."""
    made: list[SignIn] = []

    def build(stack: Stack) -> None:
        made.append(
            SignIn(
                stack,
                "SignIn",
                origin=ORIGIN,
                functions={name: stand_in(stack, name) for name in functions},
                context=context or Context(),
                place=PLACE,
                identity_providers=providers,
            )
        )

    return stacked(build), made[0]


@pytest.fixture(scope="module")
def ours() -> Stacked:
    return sign_in()[0]


@pytest.fixture(scope="module")
def existing() -> tuple[Stacked, SignIn]:
    return sign_in(Context(existing_user_pool=EXISTING))


def client(stack: Stacked, name: str) -> Resource:
    return stack.one("Cognito::UserPoolClient", ClientName=f"instantstart-{name}")


def test_nobody_signs_up_alone_and_the_pool_outlives_the_deployment(ours: Stacked) -> None:
    pool = ours.one("Cognito::UserPool")

    assert pool.text("AdminCreateUserConfig", "AllowAdminCreateUserOnly") == "True"
    assert pool.text("DeletionProtection") == "ACTIVE"
    assert pool.whole["DeletionPolicy"] == "RetainExceptOnCreate"
    assert pool.text("UserPoolTier") == "ESSENTIALS"


def test_a_second_factor_may_be_an_app_and_never_a_text_message(ours: Stacked) -> None:
    pool = ours.one("Cognito::UserPool")

    assert pool.text("MfaConfiguration") == "OPTIONAL"
    assert pool.texts("EnabledMfas") == ["SOFTWARE_TOKEN_MFA"]


def test_every_token_passes_the_function_that_takes_out_what_its_groups_do_not_hold(ours: Stacked) -> None:
    function = next(each for each in ours.of("Lambda::Function") if each.text("FunctionName") == "token_claims")
    trigger = ours.one("Cognito::UserPool").properties["LambdaConfig"]

    assert trigger == {
        "PreTokenGenerationConfig": {"LambdaArn": f"<{function.name}.Arn>", "LambdaVersion": "V2_0"},
    }
    permission = ours.one("Lambda::Permission", Principal="cognito-idp.amazonaws.com")
    assert permission.text("SourceArn") == f"<{ours.one('Cognito::UserPool').name}.Arn>"


def test_there_is_a_group_for_each_kind_of_scope(ours: Stacked) -> None:
    assert {each.text("GroupName") for each in ours.of("Cognito::UserPoolGroup")} == set(GROUPS)
    # The function that narrows tokens knows the groups by these names.
    assert set(GROUPS) == set(SCOPES_OF_GROUPS)


def test_machines_are_registered_for_what_the_function_that_narrows_tokens_leaves_them() -> None:
    assert set(MACHINE_SCOPES) == {f"instantstart/{scope}" for scope in SCOPES_OF_MACHINES}


@pytest.mark.parametrize("name", ["console", "agent"])
def test_programs_of_people_keep_no_secret_and_get_codes_only(name: str, ours: Stacked) -> None:
    registered = client(ours, name)

    assert registered.text("GenerateSecret") == "False"
    assert registered.texts("AllowedOAuthFlows") == ["code"]
    assert registered.text("RefreshTokenRotation", "Feature") == "ENABLED"
    assert registered.text("EnableTokenRevocation") == "True"


def test_agents_hold_scopes_of_mcp_only_and_the_console_those_of_the_api_only(ours: Stacked) -> None:
    assert client(ours, "agent").texts("AllowedOAuthScopes") == [
        f"{ORIGIN}/mcp/read",
        f"{ORIGIN}/mcp/operate",
        f"{ORIGIN}/mcp/admin",
    ]
    assert client(ours, "console").texts("AllowedOAuthScopes") == [
        "openid",
        "instantstart/read",
        "instantstart/operate",
        "instantstart/admin",
    ]


def test_a_machine_which_no_group_narrows_cannot_delete(ours: Stacked) -> None:
    machine = client(ours, "machine")

    assert machine.texts("AllowedOAuthFlows") == ["client_credentials"]
    assert machine.text("GenerateSecret") == "True"
    assert machine.texts("AllowedOAuthScopes") == ["instantstart/read", "instantstart/operate"]


def test_a_machines_only_token_is_the_one_whose_life_is_set(ours: Stacked) -> None:
    machine = client(ours, "machine").properties

    assert machine["TokenValidityUnits"] == {"AccessToken": "minutes"}
    assert {name for name in machine if name.endswith("TokenValidity")} == {"AccessTokenValidity"}


def test_each_program_of_people_has_pages_to_sign_in_on(ours: Stacked) -> None:
    styled = {each.text("ClientId") for each in ours.of("Cognito::ManagedLoginBranding")}

    assert styled == {f"<{client(ours, name).name}>" for name in ("console", "agent")}
    assert ours.one("Cognito::UserPoolDomain").text("ManagedLoginVersion") == "2"


def test_the_domain_is_one_that_no_other_account_takes(ours: Stacked) -> None:
    assert ours.one("Cognito::UserPoolDomain").text("Domain") == "instantstart-111122223333-us-west-2"


def test_an_identity_provider_that_comes_later_leaves_every_client_who_it_is(ours: Stacked) -> None:
    federated = sign_in(providers=("CompanySaml",))[0]

    assert {each.name for each in federated.of("Cognito::UserPoolClient")} == {
        each.name for each in ours.of("Cognito::UserPoolClient")
    }
    for name in ("console", "agent"):
        before, after = client(ours, name).properties, client(federated, name).properties
        assert after["SupportedIdentityProviders"] == ["COGNITO", "CompanySaml"]
        assert {**after, "SupportedIdentityProviders": before["SupportedIdentityProviders"]} == before


def test_an_existing_pool_gets_our_clients_and_nothing_of_its_owners_is_made(
    existing: tuple[Stacked, SignIn],
) -> None:
    stack, made = existing

    assert not stack.of("Cognito::UserPool")
    assert not stack.of("Cognito::UserPoolDomain")
    assert not stack.of("Cognito::UserPoolGroup")
    assert {each.text("UserPoolId") for each in stack.of("Cognito::UserPoolClient")} == {EXISTING.id}
    assert made.addresses.issuer.endswith(f"/{EXISTING.id}")
    assert made.addresses.host == EXISTING.domain


def test_an_existing_pools_owner_is_told_what_it_has_to_be(existing: tuple[Stacked, SignIn]) -> None:
    stack, made = existing

    assert made.needs is not None
    assert all(group in made.needs for group in GROUPS)
    assert "trigger V2_0" in made.needs
    permission = stack.one("Lambda::Permission", Principal="cognito-idp.amazonaws.com")
    assert permission.text("SourceArn").endswith(f":userpool/{EXISTING.id}")
