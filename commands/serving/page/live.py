"""The live page of a service, and what it asks for."""

from __future__ import annotations

import asyncio
from time import monotonic, time
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ....heuristics.datacenter.overview import machine_details, machine_names, overview
from ....report.datacenter.live_page import live_page
from ..calls import Answer, Call
from ..service import Service
from .recent import Recent

FEW = 2000
"""With more machines pages look every two seconds, with so many every second."""

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Of the page, beside the content security policy within it."""


class Live:
    """The calls of the page; many pages that look at once cost no more than one."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._recent = Recent(service.dispatcher)
        service.watchers.append(self._recent.note)
        self._page = live_page()
        self._seen: dict[str, Any] | None = None
        self._seen_at = 0.0
        self._looking = asyncio.Lock()

    def calls(self) -> list[Call]:
        """All of them. The page has nothing of the cluster in it, so everybody may have it."""
        return [
            Call("GET", "/", self.page, "The cluster live, for a browser", is_open=True),
            Call(
                "GET", "/v1/live", self.state, "What the page shows: use, classes, queue, changes"
            ),
            Call("GET", "/v1/live/machines", self.names, "Names of the machines"),
            Call("GET", "/v1/live/machines/{name:path}", self.machine, "A machine and its jobs"),
        ]

    async def page(self, request: Request) -> Answer:
        """The page."""
        return Response(self._page, media_type="text/html", headers=HEADERS)

    async def state(self, request: Request) -> Answer:
        """The overview; one that is younger than pages ask for serves again."""
        async with self._looking:
            dispatcher = self._service.dispatcher
            every = 1 if len(dispatcher.machines) <= FEW else 2
            if self._seen is None or monotonic() - self._seen_at > 0.8 * every:
                for part in overview(dispatcher):
                    if part is None:
                        await asyncio.sleep(0)
                    else:
                        self._seen = part
                self._seen_at = monotonic()
            assert self._seen is not None
            first = [
                {**job, "seconds": self._recent.waits_for(job["id"])} for job in self._seen["first"]
            ]
            recent = self._recent.document()
        return {**self._seen, "first": first, "at": time(), "every": every, "recent": recent}

    async def names(self, request: Request) -> Answer:
        """Names of the machines in the order of the overview."""
        return machine_names(self._service.dispatcher)

    async def machine(self, request: Request) -> Answer:
        """A machine with its jobs."""
        try:
            return machine_details(self._service.dispatcher, request.path_params["name"])
        except ValueError as error:
            raise HTTPException(404, str(error)) from None
