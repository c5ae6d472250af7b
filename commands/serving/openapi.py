"""What the service answers, as an OpenAPI document and as a page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ...reports.page import page, safe
from .bodies import LONGEST_NAME

Answer = dict[str, Any] | Response
"""A document, which is sent as JSON, or anything else."""


@dataclass(frozen=True)
class Call:
    """What is done at a path; a `ValueError` of `answer` says what is wrong with a request."""

    method: str
    path: str
    """With `{name:path}` for a name, which may have slashes."""
    answer: Callable[[Request], Awaitable[Answer]]
    about: str
    """One line for the documentation."""
    body: str | None = None
    """Which body it takes: a name in `openapi.BODIES`."""
    is_open: bool = False
    """Whether everybody is answered, without a token and from any page."""


STYLES = "th, td { text-align: left } td code { white-space: nowrap }\n"

TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
AMOUNTS = {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}}
LABELS = {"type": "object", "additionalProperties": {"type": "string"}}


def _object(required: Sequence[str] = (), **fields: dict[str, Any]) -> dict[str, Any]:
    made = {"type": "object", "properties": {name.rstrip("_"): of for name, of in fields.items()}}
    return {**made, "required": list(required)} if required else made


BODIES: dict[str, dict[str, Any]] = {
    "job": _object(("id",), id=TEXT, class_=TEXT, demand=AMOUNTS, labels=LABELS),
    "request": _object(
        class_=TEXT,
        demand=AMOUNTS,
        labels=LABELS,
        machines={"type": "array", "items": {"type": "string"}},
    ),
    "machine": _object(("configuration",), configuration=TEXT, capacity=AMOUNTS),
    "guidance": {"type": "object", "description": "A slotwise/guidance/1 document"},
}
"""What bodies hold, by the names that calls use."""


def document(calls: Sequence[Call], *, token: bool) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for call in calls:
        path = call.path.replace(":path}", "}")
        paths.setdefault(path, {})[call.method.lower()] = _operation(call, path)
    made: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "slotwise serve", "version": "1"},
        "paths": paths,
    }
    if token:
        made["components"] = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
        made["security"] = [{"token": []}]
    return made


def _operation(call: Call, path: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "summary": call.about,
        "responses": {
            "200": {"description": "Done"},
            "400": {"description": "What is wrong, in one line; nothing has changed"},
        },
    }
    if "{name}" in path:
        made["parameters"] = [{"name": "name", "in": "path", "required": True, "schema": TEXT}]
    if call.body is not None:
        content = {"application/json": {"schema": BODIES.get(call.body, {"type": "object"})}}
        made["requestBody"] = {"required": True, "content": content}
    if call.is_open:
        made["security"] = []
    return made


def calls_about(calls: list[Call], *, token: bool) -> list[Call]:
    """The calls that tell of these and of themselves."""

    async def openapi(request: Request) -> Answer:
        return document(calls, token=token)

    async def docs(request: Request) -> Answer:
        return HTMLResponse(_page(calls))

    about = [
        Call("GET", "/docs", docs, "This page"),
        Call("GET", "/openapi.json", openapi, "The calls as an OpenAPI document"),
    ]
    calls += about
    return about


def _page(calls: Sequence[Call]) -> str:
    rows = "".join(
        f"<tr><td><code>{call.method}</code></td><td><code>{safe(call.path)}</code></td>"
        f"<td>{safe(_fields(call))}</td><td>{safe(call.about)}</td></tr>"
        for call in calls
    ).replace(":path}", "}")
    body = (
        "<main><h1>slotwise serve</h1>\n<p>What the service answers, as JSON; what is wrong is "
        '<code>{"error": line}</code>. As an OpenAPI document: <a href="openapi.json">openapi.json'
        '</a>.</p>\n<div style="overflow-x: auto"><table><thead><tr><th></th><th>Path</th>'
        f"<th>Body</th><th></th></tr></thead><tbody>{rows}</tbody></table></div></main>"
    )
    return page("slotwise serve", body, styles=STYLES)


def _fields(call: Call) -> str:
    body = BODIES.get(call.body or "", {})
    return ", ".join(body.get("properties", ())) or body.get("description", "")
