"""The one AWS endpoint: routes a signed request by its credential scope to a simulator or to moto."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl

from infra.local.authorization import refused
from infra.local.authorization.guard import Guard
from infra.local.clock import Clock
from infra.local.engine.backend import MotoEngine
from infra.local.identities import Identities
from infra.local.messages import HttpRequest, HttpResponse
from infra.local.refusals import refusal
from infra.local.simulators.service import ServiceRequest
from infra.local.world import World

_SCOPE = re.compile(r"Credential=([^/,\s]+)/(\d{8})/([a-z0-9-]+)/([a-z0-9-]+)/aws4_request")
# Source: the services' lists of common errors; the query protocols have a name of their own for it.
_EXPIRED_CODES = {
    "ec2": "RequestExpired",
    **dict.fromkeys(("cloudformation", "iam", "s3", "sts"), "ExpiredToken"),
}
_ONE_FOR_ALL_REGIONS = frozenset({"iam", "s3", "sts"})
# Stacks and clusters make resources in these services as time passes; whoever asks must see what is due.
_MADE_BY_STACKS = frozenset({"ec2", "elasticloadbalancing", "iam", "s3"})


@dataclass(frozen=True)
class CredentialScope:
    """Whose key signed, for which region and service."""

    access_key: str
    region: str
    service: str


class AwsEndpoint:
    """Answers every AWS call of the host, its functions and its users."""

    def __init__(
        self,
        clock: Clock,
        identities: Identities,
        world: World,
        engine: MotoEngine,
        region: str,
        guard: Guard,
    ) -> None:
        self._region = region
        self._clock = clock
        self._identities = identities
        self._world = world
        self._engine = engine
        self._guard = guard

    def handle(self, request: HttpRequest) -> HttpResponse:
        """Answer one request; time stands meanwhile."""
        scope = credential_scope(request) or _unsigned_scope(request, self._region)
        if scope is None:
            return refusal("", "MissingAuthenticationToken", "The request carries no AWS Signature Version 4", 403)
        if scope.region != self._region and scope.service not in _ONE_FOR_ALL_REGIONS:
            return _unverified(scope.service, f"region {scope.region}, this host is {self._region}")
        if self._expired(scope.access_key):
            code = _EXPIRED_CODES.get(scope.service, "ExpiredTokenException")
            return refusal(scope.service, code, "The security token included in the request is expired", 403)
        with self._clock.busy():
            denied = self._denied(request, scope)
            if denied is not None:
                return denied
            simulator = self._world.services.get(scope.service)
            if simulator is not None:
                principal = self._identities.principal(scope.access_key)
                with self._world.settled(scope.service):
                    return simulator.handle(ServiceRequest(request, scope.region, principal))
            return self._engine_answer(request, scope)

    def session_of(self, request: HttpRequest) -> str:
        """Name the session of a role that signed a request; empty for everybody else."""
        scope = credential_scope(request)
        identity = self._identities.get(scope.access_key) if scope else None
        return identity.session if identity else ""

    def _expired(self, access_key: str) -> bool:
        identity = self._identities.get(access_key)
        return identity is not None and identity.expires is not None and identity.expires <= self._clock.now()

    def _denied(self, request: HttpRequest, scope: CredentialScope) -> HttpResponse | None:
        """Refuse what the policy of a role of the deployment does not allow; people and the host do what they want."""
        principal = self._identities.principal(scope.access_key)
        role = principal.role_arn.rpartition("/")[2]
        if not self._guard.judges(role):
            return None
        denial = self._guard.denial(role, scope.service, request)
        return None if denial is None else refused.answer(denial, scope.service, principal.arn, request)

    def _engine_answer(self, request: HttpRequest, scope: CredentialScope) -> HttpResponse:
        if not self._engine.serves(scope.service):
            return _unverified(scope.service, f"service {scope.service}")
        if scope.service in _MADE_BY_STACKS:
            self._world.settle_what_is_due()
        try:
            return self._engine.handle(request, scope.service, scope.region)
        except (NotImplementedError, LookupError) as error:
            return _unverified(scope.service, f"{scope.service} {request.method} {request.path}: {error}")


def credential_scope(request: HttpRequest) -> CredentialScope | None:
    """Read the credential scope from the Authorization header or from a presigned URL."""
    found = _SCOPE.search(request.headers.get("authorization", ""))
    if found:
        return CredentialScope(found[1], found[3], found[4])
    credential = dict(parse_qsl(request.query)).get("X-Amz-Credential", "").split("/")
    return CredentialScope(credential[0], credential[2], credential[3]) if len(credential) == 5 else None


def _unsigned_scope(request: HttpRequest, region: str) -> CredentialScope | None:
    """A web identity token is its bearer's only credential: the calls that carry one are not signed."""
    text = request.body.decode(errors="replace") if request.method == "POST" else request.query
    token_only = dict(parse_qsl(text)).get("Action") == "AssumeRoleWithWebIdentity"
    return CredentialScope("", region, "sts") if token_only else None


def _unverified(service: str, what: str) -> HttpResponse:
    return refusal(service, "UnverifiedOperation", f"unverified: {what} is not simulated", 501)
