"""What the catalog adds to the product: routes that read what can be had."""

from functions.core.declaration import Declaration, Route, Scope

_ROOT = "/api/catalog"

DECLARATION = Declaration(
    domain="catalog",
    routes=(
        Route("list_regions", "GET", f"{_ROOT}/regions", Scope.READ, "List the regions of this deployment"),
        Route(
            "list_availability_zones",
            "GET",
            f"{_ROOT}/availability_zones",
            Scope.READ,
            "List the availability zones and what each offers",
        ),
        Route("list_instance_types", "GET", f"{_ROOT}/instance_types", Scope.READ, "List instance types"),
        Route(
            "get_instance_type",
            "GET",
            f"{_ROOT}/instance_types/{{instance_type}}",
            Scope.READ,
            "Read an instance type",
        ),
        Route("list_training_plans", "GET", f"{_ROOT}/training_plans", Scope.READ, "List the account's training plans"),
        Route(
            "list_training_plan_offerings",
            "GET",
            f"{_ROOT}/training_plan_offerings",
            Scope.READ,
            "Search training plans that could be bought",
        ),
        Route("list_quotas", "GET", f"{_ROOT}/quotas", Scope.READ, "List quotas with their use"),
        Route(
            "get_cidr_suggestion",
            "GET",
            f"{_ROOT}/cidr_suggestion",
            Scope.READ,
            "Suggest address ranges for a new cluster",
        ),
        Route(
            "list_importable_clusters",
            "GET",
            f"{_ROOT}/importable_clusters",
            Scope.READ,
            "List EKS clusters that could be imported",
        ),
        Route(
            "list_kubernetes_versions",
            "GET",
            f"{_ROOT}/kubernetes_versions",
            Scope.READ,
            "List Kubernetes versions",
        ),
    ),
    route_actions=(
        "ec2:DescribeAddresses",
        "ec2:DescribeAvailabilityZones",
        "ec2:DescribeInstanceTypeOfferings",
        "ec2:DescribeInstanceTypes",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DescribeVpcPeeringConnections",
        "ec2:DescribeVpcs",
        "eks:DescribeCluster",
        "eks:DescribeClusterVersions",
        "eks:ListClusters",
        "sagemaker:DescribeCluster",
        "sagemaker:ListClusters",
        "sagemaker:ListTrainingPlans",
        "sagemaker:SearchTrainingPlanOfferings",
        "servicequotas:GetServiceQuota",
        "servicequotas:ListServiceQuotas",
    ),
)
