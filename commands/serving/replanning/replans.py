"""Plans made again from what arrived, in a process beside the service."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from time import time
from typing import Any

import orjson
from starlette.requests import Request

from ....core.errors import one_line
from ...console import tell
from ..answers import json_bytes
from ..calls import Answer, Call
from ..metrics import Metrics
from ..service import Service
from .past import REPLANS, WINDOW

HALF_LIFE = 2.0
"""After so many intervals a job counts half."""

MOST_TOLD = 20
"""Ends that are remembered."""

CHUNK = 500
"""After so many jobs the answers have their turn."""


class Replanning:
    """Plans again every `seconds`; the service follows what is not worse."""

    def __init__(self, service: Service, metrics: Metrics, seconds: float, *, quiet: bool) -> None:
        self._service, self._metrics, self._seconds = service, metrics, seconds
        self._quiet = quiet
        kept = service.journal.read(REPLANS) or {"last": time(), "since": time(), "ends": []}
        service.journal.put({REPLANS: kept})
        self._last: float = kept["last"]
        self._ends: list[dict[str, Any]] = kept["ends"]
        self._since: float = kept["since"]

    def calls(self) -> list[Call]:
        """Where it is told."""
        return [Call("GET", "/v1/replans", self.told, "What became of the plans made again")]

    async def told(self, request: Request) -> Answer:
        """The last ends, the newest first."""
        return {"next": _iso(self._last + self._seconds), "replans": self._ends[::-1]}

    async def run(self) -> None:
        """Plan again and again."""
        while True:
            await asyncio.sleep(max(0.0, self._last + self._seconds - time()))
            self._last = time()
            try:
                await self._once()
            except Exception as error:  # the plan that is followed stays
                self._end({"end": "failed", "why": one_line(f"{type(error).__name__}: {error}")})

    async def _once(self) -> None:
        service = self._service
        answer = orjson.loads(await _planned(await self._task()))
        document = answer.pop("guidance", None)
        if document is not None:
            plan = await asyncio.to_thread(service.prepared, document)
            answer["started"] = len(service.follow(plan)["started"])
        self._end(answer)
        await service.kept()

    async def _task(self) -> bytes:
        """What the planner needs to know, as JSON, made in pieces: answers go on between them."""
        service, pieces, now = self._service, list[bytes](), time()
        names = service.names()
        for start in range(0, len(names), CHUNK):
            there = filter(service.has, names[start : start + CHUNK])
            pieces += map(json_bytes, map(service.times_of, there))
            await asyncio.sleep(0)
        assert service.past is not None
        rows = service.past.rows()
        for start in range(0, len(rows), CHUNK):
            pieces += map(json_bytes, rows[start : start + CHUNK])
            await asyncio.sleep(0)
        task = {
            "guidance": service.dispatcher.plan.document,
            "policy": service.policy,
            "machines": service.machines_by_configuration(),
            "since": max(self._since, now - WINDOW * self._seconds),
            "now": now,
            "half_life": HALF_LIFE * self._seconds,
        }
        return b'%s,"jobs":[%s]}' % (json_bytes(task)[:-1], b",".join(pieces))

    def _end(self, answer: dict[str, Any]) -> None:
        """Take note of what became of a plan, and say it."""
        self._ends = [*self._ends, {"at": _iso(time()), **answer}][-MOST_TOLD:]
        self._service.journal.put(
            {REPLANS: {"last": self._last, "since": self._since, "ends": self._ends}}
        )
        self._metrics.planned(answer["end"], answer.get("mean_wait", {}))
        tell([f"replan: {_text(answer)}"], quiet=self._quiet)


def _text(answer: dict[str, Any]) -> str:
    """The end of a plan in a line."""
    if "mean_wait" not in answer:
        return f"{answer['end']}: {answer['why']}"
    before, after = (answer["mean_wait"][name] for name in ("before", "after"))
    text = f"{answer['end']}: mean wait of the last {answer['arrivals']} arrivals "
    text += f"{before:.4g} -> {after:.4g} {answer['time_unit']}"
    return "; ".join([text, *answer["changes"]])


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")


async def _planned(task: bytes) -> bytes:
    """What the planner answers; it ends with the service."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", f"{__package__}.planner", str(os.getpid())),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, err = await child.communicate(task)
    except BaseException:
        child.kill()
        raise
    if child.returncode:
        raise RuntimeError(err.decode(errors="replace").strip().rpartition("\n")[2])
    return out
