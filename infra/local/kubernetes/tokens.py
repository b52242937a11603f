"""Tokens of service accounts: made by the `token` subresource, known again as bearer tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from datetime import UTC, datetime, timedelta

from infra.local.kubernetes.call import Call, decode_object
from infra.local.kubernetes.documents import JsonObject, integer, mapping, strings, text, value_at
from infra.local.kubernetes.errors import Cause, Invalid, MethodNotAllowed
from infra.local.kubernetes.identity import AUTHENTICATED, Identity
from infra.local.kubernetes.metadata import timestamp
from infra.local.kubernetes.resources import SERVICE_ACCOUNTS
from infra.local.kubernetes.store import Store
from infra.local.messages import HttpResponse

# The audience of the API server, and the issuer where a host names no other.
ISSUER = "https://kubernetes.default.svc"
_DEFAULT_SECONDS, _LEAST_SECONDS = 3600, 600
_HEADER = {"alg": "HS256", "typ": "JWT"}


class TokenIssuer:
    """Signs and checks the tokens of one cluster's service accounts."""

    def __init__(self, store: Store, issuer: str = ISSUER) -> None:
        self._store = store
        self._issuer = issuer
        self._key = secrets.token_bytes(32)

    def request(self, call: Call) -> HttpResponse:
        """Answer a TokenRequest for a service account.

        Raises NotFound, and Invalid for a lifetime under ten minutes.
        """
        if call.request.method != "POST":
            raise MethodNotAllowed()
        wanted = decode_object(call.request, call.media_type)
        account = call.store.get(call.resource, call.target.name, call.target.namespace)
        seconds = integer(wanted, "spec", "expirationSeconds") or _DEFAULT_SECONDS
        if seconds < _LEAST_SECONDS:
            message = f"Invalid value: {seconds}: may not specify a duration less than 10 minutes"
            cause = Cause("FieldValueInvalid", "spec.expirationSeconds", message)
            raise Invalid("TokenRequest", call.target.name, "authentication.k8s.io", [cause])
        audiences = strings(wanted, "spec", "audiences") or [ISSUER]
        expires = self._store.now() + timedelta(seconds=seconds)
        token = self._sign(account, audiences, expires)
        answer: JsonObject = {
            "kind": "TokenRequest",
            "apiVersion": "authentication.k8s.io/v1",
            "metadata": {"name": call.target.name, "namespace": call.target.namespace},
            "spec": {**mapping(wanted, "spec"), "audiences": audiences, "expirationSeconds": seconds},
            "status": {"token": token, "expirationTimestamp": timestamp(expires)},
        }
        return HttpResponse.of_json(201, answer)

    def identify(self, token: str | None) -> Identity | None:
        """The service account behind a token; None when it is not ours, has expired or its account is gone."""
        claims = self.claims(token or "")
        if claims is None or datetime.fromtimestamp(integer(claims, "exp"), UTC) <= self._store.now():
            return None
        owner = mapping(claims, "kubernetes.io")
        namespace, name = text(owner, "namespace"), text(owner, "serviceaccount", "name")
        uid = text(owner, "serviceaccount", "uid")
        account = self._store.find(SERVICE_ACCOUNTS, name, namespace)
        if account is None or text(account, "metadata", "uid") != uid or ISSUER not in strings(claims, "aud"):
            return None
        return account_identity(namespace, name, uid)

    def claims(self, token: str) -> JsonObject | None:
        """What a token of ours says, whatever its audience and age; None when we did not sign it."""
        body, _, signature = token.rpartition(".")
        if not body or not hmac.compare_digest(signature.encode(), self._signature(body).encode()):
            return None
        payload = body.partition(".")[2]
        return mapping(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))

    def _sign(self, account: JsonObject, audiences: list[str], expires: datetime) -> str:
        namespace, name = text(account, "metadata", "namespace"), text(account, "metadata", "name")
        claims: JsonObject = {
            "iss": self._issuer,
            "aud": audiences,
            "iat": int(self._store.now().timestamp()),
            "exp": int(expires.timestamp()),
            "sub": f"system:serviceaccount:{namespace}:{name}",
            "kubernetes.io": {
                "namespace": namespace,
                "serviceaccount": {"name": name, "uid": value_at(account, "metadata", "uid")},
            },
        }
        body = f"{_encoded(_HEADER)}.{_encoded(claims)}"
        return f"{body}.{self._signature(body)}"

    def _signature(self, body: str) -> str:
        digest = hmac.new(self._key, body.encode(), hashlib.sha256).digest()
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def account_identity(namespace: str, name: str, uid: str = "") -> Identity:
    """Who a service account is to the API."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", AUTHENTICATED)
    return Identity(f"system:serviceaccount:{namespace}:{name}", groups, uid=uid)


def _encoded(document: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(document).encode()).decode().rstrip("=")
