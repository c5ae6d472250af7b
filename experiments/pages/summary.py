"""The head of a page: what ran, how it ended, with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from ...core.wording import NONE, plural
from ..statistics.runs import Runs
from .parts import count, names, paragraph, safe, section

MOST_LEVELS = 12
"""Levels of a factor, or seeds, that are listed."""


def summary_part(runs: Runs, manifest: Mapping[str, Any]) -> Markup:
    """The summary.

    `manifest`: the manifest of the folder, empty if there is none.
    """
    facts: dict[str, str] = {"runs": _runs(runs, manifest)}
    if len(runs):
        facts["instances"] = count(runs.problem.nunique())
        facts["methods"] = f"{len(runs.variants)}: {names(runs.variants, MOST_LEVELS)}"
        status = runs.frame["status"].value_counts()
        facts["status"] = ", ".join(f"{count(int(n))} {name}" for name, n in status.items())
    for factor in runs.factors:
        levels = names(factor.labels, MOST_LEVELS)
        facts[f"factor {factor.column}"] = f"{len(factor.levels)} levels: {levels}"
    if runs.seeds:
        facts["seeds"] = _seeds(runs.seeds)
    facts |= _with_what(manifest)
    form = Markup("<dt>{}</dt><dd>{}</dd>")
    listed = Markup("").join(form.format(safe(name), safe(text)) for name, text in facts.items())
    parts = [Markup("<dl>{}</dl>").format(listed)]
    ended, every = _ended(runs, manifest)
    if every is not None and ended < every:
        left = plural(every - ended, "run")
        parts.append(
            paragraph(f"Not finished: {left} to go. All below is of what ended.", "warning")
        )
    return section("summary", "Summary", parts)


def _ended(runs: Runs, manifest: Mapping[str, Any]) -> tuple[int, int | None]:
    """How many runs ended, and how many there are to be."""
    every = _under(manifest, "runs").get("all")
    return len(runs), every if isinstance(every, int) else None


def _runs(runs: Runs, manifest: Mapping[str, Any]) -> str:
    ended, every = _ended(runs, manifest)
    of_all = f" of {count(every)}" if every is not None and every != ended else ""
    return f"{count(ended)}{of_all} ended, {count(int(runs.failed.sum()))} failed"


def _seeds(seeds: list[Any]) -> str:
    if len(seeds) > 2 and seeds == list(range(seeds[0], seeds[0] + len(seeds))):
        return f"{len(seeds)}: {seeds[0]} to {seeds[-1]}"
    return f"{len(seeds)}: {names([str(seed) for seed in seeds], MOST_LEVELS)}"


def _with_what(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Versions, machine and sessions, as far as the manifest has them."""
    facts: dict[str, str] = {}
    own = _under(manifest, "build").get("version")
    versions = {"slotwise": own, **_under(manifest, "versions")}
    facts["versions"] = ", ".join(f"{name} {said}" for name, said in versions.items() if said)
    machine = _under(manifest, "machine")
    facts["machine"] = ", ".join(
        f"{said} cores" if name == "cores" else str(said)
        for name, said in machine.items()
        if name != "byte_order" and said
    )
    sessions = manifest.get("sessions")
    if isinstance(sessions, list) and sessions and isinstance(sessions[-1], dict):
        last = sessions[-1]
        with_ = ", ".join(f"{last[k]} {k}" for k in ("workers", "threads") if last.get(k))
        facts["sessions"] = (
            f"{len(sessions)}, the last one begun {last.get('start', NONE)}, "
            f"{last.get('ended', NONE)}" + (f", {with_}" if with_ else "")
        )
    cpu = manifest.get("cpu_seconds")
    if isinstance(cpu, int | float):
        facts["processor time"] = f"{cpu:.4g} s"
    return {name: said for name, said in facts.items() if said}


def _under(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = manifest.get(name)
    return section if isinstance(section, dict) else {}
