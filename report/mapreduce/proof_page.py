"""A certificate as a page: every theorem with its numbers, and trees leaf by leaf."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from typing import Any

from ... import verify_job_order, verify_search
from ...verify import Refused, Shop, decimal, lower_bound, theorem
from ..page import page, safe

OPEN_DEPTH = 8
"""Deeper branches of a tree are closed at first."""
MOST_NUMBERS = 400
"""Longer numbers of a proof are cut on the page."""

STYLES = """
.tree ul { list-style: none; margin: 0; padding-left: 14px; border-left: 1px solid var(--line); }
.tree li { margin: 1px 0; }
.tree details { margin: 0; }
.leaf { display: inline-block; }
.bar { display: inline-block; height: 9px; background: var(--good); margin-right: 6px; }
.value { color: var(--soft); font-size: 13px; margin-right: 4px; }
"""


def proof_page(
    shop: Shop, certificate: dict[str, Any], findings: Sequence[str], *, confirmed: bool
) -> str:
    """The page of a certificate.

    `certificate`: its document as the verifier reads it.
    `findings`: what the verifier says.
    """
    word = "good" if confirmed else "bad"
    verdict = "CONFIRMED" if confirmed else "NOT CONFIRMED"
    lines = "".join(f"<li>{safe(line)}</li>" for line in findings)
    parts = [
        f"<h1>What is proved of {safe(shop.name)}</h1>",
        f'<p class="{word}"><strong>{verdict}</strong></p><ul>{lines}</ul>',
        '<p class="note">Everything is computed from the text of the instance, in whole multiples '
        f"of {safe(decimal(shop.unit))} s, by plain Python without a solver.</p>",
        *(_proof(shop, proof) for proof in certificate["proofs"]),
    ]
    return page(f"Proof: {shop.name}", "\n".join(parts), styles=STYLES)


def _proof(shop: Shop, proof: Any) -> str:
    """A proof with its theorem."""
    name = str(proof.get("proof")) if isinstance(proof, dict) else "no proof"
    try:
        known = theorem(name)
    except Refused:
        return f"<h2>{safe(name)}</h2><p>Nothing is proved by that: {_numbers(proof)}</p>"
    try:
        units = lower_bound(shop, proof)
        shown = f"No schedule ends before <strong>{_seconds(shop, units)}</strong>."
    except Refused as why:
        return f'<h2>{safe(name)}</h2><p class="bad">Refused: {safe(str(why))}.</p>'
    text = "".join(
        f"<p>{safe(paragraph)}</p>" for paragraph in (inspect.getdoc(known) or "").split("\n\n")
    )
    drawn = _tree(shop, proof, units) if name == "tree" else f"<p>{_numbers(proof)}</p>"
    return f"<h2>{safe(name.capitalize())}</h2>{text}<p>{shown}</p>{drawn}"


def _numbers(proof: Any) -> str:
    numbers = {key: value for key, value in proof.items() if key != "proof"}
    text = json.dumps(numbers, default=decimal)
    cut = text if len(text) <= MOST_NUMBERS else f"{text[:MOST_NUMBERS]} …"
    return f"<code>{safe(cut)}</code>" if numbers else ""


def _tree(shop: Shop, proof: dict[str, Any], least: int) -> str:
    """The cases as a list within lists; each leaf with its bound."""
    model = verify_job_order.JobOrder(
        shop, verify_search.chosen(shop, proof["jobs"]), proof["horizon"]
    )
    names = ", ".join(safe(shop.jobs[i]) for i in proof["jobs"])
    bounds: list[int] = []

    def branch(node: Any, fixed: dict[int, int], case: str, depth: int) -> str:
        if "on" not in node:
            bound = min(model.at_least(node, fixed), proof["horizon"] + 1)
            bounds.append(bound)
            width = round(120 * min(1.0, bound / max(least, 1)))
            bar = f'<span class="bar" style="width: {width}px"></span>'
            return f'<li>{case}<span class="leaf">{bar}{_seconds(shop, bound)}</span></li>'
        column = model.branching(node["on"])
        below = "".join(
            branch(node[word], {**fixed, column: value}, _case(word), depth + 1)
            for value, word in enumerate(("no", "yes"))
        )
        state = " open" if depth < OPEN_DEPTH else ""
        question = safe(_question(shop, node["on"]))
        return (
            f"<li><details{state}><summary>{case}{question}?</summary>"
            f"<ul>{below}</ul></details></li>"
        )

    try:
        tree = branch(proof["tree"], {}, "", 0)
    except RecursionError:
        return f"<p>Jobs: {names}. The tree is too deep to be drawn.</p>"
    return (
        f"<p>Jobs: {names}. {len(bounds)} leaves; the least bound counts.</p>"
        f'<div class="tree"><ul>{tree}</ul></div>'
    )


def _case(word: str) -> str:
    return f'<span class="value">{word}:</span>'


def _question(shop: Shop, name: Sequence[Any]) -> str:
    """What a branching asks, such as `map task 1 of j0 on n2, slot 0`."""
    kind, a, b = name
    if kind == "p":
        return f"{shop.jobs[a]} before {shop.jobs[b]}"
    phase, word = (shop.maps, "map") if kind == "x" else (shop.reduces, "reduce")
    node, number = next(place for place, slot in phase.place.items() if slot == b)
    job = phase.job[a]
    return f"{word} task {a - phase.tasks[job].start} of {shop.jobs[job]} on {node}, slot {number}"


def _seconds(shop: Shop, units: int) -> str:
    return f"{safe(decimal(units * shop.unit))} s"
