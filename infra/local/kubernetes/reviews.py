"""Reviews: virtual resources that are answered, not stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from infra.local.kubernetes.authorization import Action, Authorizer
from infra.local.kubernetes.call import Call
from infra.local.kubernetes.documents import JsonObject, mapping, strings, text
from infra.local.kubernetes.errors import BadRequest
from infra.local.kubernetes.identity import AUTHENTICATED, Identity
from infra.local.kubernetes.resources import (
    ACCESS_REVIEWS,
    RULES_REVIEWS,
    SELF_REVIEWS,
    SUBJECT_REVIEWS,
    TOKEN_REVIEWS,
)
from infra.local.messages import HttpResponse

KEYS = tuple(r.key for r in (ACCESS_REVIEWS, SELF_REVIEWS, SUBJECT_REVIEWS, RULES_REVIEWS, TOKEN_REVIEWS))
_RULE_FIELDS = ("verbs", "apiGroups", "resources", "resourceNames")


@dataclass(frozen=True)
class Reviewer:
    """Answers reviews from the authorizer and from who a token belongs to."""

    authorizer: Authorizer
    identify: Callable[[str | None], Identity | None]

    def review(self, call: Call) -> HttpResponse:
        """Answer any review.

        Raises BadRequest for a body that is no such review.
        """
        document = call.document()
        status = self._status(call, document)
        identity: JsonObject = {"apiVersion": call.resource.api_version, "kind": call.resource.kind}
        return HttpResponse.of_json(201, {"spec": {}, **document, **identity, "status": status})

    def _status(self, call: Call, document: JsonObject) -> JsonObject:
        match call.resource.key:
            case SELF_REVIEWS.key:
                return {"userInfo": _user(call.identity)}
            case ACCESS_REVIEWS.key:
                return self._access(call.identity, mapping(document, "spec"))
            case SUBJECT_REVIEWS.key:
                groups = tuple(strings(document, "spec", "groups"))
                return self._access(Identity(text(document, "spec", "user"), groups), mapping(document, "spec"))
            case RULES_REVIEWS.key:
                return self._rules(call.identity, text(document, "spec", "namespace"))
            case _:
                found = self.identify(text(document, "spec", "token"))
                return {"authenticated": False} if found is None else {"authenticated": True, "user": _user(found)}

    def _access(self, identity: Identity, spec: JsonObject) -> JsonObject:
        reason = self.authorizer.reason(identity, _action(spec))
        return {"allowed": True, "reason": reason} if reason else {"allowed": False}

    def _rules(self, identity: Identity, namespace: str) -> JsonObject:
        rules = [rule for _, rule in self.authorizer.rules(identity, namespace)]
        resources = [{key: rule[key] for key in _RULE_FIELDS if key in rule} for rule in rules if "resources" in rule]
        paths = [
            {"verbs": r["verbs"], "nonResourceURLs": r["nonResourceURLs"]} for r in rules if "nonResourceURLs" in r
        ]
        return {"resourceRules": resources, "nonResourceRules": paths, "incomplete": False}


def _action(spec: JsonObject) -> Action:
    if "nonResourceAttributes" in spec:
        attributes = mapping(spec, "nonResourceAttributes")
        return Action(text(attributes, "verb"), path=text(attributes, "path"))
    attributes = mapping(spec, "resourceAttributes")
    if not attributes:
        raise BadRequest("exactly one of nonResourceAttributes or resourceAttributes must be specified")
    names = (text(attributes, key) for key in ("verb", "group", "resource", "subresource", "name", "namespace"))
    return Action(*names)


def _user(identity: Identity) -> JsonObject:
    groups = list(dict.fromkeys((*identity.groups, AUTHENTICATED)))
    found: JsonObject = {"username": identity.username, "groups": groups}
    return {**found, "uid": identity.uid} if identity.uid else found
