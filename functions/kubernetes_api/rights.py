"""What a role of ours may do in a cluster, asked of the cluster itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from functions.core.documents import member
from functions.kubernetes_api.objects import ACCESS_REVIEWS, create

if TYPE_CHECKING:
    from pydantic import JsonValue

    from functions.kubernetes_api.connection import ClusterClient


def may(client: ClusterClient, verb: str, group: str, resource: str) -> bool:
    """Say whether the client's role may do something with a kind of object in every namespace.

    Raises StageFailed with the code K8S_ACCESS_ENTRY_MISSING when the cluster does not know the role, and Unavailable
    when it does not answer.
    """
    name, _, part = resource.partition("/")
    attributes: dict[str, JsonValue] = {"verb": verb, "group": group, "resource": name}
    if part:
        attributes["subresource"] = part
    answer = create(
        client,
        ACCESS_REVIEWS,
        {
            "apiVersion": ACCESS_REVIEWS.api_version,
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        },
    )
    return member(answer, "status").get("allowed") is True
