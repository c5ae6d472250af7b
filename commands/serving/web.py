"""The service as an ASGI application: bodies are bounded, what is wrong is said in one line."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...core.errors import InputError, one_line
from ...core.files.json_files import JsonFile
from ...instances.datacenter.guidance_file import read_guidance
from .senders import has_token, is_local
from .service import NotNow, Service

MOST_BYTES = 64 * 1024
"""Longest body of a request; a plan may have `MOST_BYTES_OF_PLAN`."""

MOST_BYTES_OF_PLAN = 64 * 1024 * 1024

MOST_SECONDS = 20.0
"""Within them a body has to arrive."""

LONGEST_NAME = 200

Handler = Callable[[Request], Awaitable[dict[str, Any]]]


class Handlers:
    """What each path does; a `ValueError` says what is wrong with a request."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def health(self, request: Request) -> dict[str, Any]:
        """Whether it is ready."""
        return self._service.health()

    async def arrive(self, request: Request) -> dict[str, Any]:
        """A job arrives."""
        given = await _fields(request, "id", "class", "demand")
        job = _name("id", given.get("id"))
        return self._service.arrive(job, _class(given), _amounts("demand", given.get("demand")))

    def _there(self, request: Request) -> str:
        """The name of a job that is there."""
        name = str(request.path_params["name"])
        if not self._service.has(name):
            raise HTTPException(404, f"job {name!r} is not there")
        return name

    async def depart(self, request: Request) -> dict[str, Any]:
        """A job is done."""
        return self._service.depart(self._there(request))

    async def job(self, request: Request) -> dict[str, Any]:
        """Where a job is, and why."""
        return self._service.job(self._there(request))

    async def score(self, request: Request) -> dict[str, Any]:
        """What a start would cost."""
        given = await _fields(request, "class", "demand", "machines")
        machines = given.get("machines")
        if machines is not None and not isinstance(machines, list):
            raise ValueError("machines: need a list of names")
        return self._service.score(_class(given), _amounts("demand", given.get("demand")), machines)

    async def join(self, request: Request) -> dict[str, Any]:
        """A machine joins."""
        name = _name("machine", request.path_params["name"])
        given = await _fields(request, "configuration", "capacity")
        kind = _name("configuration", given.get("configuration"))
        return self._service.join(name, kind, _amounts("capacity", given.get("capacity")))

    async def leave(self, request: Request) -> dict[str, Any]:
        """A machine leaves."""
        return self._service.leave(request.path_params["name"])

    async def drain(self, request: Request) -> dict[str, Any]:
        """A machine starts no more jobs."""
        return self._service.drain(request.path_params["name"])

    async def undrain(self, request: Request) -> dict[str, Any]:
        """It does again."""
        return self._service.undrain(request.path_params["name"])

    async def follow(self, request: Request) -> dict[str, Any]:
        """Another plan is followed."""
        content = await _body(request, MOST_BYTES_OF_PLAN)
        document = _document(content)

        def prepared() -> Any:
            read_guidance(JsonFile("guidance", content, document))
            return self._service.prepare(document)

        return self._service.follow(document, await asyncio.to_thread(prepared))


def application(service: Service, token: str | None) -> Starlette:
    """The application; with a token every request but for the health needs it."""
    do = Handlers(service)

    def route(path: str, **handlers: Handler) -> Route:
        async def endpoint(request: Request) -> Response:
            try:
                _check_sender(request, token)
                method = "GET" if request.method == "HEAD" else request.method
                return _response(200, await handlers[method](request))
            except HTTPException as error:
                return _failure(error.status_code, error.detail)
            except NotNow as error:
                return _failure(503, str(error))
            except (ValueError, InputError, RecursionError, ClientDisconnect) as error:
                return _failure(400, str(error) or type(error).__name__)
            except Exception as error:  # nothing was kept, so nothing has changed
                return _failure(503, f"not done: {type(error).__name__}: {error}")

        return Route(path, endpoint, methods=list(handlers))

    routes = [
        route("/healthz", GET=do.health),
        route("/v1/jobs", POST=do.arrive),
        route("/v1/jobs/{name:path}", GET=do.job, DELETE=do.depart),
        route("/v1/score", POST=do.score),
        route("/v1/machines/{name:path}/drain", POST=do.drain),
        route("/v1/machines/{name:path}/undrain", POST=do.undrain),
        route("/v1/machines/{name:path}", PUT=do.join, DELETE=do.leave),
        route("/v1/guidance", PUT=do.follow),
    ]

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _failure(error.status_code, error.detail)

    return Starlette(routes=routes, exception_handlers={HTTPException: failed})


def _response(status: int, document: Mapping[str, Any]) -> Response:
    # Names may hold what UTF-8 cannot: escapes hold anything.
    return Response(json.dumps(document) + "\n", status, media_type="application/json")


def _failure(status: int, line: str) -> Response:
    return _response(status, {"error": one_line(line, 300)})


def _check_sender(request: Request, token: str | None) -> None:
    """Refuse who lacks the token; without one, pages of other sites in a browser."""
    if request.url.path == "/healthz":
        return
    if token is not None:
        if not has_token(request.headers.get("authorization", ""), token):
            raise HTTPException(401, "need the header Authorization: Bearer TOKEN")
        return
    if "origin" in request.headers or not is_local(request.headers.get("host")):
        raise HTTPException(403, "without a token only programs of this machine are answered")


async def _body(request: Request, most: int) -> bytes:
    """The body. Raises `HTTPException` if it is too long or too slow."""
    length = request.headers.get("content-length", "0")
    content = bytearray()
    too_long = HTTPException(413, f"the body is longer than {most} bytes")
    if not length.isdecimal() or len(length) > 12 or int(length) > most:
        raise too_long
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > most:
                    raise too_long
            return bytes(content)
    raise HTTPException(408, f"the body took longer than {MOST_SECONDS:g} seconds")


def _document(content: bytes) -> dict[str, Any]:
    document = json.loads(content)
    if not isinstance(document, dict):
        raise ValueError("need a JSON object")
    return document


async def _fields(request: Request, *names: str) -> dict[str, Any]:
    """The object in the body, which has no other fields than these."""
    given = _document(await _body(request, MOST_BYTES))
    for name in given:
        if name not in names:
            raise ValueError(f"unknown field {name!r}: need {', '.join(names)}")
    return given


def _name(field: str, value: Any) -> str:
    if not (isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()):
        raise ValueError(f"{field}: need text of 1 to {LONGEST_NAME} printable characters")
    return value


def _class(given: dict[str, Any]) -> str | None:
    return None if given.get("class") is None else _name("class", given["class"])


def _amounts(field: str, value: Any) -> dict[str, float] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(f"{field}: need amounts by resource")
    for resource, amount in value.items():
        if isinstance(amount, bool) or not isinstance(amount, int | float):
            raise ValueError(f"{field}: {resource}: need a number")
    return value
