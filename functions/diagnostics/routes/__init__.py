"""The route of diagnoses: one look at a cluster, and what it means.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Path, Query

from functions.core import gathering
from functions.diagnostics import rules
from functions.diagnostics.models.answers import Diagnosis
from functions.diagnostics.routes import ledger
from functions.diagnostics.routes.look import look
from functions.diagnostics.rules.areas import named

Tag = Annotated[str, Path(max_length=64, description="The tag of a cluster.")]
Areas = Annotated[
    str | None, Query(max_length=256, description="Areas to look at alone, parted by commas; all when left out.")
]

__all__ = ["get_diagnosis"]


def get_diagnosis(tag: Tag, areas: Areas = None) -> Diagnosis:
    """Look at all that a cluster consists of, and say what keeps it from working; nothing is changed."""
    wanted = named(areas)
    spec, recorded = ledger.read(tag)
    return rules.diagnose(look(spec, recorded, wanted, gathering.at_edge()), wanted)
