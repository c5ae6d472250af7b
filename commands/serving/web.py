"""The service as an ASGI application: what is wrong is said in one line."""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...core.errors import InputError, one_line
from .answers import json_bytes
from .openapi import Answer, Call, calls_about
from .senders import Guard
from .service import NotNow, Service
from .v1 import V1

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Upper ends of the histograms."""


class Metrics:
    """What a service did since it was started."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = registry = CollectorRegistry()
        self._answers = Counter(
            "slotwise_answers", "Answers by call and status", ["call", "status"], registry=registry
        )
        self._seconds = Histogram(
            "slotwise_answer_seconds",
            "From the head of a request to its answer, with the wait for the disk",
            ["call"],
            buckets=SECONDS,
            registry=registry,
        )
        kinds = ("machines", "running", "waiting")
        self._counts = [
            Gauge(f"slotwise_{kind}", text, registry=registry)
            for kind, text in zip(
                kinds, ("Machines", "Jobs that run", "Jobs that wait"), strict=True
            )
        ]

    def answered(self, call: str, status: int, seconds: float) -> None:
        self._answers.labels(call, str(status)).inc()
        self._seconds.labels(call).observe(seconds)

    def calls(self) -> list[Call]:
        """Where it is read."""
        return [Call("GET", "/metrics", self.read, "Counters and histograms for Prometheus")]

    async def read(self, request: Request) -> Answer:
        """All of it."""
        for gauge, number in zip(self._counts, self._service.dispatcher.counts, strict=True):
            gauge.set(number)
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)


def application(service: Service, guard: Guard) -> Starlette:
    """The application; of two paths that match the first counts."""
    metrics = Metrics(service)
    calls = [*V1(service).calls(), *metrics.calls()]
    calls_about(calls, token=guard.token is not None)
    by_path: dict[str, dict[str, Call]] = {}
    for call in calls:
        by_path.setdefault(call.path, {})[call.method] = call

    def route(path: str, calls: Mapping[str, Call]) -> Route:
        async def endpoint(request: Request) -> Response:
            began = monotonic()
            call = calls["GET" if request.method == "HEAD" else request.method]
            response = await _answered(service, guard, call, request)
            name = f"{call.method} {call.path}"
            metrics.answered(name, response.status_code, monotonic() - began)
            return response

        return Route(path, endpoint, methods=list(calls))

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _failure(error.status_code, error.detail)

    routes = [route(path, calls) for path, calls in by_path.items()]
    site = Starlette(routes=routes, exception_handlers={HTTPException: failed})
    site.router.redirect_slashes = False
    return site


async def _answered(service: Service, guard: Guard, call: Call, request: Request) -> Response:
    """The answer to a request, when all that it tells of is on the disk."""
    try:
        guard.check(request, is_open=call.is_open)
        answer = await call.answer(request)
        await service.kept()
        return answer if isinstance(answer, Response) else _response(200, answer)
    except HTTPException as error:
        return _failure(error.status_code, error.detail)
    except NotNow as error:
        return _failure(503, str(error))
    except (ValueError, InputError, RecursionError, ClientDisconnect) as error:
        return _failure(400, str(error) or type(error).__name__)
    except Exception as error:  # nothing was kept, so nothing has changed
        return _failure(503, f"not done: {type(error).__name__}: {error}")


def _response(status: int, document: Any) -> Response:
    return Response(json_bytes(document) + b"\n", status, media_type="application/json")


def _failure(status: int, line: str) -> Response:
    return _response(status, {"error": one_line(line, 300)})
