"""A kubeconfig without credentials: kubectl asks the AWS CLI for a token each time.

Sources: Amazon EKS user guide, "Connect kubectl to an EKS cluster by creating a kubeconfig file"; Kubernetes
documentation, "Client authentication (v1beta1)".
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from functions.core.cluster import ApiServer


def kubeconfig(tag: str, server: ApiServer, region: str, role_arn: str | None) -> str:
    """Write the file as YAML; every value is quoted as JSON, which YAML reads the same."""
    authority = base64.b64encode(server.certificate_authority.encode()).decode()
    arguments = ["--region", region, "eks", "get-token", "--cluster-name", server.cluster, "--output", "json"]
    arguments += ["--role-arn", role_arn] if role_arn else []
    return "\n".join(
        [
            "apiVersion: v1",
            "kind: Config",
            f"current-context: {_quoted(tag)}",
            "clusters:",
            f"- name: {_quoted(tag)}",
            "  cluster:",
            f"    server: {_quoted(server.endpoint)}",
            f"    certificate-authority-data: {_quoted(authority)}",
            "contexts:",
            f"- name: {_quoted(tag)}",
            "  context:",
            f"    cluster: {_quoted(tag)}",
            f"    user: {_quoted(tag)}",
            "users:",
            f"- name: {_quoted(tag)}",
            "  user:",
            "    exec:",
            "      apiVersion: client.authentication.k8s.io/v1beta1",
            "      command: aws",
            "      args:",
            *(f"      - {_quoted(argument)}" for argument in arguments),
            "      installHint: Install version 2 of the AWS CLI, and sign in with it.",
            "",
        ]
    )


def _quoted(text: str) -> str:
    return json.dumps(text)
