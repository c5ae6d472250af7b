"""The service as an ASGI application: its calls, who may ask, and errors in one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hmac import compare_digest
from ipaddress import ip_address
from time import monotonic
from typing import Annotated, Any
from urllib.parse import urlsplit

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from pydantic import AfterValidator, Field
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...core.errors import one_line
from ...core.files.json_files import Strict, json_problem, validated
from .service import NotNow, Service

MOST_BYTES, MOST_BYTES_OF_PLAN = 64 << 10, 64 << 20
"""Longest body of a request, and of a plan."""

MOST_SECONDS = 20.0
"""Within them a body has to arrive."""

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Upper ends of the histograms."""


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("printable characters")
    return name


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_printable)]
Amounts = dict[str, float]


class Asked(Strict):
    """What a job needs: its class, the nearest one, or that which labels name."""

    job_class: Name | None = Field(None, alias="class")
    demand: Amounts | None = None
    labels: dict[str, str] | None = None


class Job(Asked):
    """A job that arrives."""

    id: Name


class Scored(Asked):
    """A job that would arrive, and the machines in question."""

    machines: list[str] | None = None


class Machine(Strict):
    """A machine that joins."""

    configuration: Name
    capacity: Amounts | None = None


Answer = dict[str, Any] | Response


@dataclass(frozen=True)
class Call:
    """What is done at a path; a `ValueError` of `answer` says what is wrong with a request."""

    method: str
    path: str
    """With `{name:path}` for a name, which may have slashes."""
    about: str
    answer: Callable[[str, Any], Answer | Awaitable[Answer]]
    """Given the name in the path, and the body."""
    body: type[Strict] | type[dict[str, Any]] | None = None
    is_open: bool = False
    """Whether everybody is answered, without a token and from any page."""


def _calls(service: Service) -> list[Call]:
    job, machine = "/v1/jobs/{name:path}", "/v1/machines/{name:path}"
    one_plan = asyncio.Lock()

    def there(name: str) -> str:
        if not service.has(name):
            raise HTTPException(404, f"job {name!r} is not there")
        return name

    async def follow(_: str, document: dict[str, Any]) -> Answer:
        async with one_plan:
            plan = await asyncio.to_thread(service.dispatcher.prepare, document)
            return service.follow(plan)

    def arrive(_: str, b: Job) -> Answer:
        return service.arrive(b.id, b.job_class, b.demand, b.labels)

    def score(_: str, b: Scored) -> Answer:
        return service.score(b.job_class, b.demand, b.labels, b.machines)

    def join(name: str, b: Machine) -> Answer:
        return service.join(_printable(name), b.configuration, b.capacity)

    return [
        Call("GET", "/healthz", "Is it ready?", lambda *_: service.health(), is_open=True),
        Call("POST", "/v1/jobs", "A job arrives", arrive, Job),
        Call("GET", job, "Where a job is, and why", lambda name, _: service.job(there(name))),
        Call("DELETE", job, "A job is done", lambda name, _: service.depart(there(name))),
        Call("POST", "/v1/score", "What a start would cost", score, Scored),
        Call("POST", machine + "/drain", "It starts no job", lambda n, _: service.drain(n)),
        Call("POST", machine + "/undrain", "It does again", lambda n, _: service.undrain(n)),
        Call("PUT", machine, "A machine joins", join, Machine),
        Call("DELETE", machine, "A machine leaves", lambda name, _: service.leave(name)),
        Call("PUT", "/v1/guidance", "Another plan is followed", follow, dict),
    ]


def application(service: Service, token: str | None = None) -> Starlette:
    """The application; with a token it answers who sends that, else programs of this machine."""
    registry = CollectorRegistry()
    answers = Counter("slotwise_answers", "Answers", ["call", "status"], registry=registry)
    seconds = Histogram(
        "slotwise_answer_seconds",
        "From the head of a request to its answer, with the wait for the disk",
        ["call"],
        buckets=SECONDS,
        registry=registry,
    )
    for at, kind in enumerate(("machines", "running", "waiting")):
        gauge = Gauge(f"slotwise_{kind}", f"{kind} now", registry=registry)
        gauge.set_function(lambda at=at: service.dispatcher.counts[at])  # type: ignore[misc]

    def metrics(*_: Any) -> Answer:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    calls = _calls(service)
    calls.append(Call("GET", "/metrics", "Counters and histograms for Prometheus", metrics))
    calls.append(Call("GET", "/openapi.json", "These calls", lambda *_: openapi(calls, token)))

    def route(call: Call) -> Route:
        name = f"{call.method} {call.path}"

        async def endpoint(request: Request) -> Response:
            began = monotonic()
            response = await _answered(call, request, token)
            answers.labels(name, str(response.status_code)).inc()
            seconds.labels(name).observe(monotonic() - began)
            return response

        return Route(call.path, endpoint, methods=[call.method])

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _failure(error.status_code, error.detail)

    site = Starlette(routes=[*map(route, calls)], exception_handlers={HTTPException: failed})
    site.router.redirect_slashes = False
    return site


async def _answered(call: Call, request: Request, token: str | None) -> Response:
    try:
        if not call.is_open:
            check_sender(request, token)
        body: Any = None
        if call.body is not None:
            if issubclass(call.body, Strict):
                body = validated(call.body, await _content(request, MOST_BYTES), "body")
            else:
                body = _document(await _content(request, MOST_BYTES_OF_PLAN))
        answer = call.answer(request.path_params.get("name", ""), body)
        if isinstance(answer, Awaitable):
            answer = await answer
        return answer if isinstance(answer, Response) else _response(200, answer)
    except HTTPException as error:
        return _failure(error.status_code, error.detail)
    except NotNow as error:
        return _failure(503, str(error))
    except (ValueError, ClientDisconnect) as error:
        return _failure(400, str(error) or type(error).__name__)
    except Exception as error:  # nothing was kept, so nothing has changed
        return _failure(503, f"not done: {type(error).__name__}: {error}")


async def _content(request: Request, most: int) -> bytes:
    """The body. Raises `HTTPException` if it is too long or too slow."""
    content = bytearray()
    try:
        async with asyncio.timeout(MOST_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise HTTPException(413, f"the body is longer than {most} bytes")
    except TimeoutError:
        raise HTTPException(408, f"the body took longer than {MOST_SECONDS:g} s") from None
    return bytes(content)


def _document(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"body: {json_problem(error)}") from None
    if not isinstance(document, dict):
        raise ValueError("body: need a JSON object")
    return document


def check_sender(request: Request, token: str | None) -> None:
    """Raise `HTTPException` for who may not ask."""
    headers = request.headers
    if token is not None:
        sent = headers.get("authorization", "")
        if not compare_digest(sent.encode(), f"Bearer {token}".encode()):
            raise HTTPException(401, "need the header Authorization: Bearer TOKEN")
    elif "origin" in headers or not is_loopback(urlsplit(f"//{headers.get('host')}").hostname):
        raise HTTPException(403, "without a token only programs of this machine are answered")


def is_loopback(host: str | None) -> bool:
    """Whether an address is one of this machine that no other machine reaches."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def openapi(calls: list[Call], token: str | None) -> dict[str, Any]:
    """The calls as an OpenAPI document."""
    paths: dict[str, dict[str, Any]] = {}
    for call in calls:
        path = call.path.replace(":path}", "}")
        made: dict[str, Any] = {
            "summary": call.about,
            "responses": {
                "200": {"description": "Done"},
                "400": {"description": "What is wrong, in one line; nothing has changed"},
            },
        }
        if "{name}" in path:
            text = {"type": "string"}
            made["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": text}]
        if call.body is not None:
            schema = {"type": "object", "description": "A slotwise/guidance/1 document"}
            if issubclass(call.body, Strict):
                schema = call.body.model_json_schema()
            made["requestBody"] = {
                "required": True,
                "content": {"application/json": {"schema": schema}},
            }
        if call.is_open:
            made["security"] = []
        paths.setdefault(path, {})[call.method.lower()] = made
    document: dict[str, Any] = {"openapi": "3.1.0", "paths": paths}
    document["info"] = {"title": "slotwise serve", "version": "1"}
    if token is not None:
        document["components"] = {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}
        }
        document["security"] = [{"token": []}]
    return document


def _response(status: int, document: Any) -> Response:
    return Response(json.dumps(document) + "\n", status, media_type="application/json")


def _failure(status: int, line: str) -> Response:
    return _response(status, {"error": one_line(line, 300)})
