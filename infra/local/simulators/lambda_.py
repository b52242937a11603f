"""AWS Lambda: Invoke of the functions that the topology declares; they are deployed by the host, not by an API."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import ClassVar, Protocol

from infra.local.simulators.service import JsonObject, Service, ServiceError, ServiceRequest


class _Outcome(Protocol):
    payload: str
    error: str | None


class Invoker(Protocol):
    """Runs a function by name."""

    def __call__(self, name: str, payload: object) -> _Outcome:
        """Run it; raises KeyError for an unknown name."""


class LambdaService(Service):
    """Synchronous and asynchronous Invoke."""

    name: ClassVar[str] = "lambda"

    def __init__(self, now: Callable[[], datetime], account_id: str, region: str) -> None:
        super().__init__(now, account_id, region)
        self.records = None
        self.invoker: Invoker | None = None

    @property
    def operations(self) -> Mapping[str, Callable[[JsonObject, ServiceRequest], JsonObject]]:
        """Invoke, and nothing that would change a function."""
        return {"Invoke": self._invoke}

    def _invoke(self, params: JsonObject, _: ServiceRequest) -> JsonObject:
        name = str(params["FunctionName"]).rpartition(":")[2]
        payload = params.get("Payload") or b"{}"
        if self.invoker is None:
            raise ServiceError("ServiceException", "The host is still starting", 503)
        try:
            outcome = self.invoker(name, json.loads(payload))
        except KeyError:
            arn = f"arn:aws:lambda:{self.region}:{self.account_id}:function:{name}"
            raise ServiceError("ResourceNotFoundException", f"Function not found: {arn}", 404) from None
        answer: JsonObject = {"StatusCode": 200, "ExecutedVersion": "$LATEST", "Payload": outcome.payload.encode()}
        return {**answer, "FunctionError": outcome.error} if outcome.error else answer
