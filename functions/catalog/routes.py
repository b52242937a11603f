"""The catalog's routes, one folder each; this is the list that `entry/api.py` reads."""

from functions.catalog.addresses.routes import get_cidr_suggestion
from functions.catalog.importable_clusters.routes import list_importable_clusters
from functions.catalog.instance_types.routes import get_instance_type, list_instance_types
from functions.catalog.kubernetes_versions.routes import list_kubernetes_versions
from functions.catalog.places.routes import list_availability_zones, list_regions
from functions.catalog.quotas.routes import list_quotas
from functions.catalog.training_plans.routes import list_training_plan_offerings, list_training_plans

__all__ = [
    "get_cidr_suggestion",
    "get_instance_type",
    "list_availability_zones",
    "list_importable_clusters",
    "list_instance_types",
    "list_kubernetes_versions",
    "list_quotas",
    "list_regions",
    "list_training_plan_offerings",
    "list_training_plans",
]
