"""What a service has to stand: kills, wrong requests, connections that rest; and comparisons."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from asgi_client import AsgiClient
from serving_loads import Client, Server, keep_state, steady

from slotwise import Dispatcher
from slotwise.commands.serving.journal import Journal
from slotwise.commands.serving.service import Service
from slotwise.commands.serving.web import application
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.guidance_file import (
    guidance_document,
    read_guidance,
    write_guidance,
)

TOGETHER = 64
"""Requests that wait together for the disk."""


def same_decisions(
    folder: Path, plan: Guidance, policy: str, arrivals: int, *, noise: float = 0.0
) -> str:
    """Every answer of a service is that of a dispatcher that is fed the same.

    Without HTTP, and half-way it is ended and goes on with what it kept.
    """
    running, stream = steady(plan, policy, 0.98, arrivals, noise=noise)
    alone = Dispatcher(guidance_document(plan), policy=policy)
    alone.adopt(running)
    keep_state(folder / "kept", plan, policy, running)

    def asked(what: str, given: Any) -> tuple[tuple[Any, ...], dict[str, Any], list[str]]:
        """A request, what has to be answered, and which jobs start."""
        if what == "end":
            placed = [{"id": one.job, "machine": one.name} for one in alone.depart(given)]
            answer = {"id": given, "started": placed}
            return ("DELETE", f"/v1/jobs/{given}"), answer, [one["id"] for one in placed]
        name, kind, demand = given
        body = {"id": name, "class": kind, "demand": demand}
        place = alone.arrive(name, kind, demand)
        answer = {"id": name, "machine": None if place is None else place.name, "class": kind}
        return ("POST", "/v1/jobs", body), answer, [] if place is None else [name]

    async def compare(most: int) -> tuple[int, int]:
        """Answers, and how many jobs had to wait, until so many were answered."""
        journal, seen, waited = Journal(folder / "kept"), 0, 0
        service = Service(journal, alone, policy)
        client = AsgiClient(application(service))
        while asking := list(islice(events, min(TOGETHER, most - seen))):
            answers = await asyncio.gather(*(client.ask(*one) for one, _ in asking))
            for answer, (request, wanted) in zip(answers, asking, strict=True):
                assert answer.json() == wanted, (request, answer, wanted)
                waited += wanted.get("machine", "") is None
            seen += len(asking)
        journal.close()
        return seen, waited

    def told() -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
        for _, what, given in stream:
            request, answer, starts = asked(what, given)
            for job in starts:
                stream.started(job)
            yield request, answer

    events = told()
    parts = [asyncio.run(compare(most)) for most in (arrivals, sys.maxsize)]
    seen, waited = (sum(part) for part in zip(*parts, strict=True))
    return f"{arrivals} arrivals, {waited} of them waited: {seen} answers, all the same"


def kill_again_and_again(folder: Path, kills: int, seed: int) -> str:
    """A service is killed under load: all that was answered is there, once, and nothing else.

    A request without an answer may have been done or not.
    """
    plan = read_guidance("example:gpu-cluster-guidance")
    write_guidance(plan, folder / "plan.json")
    server = Server(folder, "--policy", "best-fit")
    draws, known, open_ = random.Random(seed), dict[str, str | None](), set[str]()
    answers = number = 0
    classes = list(plan.datacenter.classes)

    async def look(client: Client) -> int:
        """What was answered is there; jobs whose request had no answer are learnt."""
        for job in list(open_):
            status, answer = await client.ask("GET", f"/v1/jobs/{job}")
            assert status in (200, 404)
            open_.discard(job)
            known.pop(job, None)
            if status == 200:
                known[job] = answer["machine"]
        _, health = await client.ask("GET", "/healthz")
        assert health["running"] + health["waiting"] == len(known), (health, len(known))
        waiting = 0
        for job, machine in known.items():
            status, answer = await client.ask("GET", f"/v1/jobs/{job}")
            assert status == 200, job
            if machine is not None:
                assert answer["machine"] == machine, (job, machine, answer)
            known[job] = answer["machine"]
            waiting += answer["machine"] is None
        assert waiting == health["waiting"]
        return len(known)

    async def ask_on(client: Client) -> None:
        nonlocal answers, number
        while True:
            idle = [job for job in known if job not in open_]
            leaves = len(idle) > 30 and draws.random() < 0.55
            number += 1
            job = draws.choice(idle) if leaves else f"job-{number}"
            open_.add(job)
            if leaves:
                status, answer = await client.ask("DELETE", f"/v1/jobs/{job}")
                assert status == 200, answer
                del known[job]
                # Another request's answer may be under way still.
                for one in answer["started"]:
                    if one["id"] not in open_:
                        known[one["id"]] = one["machine"]
            else:
                body = {"id": job, "class": draws.choice(classes)}
                status, answer = await client.ask("POST", "/v1/jobs", body)
                assert status == 200, answer
                known[job] = answer["machine"]
            open_.discard(job)
            answers += 1

    async def until_killed() -> None:
        await look(Client(server.port))
        tasks = [asyncio.create_task(ask_on(Client(server.port))) for _ in range(4)]
        await asyncio.sleep(draws.uniform(0.02, 0.4))
        await asyncio.to_thread(server.kill)
        for error in await asyncio.gather(*tasks, return_exceptions=True):
            if not isinstance(error, OSError):
                raise error

    try:
        for _ in range(kills):
            server.start()
            asyncio.run(until_killed())
        server.start()
        there = asyncio.run(look(Client(server.port)))
    finally:
        server.kill()
    return f"{kills} kills, {answers} answers: none lost, {there} jobs there, each once"


SEEDS: list[tuple[str, str, Any]] = [
    ("POST", "/v1/jobs", {"id": "a", "class": "k5", "demand": {"cpu": 2.0, "memory": 4}}),
    ("POST", "/v1/jobs", {"id": "b", "demand": {"cpu": 16, "memory": 64, "gpu": 4}}),
    ("GET", "/v1/jobs/a", None),
    ("DELETE", "/v1/jobs/a", None),
    ("POST", "/v1/score", {"class": "k5", "machines": ["V100/0"]}),
    ("PUT", "/v1/machines/rack/7", {"configuration": "V100", "capacity": {"cpu": 1.0}}),
    ("POST", "/v1/machines/V100/0/drain", None),
    ("POST", "/v1/machines/V100/0/undrain", None),
    ("DELETE", "/v1/machines/rack/7", None),
    ("PUT", "/v1/guidance", {"format": "slotwise/guidance/1", "bins": []}),
    ("GET", "/metrics", None),
    ("GET", "/openapi.json", None),
    ("GET", "/healthz", None),
]
PIECES = [
    b"", b"null", b"-1", b"1e999", b"{", b"]", b'"', b"\x00", b"\xff", b"[]", b"NaN", b"\\ud800",
    b"%00", b"%ff", b"/", b"..", b"9" * 400, b"[" * 3000, b"\r\n", b" ",
]  # fmt: skip
"""What is put into requests."""


def _mutated(draws: random.Random) -> bytes:
    """The bytes of a request, changed in a few places."""
    method, path, body = draws.choice(SEEDS)
    content = b"" if body is None else json.dumps(body).encode()

    def changed(text: bytes, most: int) -> bytes:
        made = bytearray(text)
        for _ in range(draws.randrange(most)):
            at = draws.randrange(len(made) + 1)
            made[at : at + draws.randrange(4)] = draws.choice(PIECES)
        return bytes(made)

    content, target = changed(content, 4), changed(path.encode(), 2)
    length = len(content) + draws.choice([0] * 20 + [-1, 1, 10**9])
    head = b"%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
    whole = head % (method.encode(), target, length) + content
    return changed(whole, 3) if draws.random() < 0.2 else whole


def mutate(folder: Path, requests: int, seed: int) -> str:
    """Requests that are changed anywhere: a status below 500 or a closed connection."""
    plan = read_guidance("example:gpu-cluster-guidance")
    write_guidance(plan, folder / "plan.json")
    server = Server(folder)
    server.start()
    draws, seen = random.Random(seed), dict[str, int]()

    async def send() -> None:
        for _ in range(requests):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(_mutated(draws))
            writer.write_eof()  # a body that is announced and never comes ends here
            try:
                line = await asyncio.wait_for(reader.readline(), 60)
            except ConnectionError:
                line = b""
            writer.close()
            status = line.split()[1].decode() if line else "closed"
            seen[status] = seen.get(status, 0) + 1
        status, answer = await Client(server.port).ask("GET", "/healthz")
        assert status == 200, answer

    try:
        asyncio.run(send())
    finally:
        server.kill()
    assert not any(status >= "500" and status != "closed" for status in seen), seen
    counts = ", ".join(f"{number} {status}" for status, number in sorted(seen.items()))
    return f"{requests} mutated requests: {counts}"


def hold_idle(folder: Path, connections: int, *, megabytes: int = 100) -> str:
    """Connections that say nothing, or little, and long bodies: others are answered meanwhile."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    plan = read_guidance("example:gpu-cluster-guidance")
    write_guidance(plan, folder / "plan.json")
    server = Server(folder)
    server.start()

    async def long_body(chunked: bool) -> str:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        length = (
            b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % (megabytes << 20)
        )
        writer.write(b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n" % length)
        part = b" " * (1 << 20)
        try:
            for _ in range(megabytes):
                writer.write(b"100000\r\n%s\r\n" % part if chunked else part)
                await writer.drain()
        except ConnectionError:
            pass
        try:
            line = await asyncio.wait_for(reader.readline(), 30)
        except ConnectionError:
            line = b""
        writer.close()
        return line.split()[1].decode() if line else "closed"

    async def hold() -> str:
        held = []
        for number in range(connections):
            _, writer = await asyncio.open_connection("127.0.0.1", server.port)
            if number % 2:
                writer.write(b"POST /v1/jobs HTTP/1.1\r\nContent-Le")  # and goes on slowly
            held.append(writer)
        client = Client(server.port)
        for number in range(50):
            body = {"id": f"j{number}", "class": plan.datacenter.classes[0]}
            status, answer = await client.ask("POST", "/v1/jobs", body)
            assert status == 200, answer
            for writer in held[1:20:2]:
                writer.write(b"n")
        ends = [await long_body(chunked) for chunked in (False, True) * 2]
        status, answer = await client.ask("GET", "/healthz")
        assert status == 200, answer
        for writer in held:
            writer.close()
        return f"{connections} connections rest; bodies of {megabytes} MB: {', '.join(ends)}"

    try:
        return asyncio.run(hold())
    finally:
        server.kill()
