"""AWS STS: who am I, and sessions of roles for those whom they trust; the keys are the host's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, ClassVar, Final, Protocol

from infra.local.simulators.neighbours import role_of
from infra.local.simulators.service import (
    JsonObject,
    Service,
    ServiceError,
    ServiceRequest,
    refuse_unverified,
)
from infra.local.simulators.sts_trust import admits
from infra.local.simulators.sts_web_identity import WebIdentities

if TYPE_CHECKING:
    from infra.local.simulators.neighbours import ClientFactory

# What a session of a role may ask for, and what anybody gets who does not ask.
_CHAINED_SECONDS: Final = 3600


class _Identity(Protocol):
    @property
    def access_key(self) -> str: ...
    @property
    def secret_key(self) -> str: ...
    @property
    def session_token(self) -> str | None: ...
    @property
    def arn(self) -> str: ...


class StsService(Service):
    """GetCallerIdentity, AssumeRole and AssumeRoleWithWebIdentity."""

    name: ClassVar[str] = "sts"

    def __init__(
        self,
        now: Callable[[], datetime],
        account_id: str,
        region: str,
        assume: Callable[[str, str, datetime], _Identity],
        iam: ClientFactory,
        web: WebIdentities,
    ) -> None:
        super().__init__(now, account_id, region)
        self.records = None
        self._assume = assume
        self._iam = iam
        self._web = web

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """What the host's functions and users ask of STS."""
        return {
            "GetCallerIdentity": self._get_caller_identity,
            "AssumeRole": self._assume_role,
            "AssumeRoleWithWebIdentity": self._assume_role_with_web_identity,
        }

    def _get_caller_identity(self, _: JsonObject, request: ServiceRequest) -> JsonObject:
        principal = request.principal
        return {"UserId": principal.access_key, "Account": principal.account_id, "Arn": principal.arn}

    def _assume_role(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, {"RoleArn", "RoleSessionName", "DurationSeconds"})
        arn, caller = params["RoleArn"], request.principal
        role = role_of(self._iam(), arn)
        if role is None or not admits(role["AssumeRolePolicyDocument"], caller):
            message = f"User: {caller.arn} is not authorized to perform: sts:AssumeRole on resource: {arn}"
            raise ServiceError("AccessDenied", message, 403)
        seconds = params.get("DurationSeconds")
        if caller.role_arn and (seconds or 0) > _CHAINED_SECONDS:
            message = (
                "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining"
            )
            raise ServiceError("ValidationError", message, 400)
        return self._session(arn, params["RoleSessionName"], seconds)

    def _assume_role_with_web_identity(self, params: JsonObject, request: ServiceRequest) -> JsonObject:
        refuse_unverified(params, {"RoleArn", "RoleSessionName", "WebIdentityToken", "DurationSeconds"})
        role = params["RoleArn"]
        bearer = self._web.admit(role, params["WebIdentityToken"])
        return {
            **self._session(role, params["RoleSessionName"], params.get("DurationSeconds")),
            "SubjectFromWebIdentityToken": bearer.subject,
            "Audience": bearer.audience,
            "Provider": bearer.provider,
        }

    def _session(self, role: str, session: str, seconds: int | None) -> JsonObject:
        expires = self.now() + timedelta(seconds=seconds or _CHAINED_SECONDS)
        identity = self._assume(role, session, expires)
        return {
            "Credentials": {
                "AccessKeyId": identity.access_key,
                "SecretAccessKey": identity.secret_key,
                "SessionToken": identity.session_token,
                "Expiration": expires,
            },
            "AssumedRoleUser": {"AssumedRoleId": f"{identity.access_key}:{session}", "Arn": identity.arn},
        }
