"""The calls below `/v1`: jobs, machines and the plan."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from .bodies import amounts_of, body_of, checked_class, checked_name, document_of, fields_of
from .openapi import Answer, Call
from .service import Service

MOST_BYTES_OF_PLAN = 64 * 1024 * 1024
"""Longest body that is a plan."""


class V1:
    """Each method answers a call."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._one_plan = asyncio.Lock()

    def calls(self) -> list[Call]:
        machine = "/v1/machines/{name:path}"
        return [
            Call("GET", "/healthz", self.health, "Whether it is ready", is_open=True),
            Call("POST", "/v1/jobs", self.arrive, "A job arrives", "job"),
            Call("GET", "/v1/jobs/{name:path}", self.job, "Where a job is, and why"),
            Call("DELETE", "/v1/jobs/{name:path}", self.depart, "A job is done, or is taken back"),
            Call("POST", "/v1/score", self.score, "What a start would cost", "request"),
            Call("POST", f"{machine}/drain", self.drain, "A machine starts no more jobs"),
            Call("POST", f"{machine}/undrain", self.undrain, "It does again"),
            Call("PUT", machine, self.join, "A machine joins", "machine"),
            Call("DELETE", machine, self.leave, "A machine leaves; its jobs start again"),
            Call("PUT", "/v1/guidance", self.follow, "Another plan is followed", "guidance"),
        ]

    async def health(self, request: Request) -> Answer:
        """How many machines and waiting jobs there are."""
        return self._service.health()

    async def arrive(self, request: Request) -> Answer:
        """Where a job that arrives starts."""
        given = await fields_of(request, "id", "class", "demand", "labels")
        return self._service.arrive(checked_name("id", given.get("id")), *_request_of(given))

    def _there(self, request: Request) -> str:
        """The name of a job that is there."""
        name = str(request.path_params["name"])
        if not self._service.has(name):
            raise HTTPException(404, f"job {name!r} is not there")
        return name

    async def depart(self, request: Request) -> Answer:
        """What starts in the place of a job."""
        return self._service.depart(self._there(request))

    async def job(self, request: Request) -> Answer:
        """Where a job is, and why."""
        return self._service.job(self._there(request))

    async def score(self, request: Request) -> Answer:
        """The costs by machine."""
        given = await fields_of(request, "class", "demand", "labels", "machines")
        machines = given.get("machines")
        if machines is not None and not isinstance(machines, list):
            raise ValueError("machines: need a list of names")
        return self._service.score(*_request_of(given), machines)

    async def join(self, request: Request) -> Answer:
        """What starts on a machine that joins."""
        name = checked_name("machine", request.path_params["name"])
        given = await fields_of(request, "configuration", "capacity")
        kind = checked_name("configuration", given.get("configuration"))
        return self._service.join(name, kind, amounts_of("capacity", given))

    async def leave(self, request: Request) -> Answer:
        """What ran there, and where it starts."""
        return self._service.leave(request.path_params["name"])

    async def drain(self, request: Request) -> Answer:
        """What starts elsewhere."""
        return self._service.drain(request.path_params["name"])

    async def undrain(self, request: Request) -> Answer:
        """What starts there."""
        return self._service.undrain(request.path_params["name"])

    async def follow(self, request: Request) -> Answer:
        """What starts under the plan."""
        async with self._one_plan:  # a plan may be long: one at a time
            document = document_of(await body_of(request, MOST_BYTES_OF_PLAN))
            plan = await asyncio.to_thread(self._service.prepared, document)
            return self._service.follow(plan)


def _request_of(given: dict[str, Any]) -> tuple[str | None, dict[str, float] | None, Any]:
    """Class, demand and labels of a job, each None if it is absent."""
    return checked_class(given), amounts_of("demand", given), given.get("labels")
