"""The service as an ASGI application: what is wrong is said in one line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ...core.errors import InputError, one_line
from .calls import Call
from .live import Live
from .senders import has_token, is_local
from .service import NotNow, Service
from .v1 import V1


def calls_of(service: Service) -> list[Call]:
    """All calls that a service answers; of two paths that match the first."""
    return [
        *V1(service).calls(),
        *Live(service).calls(),
    ]


def application(service: Service, token: str | None, more: Iterable[Call] = ()) -> Starlette:
    """The application; with a token every call that is not open needs it."""
    by_path: dict[str, dict[str, Call]] = {}
    for call in (*calls_of(service), *more):
        by_path.setdefault(call.path, {})[call.method] = call

    def route(path: str, calls: Mapping[str, Call]) -> Route:
        async def endpoint(request: Request) -> Response:
            call = calls["GET" if request.method == "HEAD" else request.method]
            try:
                if not call.is_open:
                    _check_sender(request, token)
                answer = await call.answer(request)
                return answer if isinstance(answer, Response) else _response(200, answer)
            except HTTPException as error:
                return _failure(error.status_code, error.detail)
            except NotNow as error:
                return _failure(503, str(error))
            except (ValueError, InputError, RecursionError, ClientDisconnect) as error:
                return _failure(400, str(error) or type(error).__name__)
            except Exception as error:  # nothing was kept, so nothing has changed
                return _failure(503, f"not done: {type(error).__name__}: {error}")

        return Route(path, endpoint, methods=list(calls))

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _failure(error.status_code, error.detail)

    routes = [route(path, calls) for path, calls in by_path.items()]
    return Starlette(routes=routes, exception_handlers={HTTPException: failed})


def _response(status: int, document: Any) -> Response:
    # Names may hold what UTF-8 cannot: escapes hold anything.
    return Response(json.dumps(document) + "\n", status, media_type="application/json")


def _failure(status: int, line: str) -> Response:
    return _response(status, {"error": one_line(line, 300)})


def _check_sender(request: Request, token: str | None) -> None:
    """Refuse who lacks the token; without one, pages of other sites in a browser."""
    if token is not None:
        if not has_token(request.headers.get("authorization", ""), token):
            raise HTTPException(401, "need the header Authorization: Bearer TOKEN")
        return
    if "origin" in request.headers or not is_local(request.headers.get("host")):
        raise HTTPException(403, "without a token only programs of this machine are answered")
