"""The service under load, killed, and asked badly; everything stays on 127.0.0.1.

    python benchmarks/serve.py rate [--scale 0.05 --per-second 300] [--seconds 60] [--load 0.98]
    python benchmarks/serve.py same [--arrivals 200000]
    python benchmarks/serve.py kills [--kills 200]
    python benchmarks/serve.py mutated [--requests 2000]
    python benchmarks/serve.py idle [--connections 10000]

`rate` drives a service in a process of its own from the steady state on: as many arrivals a second
as asked for, and the ends that come with them; without `--scale` at all `SIZES`. `same` compares
every answer with a `Dispatcher` that is fed the same, without HTTP.
`tests/commands/serving/test_serving_loads.py` does the same, shorter.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
import serving_loads as loads
from serving_campaigns import hold_idle, kill_again_and_again, mutate, same_decisions

from slotwise.instances.datacenter.generators.lotes import google_2011
from slotwise.instances.datacenter.guidance import Guidance
from slotwise.instances.datacenter.guidance_file import read_guidance, write_guidance
from slotwise.solvers.datacenter.guide import guide
from slotwise.solvers.datacenter.prices import with_spread

PLANS = Path(__file__).parent / "plans"
POLICY = "bid-price"
CONNECTIONS = 64

SIZES = ((0.05, 300.0), (1.0, 100.0))
"""Parts of Google's 12 583 machines, and arrivals a second, that `rate` asks for."""

WANTED = 10.0
"""Milliseconds that the 99th percentile should not exceed, of whatever size."""


def planned(scale: float, noise: float) -> Guidance:
    """Tables 1 and 2 of LoTES at a scale; the plan of the twentieth is kept."""
    problem = google_2011(scale)
    path = PLANS / f"{problem.name}.json"
    plan = read_guidance(path) if path.exists() else guide(problem, time_limit=20.0)
    return with_spread(plan, noise)


def processor_seconds(process: int) -> float:
    """What a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


async def drive(stream: loads.Stream, port: int, speed: float) -> tuple[list[float], float]:
    """Send everything at its time.

    `speed`: units of the plan's time in a second.
    Returns the seconds from each sending to its answer, and by how many the client was late.
    """
    clients: asyncio.Queue[loads.Client] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        clients.put_nowait(loads.Client(port))
    taken: list[float] = []
    tasks: set[asyncio.Task[None]] = set()
    began, first = time.monotonic(), stream.now

    async def send(client: loads.Client, what: str, given: object) -> None:
        sent = time.monotonic()
        if what == "end":
            status, answer = await client.ask("DELETE", f"/v1/jobs/{given}")
            started = [one["id"] for one in answer["started"]]
        else:
            name, kind, demand = given  # type: ignore[misc]
            body = {"id": name, "class": kind, "demand": demand}
            status, answer = await client.ask("POST", "/v1/jobs", body)
            started = [] if answer["machine"] is None else [name]
        assert status == 200, answer
        taken.append(time.monotonic() - sent)
        for job in started:
            stream.started(job)
        clients.put_nowait(client)

    for moment, what, given in stream:
        await asyncio.sleep(began + (moment - first) / speed - time.monotonic())
        task = asyncio.create_task(send(await clients.get(), what, given))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    await asyncio.gather(*tasks)
    lag = time.monotonic() - began - (stream.now - first) / speed
    return taken, lag


def rate(asked: argparse.Namespace, scale: float, per_second: float, folder: Path) -> None:
    """Decisions a second, and how long answers take."""
    plan = planned(scale, asked.noise)
    jobs = int(per_second * asked.seconds)
    running, stream = loads.steady(plan, POLICY, asked.load, jobs, noise=asked.noise)
    write_guidance(plan, folder / "plan.json")
    loads.keep_state(folder / "kept", plan, POLICY, running)
    print(
        f"{plan.datacenter.machines} machines, {len(running)} jobs run; asked: {per_second:g} "
        f"arrivals a second for {asked.seconds:g} s, 99th percentile at most {WANTED:g} ms",
        flush=True,
    )
    server = loads.Server(folder)
    began = time.monotonic()
    server.start()
    print(f"it began in {time.monotonic() - began:.1f} s", flush=True)
    before = processor_seconds(server.process)
    speed = per_second / (asked.load * plan.arrival_rate_bound)
    began = time.monotonic()
    taken, lag = asyncio.run(drive(stream, server.port, speed))
    spent, wall = processor_seconds(server.process) - before, time.monotonic() - began
    server.kill()
    taken.sort()
    p50, p99, most = (taken[int((len(taken) - 1) * part)] * 1e3 for part in (0.5, 0.99, 1))
    print(
        f"{jobs / wall:.0f} arrivals and {len(taken) / wall:.0f} requests a second for {wall:.0f} s"
    )
    print(
        f"median {p50:.1f} ms, 99th percentile {p99:.1f} ms, longest {most:.0f} ms; the client was "
        f"{lag:.1f} s late: {'kept' if p99 <= WANTED and lag < 1 else 'not kept'}"
    )
    print(f"{spent / len(taken) * 1e3:.2f} ms of the processor for a request", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["rate", "same", "kills", "mutated", "idle"])
    parser.add_argument("--scale", type=float, help="of Google's 12 583 machines")
    parser.add_argument("--noise", type=float, default=0.0, help="coefficient of variation")
    parser.add_argument("--load", type=float, default=0.98)
    parser.add_argument("--per-second", type=float, default=300.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--arrivals", type=int, default=200_000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    began = time.monotonic()
    with TemporaryDirectory() as name:
        folder = Path(name)
        if asked.what == "rate":
            sizes = SIZES if asked.scale is None else [(asked.scale, asked.per_second)]
            for number, (scale, per_second) in enumerate(sizes):
                (folder / str(number)).mkdir()
                rate(asked, scale, per_second, folder / str(number))
        elif asked.what == "same":
            plan = planned(asked.scale or SIZES[0][0], asked.noise)
            print(same_decisions(folder, plan, POLICY, asked.arrivals, noise=asked.noise))
        elif asked.what == "kills":
            print(kill_again_and_again(folder, asked.kills, asked.seed))
        elif asked.what == "mutated":
            print(mutate(folder, asked.requests, asked.seed))
        else:
            print(hold_idle(folder, asked.connections))
    print(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
