"""The routes that read training plans and search what could be bought.

Annotations are evaluated here, because Powertools reads them to validate.
"""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import AwareDatetime

from functions.aws import training_plan_listing
from functions.catalog.answers.routes import Asking
from functions.catalog.training_plans.models import OfferingList, TrainingPlanPage
from functions.catalog.training_plans.rules import check_reservable, check_status
from functions.core import application
from functions.core.application import PageLimit, PageToken
from functions.core.ledger.paging import page_limit, seal, unseal
from functions.core.runtime import Patience

Status = Annotated[str | None, Query(description="Only plans of this status: Active, Scheduled, …", max_length=64)]
PlanType = Annotated[str, Query(description="The instance type to reserve.", max_length=64)]
Count = Annotated[int, Query(description="How many instances to reserve.", ge=1, le=256)]
Hours = Annotated[int | None, Query(description="For how long at least, in hours.", ge=1, le=87_600)]
Earliest = Annotated[AwareDatetime | None, Query(description="The earliest start, with its offset.")]


def list_training_plans(
    status: Status = None, limit: PageLimit = None, next_token: PageToken = None
) -> TrainingPlanPage:
    """List the training plans of the account; SageMaker gives at most a hundred a page."""
    check_status(status)
    caller, query = application.caller().id, {"list": "training_plans", "status": status}
    size = min(page_limit(limit), training_plan_listing.LARGEST_PAGE)
    after = unseal(next_token, query, caller) if next_token else None
    asking = Asking()
    found = asking.ask("training_plans", lambda: training_plan_listing.page(size, after, status, Patience.EDGE))
    plans, position = found or (None, None)
    return TrainingPlanPage(
        source="run_time",
        unknown=asking.unknown,
        training_plans=plans,
        next_token=seal(position, query, caller) if position else None,
    )


def list_training_plan_offerings(
    instance_type: PlanType,
    instance_count: Count = 1,
    duration_hours: Hours = None,
    starts_after: Earliest = None,
) -> OfferingList:
    """Search the training plans for HyperPod that could be bought now."""
    check_reservable(instance_type)
    asking = Asking()
    wanted = training_plan_listing.Wanted(instance_type, instance_count, duration_hours, starts_after)
    found = asking.ask("training_plan_offerings", lambda: training_plan_listing.search(wanted, Patience.EDGE))
    return OfferingList(source="run_time", unknown=asking.unknown, training_plan_offerings=found)
