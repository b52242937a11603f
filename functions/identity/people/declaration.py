"""What access for people adds to the product."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

DECLARATION = Declaration(
    domain="identity",
    routes=(
        Route("list_access", "GET", "/api/clusters/{tag}/access", Scope.ADMIN, "List who may enter a cluster"),
        Route(
            "grant_access",
            "POST",
            "/api/clusters/{tag}/access",
            Scope.ADMIN,
            "Let a role or user into a cluster or some of its namespaces",
            202,
        ),
        Route(
            "revoke_access",
            "DELETE",
            "/api/clusters/{tag}/access",
            Scope.ADMIN,
            "Take a role's or user's access back, whole or from namespaces",
            202,
        ),
        Route(
            "get_kubeconfig",
            "GET",
            "/api/clusters/{tag}/kubeconfig",
            Scope.READ,
            "Read a kubeconfig of a cluster, without credentials",
            media="application/yaml",
        ),
    ),
    stages=(
        Stage(
            kind="people_access",
            function="stages_cluster",
            title="Access of a role or user",
            expected_seconds=5,
            actions=(
                # A condition on another record is a part of a transaction.
                "dynamodb:ConditionCheckItem",
                "eks:DescribeCluster",
                "eks:DescribeAccessEntry",
                "eks:CreateAccessEntry",
                "eks:DeleteAccessEntry",
                "eks:ListAssociatedAccessPolicies",
                "eks:AssociateAccessPolicy",
                "eks:DisassociateAccessPolicy",
                "eks:TagResource",
            ),
        ),
    ),
    route_actions=(
        "eks:DescribeCluster",
        "eks:ListAccessEntries",
        "eks:DescribeAccessEntry",
        "eks:ListAssociatedAccessPolicies",
    ),
    tools=(
        Tool(
            "access_list",
            "list_access",
            "List access",
            "List who may enter a cluster with kubectl.",
            additional=True,
        ),
        Tool(
            "access_grant",
            "grant_access",
            "Grant access",
            "Let an IAM role or user into a cluster or some of its namespaces.",
            additional=True,
        ),
        Tool(
            "access_revoke",
            "revoke_access",
            "Revoke access",
            "Take a role's or user's access to a cluster back, whole or from namespaces.",
            destroys=True,
            additional=True,
        ),
        Tool(
            "kubeconfig_get",
            "get_kubeconfig",
            "Read a kubeconfig",
            "Read a kubeconfig of a cluster; it has no credentials in it.",
        ),
    ),
)
