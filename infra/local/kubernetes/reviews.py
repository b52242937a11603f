"""Reviews: virtual resources that are answered, not stored. Every known identity may do everything here."""

from __future__ import annotations

from infra.local.kubernetes.call import Call
from infra.local.kubernetes.documents import JsonObject
from infra.local.kubernetes.resources import SELF_REVIEWS
from infra.local.messages import HttpResponse

PROTOBUF = "application/vnd.kubernetes.protobuf"


def review(call: Call) -> HttpResponse:
    """Answer a SelfSubjectAccessReview or SelfSubjectReview.

    A protobuf body (`kubectl auth` sends one) is accepted and not echoed: the answer does not depend on it. Raises
    BadRequest for a body that is no such review.
    """
    document = {} if call.media_type == PROTOBUF else call.document()
    status: JsonObject = {"allowed": True}
    if call.resource.key == SELF_REVIEWS.key:
        status = {"userInfo": {"username": call.identity.username, "groups": list(call.identity.groups)}}
    identity: JsonObject = {"apiVersion": call.resource.api_version, "kind": call.resource.kind}
    return HttpResponse.of_json(201, {**document, **identity, "status": status})
