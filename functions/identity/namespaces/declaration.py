"""What namespaces add to the product."""

from __future__ import annotations

from functions.core.declaration import Declaration, Route, Scope, Stage, Tool

DECLARATION = Declaration(
    domain="identity",
    routes=(
        Route(
            "list_namespaces",
            "GET",
            "/api/clusters/{tag}/namespaces",
            Scope.READ,
            "List the namespaces of a cluster",
            function="kubernetes",
        ),
        Route(
            "create_namespace",
            "POST",
            "/api/clusters/{tag}/namespaces",
            Scope.OPERATE,
            "Make a namespace in a cluster",
            202,
            function="kubernetes",
        ),
    ),
    stages=(
        Stage(
            kind="namespace",
            function="stages_workloads",
            title="Namespace",
            expected_seconds=5,
            actions=("eks:DescribeCluster", "sts:AssumeRole"),
        ),
    ),
    tools=(
        Tool(
            "namespace_list",
            "list_namespaces",
            "List namespaces",
            "List the namespaces of a cluster.",
        ),
        Tool(
            "namespace_create",
            "create_namespace",
            "Make a namespace",
            "Make a namespace in a cluster.",
        ),
    ),
)
