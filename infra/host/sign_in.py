"""Who may sign in and with which programs: a Cognito user pool, its scopes, groups and clients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from functions.core.declaration import Scope
from functions.core.groups import ADMINISTRATORS, OPERATORS, READERS
from infra.host.acknowledged import acknowledge
from infra.host.addresses import AGENT_CALLBACK, Clients, SignInAddresses, api_scopes, mcp_scopes, mcp_url
from infra.topology import PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.host.context import Context, ExistingUserPool
    from infra.release import Place

RESOURCE: Final = "instantstart"
# Adds nothing of its own and takes out of a token each scope that the groups of its owner do not hold.
TOKEN_CLAIMS: Final = "token_claims"  # the name of a function
GROUPS: Final = {
    READERS: "May look at everything",
    OPERATORS: "May create and change clusters and what runs on them",
    ADMINISTRATORS: "May delete clusters and give others access",
}
_PURPOSES: Final = {
    Scope.READ: "Look at everything",
    Scope.OPERATE: "Create and change clusters and what runs on them",
    Scope.ADMIN: "Delete clusters, give others access",
}
# A machine signs in without a user, so no group narrows what it holds: deleting is left to people.
MACHINE_SCOPES: Final = (f"{RESOURCE}/{Scope.READ}", f"{RESOURCE}/{Scope.OPERATE}")
_MINUTES: Final = cognito.CfnUserPoolClient.TokenValidityUnitsProperty(
    access_token="minutes", id_token="minutes", refresh_token="minutes"
)
_DAY: Final = 24 * 60
_MANAGED_LOGIN: Final = 2


def sign_in_host(context: Context, place: Place) -> str:
    """Name the host of the sign-in pages."""
    existing = context.existing_user_pool
    return existing.domain if existing else f"{_domain_prefix(place)}.auth.{place.region}.amazoncognito.com"


def _domain_prefix(place: Place) -> str:
    # All accounts of a region share these names.
    return f"{PREFIX}{place.account}-{place.region}"


class SignIn(Construct):
    """The user pool with what the product registers in it; `addresses` say where tokens come from, `clients` are ids.

    Programs are registered once: adding an identity provider to the pool changes what they accept, not who they are.
    A pool that exists already belongs to others. It gets our clients and scopes; its users' groups, its domain and
    its trigger are its owner's, and `needs` says in a sentence what they have to be (else None).
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        origin: str,
        functions: Mapping[str, lambda_.Function],
        context: Context,
        place: Place,
        identity_providers: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, construct_id)
        self._place = place
        self._providers = ["COGNITO", *identity_providers]
        token_claims = functions.get(TOKEN_CLAIMS)
        existing = context.existing_user_pool
        self.needs = _needs(token_claims) if existing else None
        self.pool_id = self._use(existing, token_claims) if existing else self._make(token_claims)
        issuer = f"https://cognito-idp.{place.region}.{place.url_suffix}/{self.pool_id}"
        self.addresses = SignInAddresses(issuer, sign_in_host(context, place))
        self.clients = self._add_clients(origin)

    # -- the pool

    def _make(self, token_claims: lambda_.Function | None) -> str:
        pool = cognito.UserPool(
            self,
            "Users",
            user_pool_name=f"{PREFIX}users",
            feature_plan=cognito.FeaturePlan.ESSENTIALS,
            self_sign_up_enabled=False,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            mfa=cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            password_policy=cognito.PasswordPolicy(
                min_length=12,
                require_lowercase=True,
                require_uppercase=True,
                require_digits=True,
                require_symbols=True,
                temp_password_validity=Duration.days(3),
            ),
            # Who may do what is remembered here and nowhere else.
            deletion_protection=True,
            removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        )
        acknowledge(pool, "COG2", "A second factor is offered; a company asks for it where its people are federated.")
        acknowledge(pool, "COG8", "The plan Plus costs by the user each month, and nothing here relies on it.")
        if token_claims is not None:
            operation = cognito.UserPoolOperation.PRE_TOKEN_GENERATION_CONFIG
            pool.add_trigger(operation, token_claims, cognito.LambdaVersion.V2_0)
        for name, purpose in GROUPS.items():
            cognito.CfnUserPoolGroup(
                self, f"Group-{name}", user_pool_id=pool.user_pool_id, group_name=name, description=purpose
            )
        cognito.CfnUserPoolDomain(
            self,
            "Domain",
            user_pool_id=pool.user_pool_id,
            domain=_domain_prefix(self._place),
            managed_login_version=_MANAGED_LOGIN,
        )
        return pool.user_pool_id

    def _use(self, existing: ExistingUserPool, token_claims: lambda_.Function | None) -> str:
        if token_claims is not None:
            token_claims.add_permission(
                "ExistingUserPool",
                principal=iam.ServicePrincipal("cognito-idp.amazonaws.com"),
                source_arn=self._place.arn("cognito-idp", f"userpool/{existing.id}"),
            )
        return existing.id

    # -- what is registered in it

    def _add_clients(self, origin: str) -> Clients:
        of_api = self._add_scopes("ApiScopes", RESOURCE, "The API")
        of_mcp = self._add_scopes("McpScopes", mcp_url(origin), "The MCP endpoint")
        console = self._add_public_client("Console", ["openid", *api_scopes()], f"{origin}/", refresh_minutes=_DAY)
        # An agent works for weeks without its person's looking after it.
        agent = self._add_public_client("Agent", mcp_scopes(origin), AGENT_CALLBACK, refresh_minutes=30 * _DAY)
        machine = self._add_machine_client()
        for client in (console, machine):
            client.add_resource_dependency(of_api)
        agent.add_resource_dependency(of_mcp)
        return Clients(console=console.ref, agent=agent.ref, machine=machine.ref)

    def _add_scopes(self, construct_id: str, identifier: str, name: str) -> cognito.CfnUserPoolResourceServer:
        scopes = [
            cognito.CfnUserPoolResourceServer.ResourceServerScopeTypeProperty(
                scope_name=scope, scope_description=purpose
            )
            for scope, purpose in _PURPOSES.items()
        ]
        return cognito.CfnUserPoolResourceServer(
            self, construct_id, user_pool_id=self.pool_id, identifier=identifier, name=name, scopes=scopes
        )

    def _add_public_client(
        self, name: str, scopes: Sequence[str], callback: str, *, refresh_minutes: int
    ) -> cognito.CfnUserPoolClient:
        """Register a program that cannot keep a secret: it proves itself by PKCE, and its callback is fixed."""
        client = cognito.CfnUserPoolClient(
            self,
            name,
            user_pool_id=self.pool_id,
            client_name=f"{PREFIX}{name.lower()}",
            generate_secret=False,
            allowed_o_auth_flows_user_pool_client=True,
            allowed_o_auth_flows=["code"],
            allowed_o_auth_scopes=[*scopes],
            callback_ur_ls=[callback],
            logout_ur_ls=[callback],
            supported_identity_providers=self._providers,
            # Rotation leaves no refreshing but OAuth's own; a flow must be named, or Cognito allows three.
            explicit_auth_flows=["ALLOW_USER_SRP_AUTH"],
            refresh_token_rotation=cognito.CfnUserPoolClient.RefreshTokenRotationProperty(
                feature="ENABLED", retry_grace_period_seconds=60
            ),
            prevent_user_existence_errors="ENABLED",
            enable_token_revocation=True,
            access_token_validity=60,
            id_token_validity=60,
            refresh_token_validity=refresh_minutes,
            token_validity_units=_MINUTES,
        )
        # Without a style of its own a client has no pages of managed login.
        cognito.CfnManagedLoginBranding(
            self,
            f"{name}Style",
            user_pool_id=self.pool_id,
            client_id=client.ref,
            use_cognito_provided_values=True,
        )
        return client

    def _add_machine_client(self) -> cognito.CfnUserPoolClient:
        return cognito.CfnUserPoolClient(
            self,
            "Machine",
            user_pool_id=self.pool_id,
            client_name=f"{PREFIX}machine",
            generate_secret=True,
            allowed_o_auth_flows_user_pool_client=True,
            allowed_o_auth_flows=["client_credentials"],
            allowed_o_auth_scopes=[*MACHINE_SCOPES],
            explicit_auth_flows=["ALLOW_USER_SRP_AUTH"],
            prevent_user_existence_errors="ENABLED",
            enable_token_revocation=True,
            access_token_validity=60,
            # It gets no other token: a unit alone would be that of a number that Cognito means in hours or days.
            token_validity_units=cognito.CfnUserPoolClient.TokenValidityUnitsProperty(access_token="minutes"),
        )


def _needs(token_claims: lambda_.Function | None) -> str:
    trigger = token_claims.function_arn if token_claims else f"of the function {TOKEN_CLAIMS}"
    return (
        f"The existing user pool must have the groups {', '.join(GROUPS)}, a domain with managed login, and the "
        f"pre-token-generation trigger V2_0 {trigger}: without the trigger, tokens name every scope, and the API alone "
        "refuses what their owners' groups do not hold."
    )
