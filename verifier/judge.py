"""The verdict on a claim and its certificate."""

from __future__ import annotations

import argparse
import math
import signal
import sys
import zlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

from . import plans
from .claims import BOUND_TOLERANCE, ROUNDING, OutOfTime, Say, decimal, shown_by, word
from .closed_forms import johnson, pigeonhole, waits
from .documents import Document, Number, Refused, need, read, refuse, refusing
from .last_jobs import last_jobs
from .prices import patterns, prices_of_time, windows
from .problem import Shop
from .reads import one_jobs_reads, orders, reads_within_horizon
from .schedule import shortest
from .search import search
from .spread import spread

THEOREMS: dict[str, Callable[[Shop, Document], Number]] = {
    "waits": waits,
    "pigeonhole": pigeonhole,
    "johnson": johnson,
    "orders": orders,
    "one job's reads": one_jobs_reads,
    "reads within a horizon": reads_within_horizon,
    "last jobs": last_jobs,
    "prices of time": prices_of_time,
    "patterns": patterns,
    "windows": windows,
    "spread": spread,
    "search": search,
}
"""From the problem and the numbers of a certificate to a bound in units, by name."""


def lower_bound(shop: Shop, proof: Any) -> int:
    """What a proof of a certificate shows, in whole units.

    Some shortest schedule has no needless wait. Its makespan is a sum of durations, hence a whole
    number of units: bounds are rounded up for free.
    """
    with refusing():
        return math.ceil(THEOREMS[need(proof, dict).get("proof")](shop, proof))


def problem_of(document: Document) -> Shop | plans.Datacenter:
    """What a certificate may be about."""
    with refusing():
        kind = document.get("format")
        if kind in ("slotwise/hierarchy/1", "slotwise/hierarchy/2"):
            refuse(
                "slotwise check HIERARCHY ALLOCATION says whether shares are fair, without a proof"
            )
        return plans.Datacenter(document) if kind == "slotwise/datacenter/1" else Shop(document)


def confirmed(
    problem: Shop | plans.Datacenter,
    claim: Document,
    certificate: Document,
    digest: str = "",
    say: Say = print,
) -> bool:
    """Whether all that is claimed of a problem is confirmed; every finding is said in a line.

    `digest`: the SHA-256 of the text of the problem.
    """
    with refusing():
        if isinstance(problem, plans.Datacenter):
            return plans.judge(problem, claim, certificate, say)
        return judge(problem, claim, certificate, digest, say)


def judge(shop: Shop, result: Document, certificate: Document, digest: str, say: Say) -> bool:
    """Whether all that a result claims is confirmed."""
    if result.get("instance") != shop.name or certificate.get("instance") != shop.name:
        refuse("the three files are not about one instance")
    for document, kind in ((result, "result"), (certificate, "certificate")):
        if document.get("format") != f"slotwise/{kind}/1":
            refuse(f"the {kind}: format must be slotwise/{kind}/1")
    if result.get("objective", "makespan") != "makespan":
        refuse("objective: certificates are of makespans, so solve the instance again")
    if digest and certificate.get("instance_sha256") != digest:
        say("note: the certificate was made from another text of the instance")
    status = result.get("status")
    if status not in ("optimal", "feasible", "infeasible", "unknown"):
        refuse(f"there is no status {ascii(status)[:40]}")
    claimed, bound, gap = (result.get(name) for name in ("makespan", "lower_bound", "gap"))
    for value, name in ((claimed, "makespan"), (bound, "lower_bound"), (gap, "gap")):
        if value is not None and need(value, Fraction) < 0:
            refuse(f"{name}: must be at least 0")
    if shop.impossible:
        say("no schedule exists: a task may run on no slot")
        return status == "infeasible" and claimed is None
    makespan = None
    if claimed is not None:
        try:
            makespan = shortest(shop, result.get("schedule"))
            say(f"schedule: ends at {seconds(shop, makespan)}, claimed {decimal(claimed)} s")
        except Refused as why:
            say(f"schedule refused: {why}")

    def show(proof: Document) -> int:
        shown = lower_bound(shop, proof)
        say(f"proof {proof['proof']!a}: no schedule ends before {seconds(shop, shown)}")
        return shown

    best = max(shown_by(certificate, show, say, " s"), default=0)
    if bound is not None:
        say(f"lower bound: {seconds(shop, best)} proved, claimed {decimal(bound)} s")
    verdicts = verdicts_on(result, makespan, best, shop.unit)
    for name, holds in verdicts.items():
        say(f"{name}: {word(holds)}")
    return all(verdicts.values())


def verdicts_on(
    result: Document, makespan: int | None, best: int, unit: Fraction
) -> dict[str, bool]:
    """Which of its claims hold, if its schedule takes so many units and none takes fewer than best.

    A claimed makespan or bound is a rounded number.
    """
    claimed, bound, gap = (result.get(name) for name in ("makespan", "lower_bound", "gap"))
    ends = math.inf if makespan is None else makespan * unit
    verdicts = {}
    if claimed is not None:
        verdicts["schedule"] = ends <= claimed * (1 + ROUNDING)
    if bound is not None:
        verdicts["lower bound"] = best * unit >= bound * (1 - BOUND_TOLERANCE)
    if gap is not None:
        most = (1 + gap + BOUND_TOLERANCE) * (bound or 0)
        verdicts["gap"] = claimed is not None and (claimed == gap == 0 or 0 < most >= claimed)
    if result["status"] == "optimal":
        how = "exactly" if makespan == best else "within 1e-6"
        close = best * unit * (1 + BOUND_TOLERANCE)
        verdicts[f"optimal, {how}"] = max(ends, claimed or 0) <= close
    else:
        wanted = "unknown" if claimed is None else "feasible"
        verdicts[result["status"]] = result["status"] == wanted
    return verdicts


def seconds(shop: Shop, units: int) -> str:
    """A time in units, as text."""
    return f"{decimal(units * shop.unit)} s"


def main(arguments: list[str]) -> int:
    """Check three files; the exit code: 0 if all is confirmed, 1 if not, 2 if one is none."""
    parser = argparse.ArgumentParser(
        prog="verifier", description="Check a result and the proof of its bound."
    )
    for name in ("instance", "result", "certificate"):
        parser.add_argument(name)
    parser.add_argument("--limit", type=float, default=0.0, help="stop after so many seconds")
    asked = parser.parse_args(arguments)
    limited = 0 < asked.limit < 1e9
    try:
        if limited:
            signal.signal(signal.SIGALRM, _out_of_time)
            signal.setitimer(signal.ITIMER_REAL, asked.limit)
        return check(asked.instance, asked.result, asked.certificate)
    except OutOfTime:
        print("NOT CONFIRMED: the time is up")
        return 1
    finally:
        if limited:
            signal.setitimer(signal.ITIMER_REAL, 0)


def check(*paths: str) -> int:
    """Read and judge three files; the exit code."""
    documents = []
    for path in paths:
        try:
            documents.append(read(path))
            if len(documents) == 1:
                known = problem_of(documents[0][0])
        except (OSError, EOFError, zlib.error, Refused) as problem:
            print(f"{path}: {ascii(str(problem))[1:-1]}", file=sys.stderr)
            return 2
    (_, digest), (claim, _), (certificate, _) = documents
    try:
        holds = confirmed(known, claim, certificate, digest)
    except Refused as why:
        print(f"refused: {why}")
        holds = False
    print("CONFIRMED" if holds else "NOT CONFIRMED")
    return 0 if holds else 1


def _out_of_time(*_: Any) -> NoReturn:
    raise OutOfTime
