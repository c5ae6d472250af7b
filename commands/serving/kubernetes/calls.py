"""The calls below `/kubernetes`; those below `/v1` that make no sense beside a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..bodies import body_of, document_of
from ..calls import Answer, Call
from .extender import Asked, Extender
from .follow import Follower

MOST_BYTES = 32 * 1024 * 1024
"""Longest request: whole nodes, unless the extender is called nodeCacheCapable."""


def extender_calls(extender: Extender) -> list[Call]:
    """What kube-scheduler calls."""

    async def asked(request: Request) -> Asked:
        return Asked.of(document_of(await body_of(request, MOST_BYTES)))

    async def filtered(request: Request) -> Answer:
        return extender.filter(await asked(request))

    async def prioritized(request: Request) -> Answer:
        return extender.prioritize(await asked(request))

    return [
        Call("POST", "/kubernetes/filter", filtered, "Which nodes may run a pod", "extender"),
        Call("POST", "/kubernetes/prioritize", prioritized, "Scores of nodes, 0 to 10", "extender"),
    ]


def following_calls(follower: Follower, others: list[Call]) -> Iterator[Call]:
    """What is known of the cluster; `others` that change machines or jobs are refused."""

    async def state(request: Request) -> Answer:
        return follower.state()

    async def refused(request: Request) -> Answer:
        raise HTTPException(409, "this service follows a cluster: change its nodes and pods")

    yield Call("GET", "/kubernetes", state, "What is known of the cluster that is followed")
    for call in others:
        if call.method != "GET" and call.path.startswith(("/v1/jobs", "/v1/machines")):
            yield Call(call.method, call.path, refused, call.about, call.body, call.is_open)
