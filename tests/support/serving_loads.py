"""Loads for `slotwise serve`: jobs of a steady state, a client, and servers that can be killed."""

from __future__ import annotations

import asyncio
import atexit
import heapq
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from slotwise import Dispatcher
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.service import JOBS, Service
from slotwise.heuristics.datacenter.simulator import simulate
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.guidance_file import guidance_document
from slotwise.instances.datacenter.workload import poisson

Demand = dict[str, float]


@dataclass
class Stream:
    """Arrivals and ends in order; who drives it says which jobs have started."""

    arrivals: Iterator[tuple[float, str, str, Demand, float]]
    """Time, name, class, demand and duration."""
    ends: list[tuple[float, str]] = field(default_factory=list)
    durations: dict[str, float] = field(default_factory=dict)
    now: float = 0.0

    def __iter__(self) -> Iterator[tuple[float, str, Any]]:
        """Time, and either "end" and a name or "arrive" and name, class and demand."""
        for time, name, kind, demand, duration in self.arrivals:
            while self.ends and self.ends[0][0] <= time:
                self.now, ended = heapq.heappop(self.ends)
                yield self.now, "end", ended
            self.now, self.durations[name] = time, duration
            yield time, "arrive", (name, kind, demand)

    def started(self, name: str) -> None:
        """A job has started now."""
        heapq.heappush(self.ends, (self.now + self.durations.pop(name), name))


def steady(
    plan: Guidance, policy: str, load: float, jobs: int, *, noise: float = 0.0, seed: int = 0
) -> tuple[dict[str, tuple[str, str, Demand]], Stream]:
    """Jobs that run in the steady state, with machine, class and demand, and those that follow.

    The simulator places the former.
    """
    data = plan.datacenter
    rate = load * plan.arrival_rate_bound
    longest = float(np.where(np.isfinite(data.mean_time), data.mean_time, 0).max())
    before = int(7 * longest * rate)
    workload = poisson(data, rate, before + jobs, seed=seed, noise=noise)
    whole = workload.whole()
    seen = simulate(workload, policy, guidance=plan, log=True)
    names = [
        name for name, n in zip(data.configurations, data.count, strict=True) for _ in range(n)
    ]
    numbers = [number for n in data.count for number in range(n)]
    unit, now = data.unit, float(whole.arrival[before])
    amounts = [
        {r: float(x) * u for r, x, u in zip(data.resources, row, unit, strict=True)}
        for row in whole.demand
    ]
    running, ends = {}, []
    for i in range(before):
        end = seen.start[i] + whole.duration[i]
        if seen.start[i] < now < end:
            m = int(seen.machine[i])
            kind = data.classes[whole.job_class[i]]
            running[f"r{i}"] = f"{names[m]}/{numbers[m]}", kind, amounts[i]
            ends.append((float(end), f"r{i}"))
    heapq.heapify(ends)
    arrivals = (
        (
            float(whole.arrival[i]),
            f"j{i}",
            data.classes[whole.job_class[i]],
            amounts[i],
            float(whole.duration[i]),
        )
        for i in range(before, before + jobs)
    )
    return running, Stream(arrivals, ends, now=now)


def keep_state(folder: Path, plan: Guidance, policy: str, running: dict[str, Any]) -> None:
    """Leave a state with jobs that run, for a service to go on with."""
    journal, first = Journal(folder), Dispatcher(guidance_document(plan), policy=policy)
    first.adopt(running)
    Service(journal, first, policy)
    entries = map(first.entry, running)
    journal.put({f"{JOBS}{entry['number']:012d}": entry for entry in entries})
    journal.close()


class Client:
    """One connection, one request at a time."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        content = b"" if body is None else body if isinstance(body, bytes) else _json(body)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        writer.write(head.encode("latin-1") + content)
        try:
            lines = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            length, closes = 0, False
            for line in lines[1:]:
                name, _, value = line.partition(b": ")
                if name == b"content-length":
                    length = int(value)
                closes |= line.lower() == b"connection: close"
            answer = await reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            self.close()
            raise ConnectionError("the service has gone") from None
        if closes:
            self.close()
        status = int(lines[0].split()[1])
        return status, json.loads(answer) if answer[:1] in (b"{", b"[") else answer

    def close(self) -> None:
        """Leave."""
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


def _json(document: Any) -> bytes:
    return json.dumps(document).encode()


FORKS = """
import json, os, sys
from slotwise.commands.app import run
import slotwise.commands.serving.serve, slotwise.commands.serving.web
from slotwise import Dispatcher
from slotwise.instances.datacenter.guidance_file import guidance_document, read_guidance
plan = guidance_document(read_guidance("example:gpu-cluster-guidance"))
Dispatcher(plan, policy="bid-price").prepare()
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        os._exit(run(json.loads(line)))
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
"""
"""Imports once what takes long, and forks a service for every line, one after the other."""


class Forks:
    """The process that forks services; one is enough for all."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", FORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.line() == "ready"

    def line(self) -> str:
        """What it or the service says next."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def fork(self, words: list[str]) -> None:
        """Start a service."""
        assert self._process.stdin is not None
        print(json.dumps(words), file=self._process.stdin, flush=True)

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


@cache
def _forks() -> Forks:
    forks = Forks()
    atexit.register(forks.close)
    return forks


class Server:
    """A service on a folder with a plan, started again and again with the same command line."""

    def __init__(self, folder: Path, *options: str) -> None:
        words = ["serve", str(folder / "plan.json"), "--state", str(folder / "kept")]
        self._words = [*words, "--port", "0", "--json", *options]
        self.process, self.port = 0, 0

    def start(self) -> None:
        """Start it; it listens when this returns."""
        forks = _forks()
        forks.fork(self._words)
        lines = [forks.line(), forks.line()]
        told = next(line for line in lines if line.startswith("{"))
        self.process = int(next(line for line in lines if line is not told))
        self.port = int(json.loads(told)["url"].rpartition(":")[2])

    def kill(self) -> None:
        """End it without a warning, if it runs."""
        if self.process:
            process, self.process = self.process, 0
            os.kill(process, signal.SIGKILL)
            assert _forks().line() == "ended"
