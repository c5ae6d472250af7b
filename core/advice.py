"""Hints for messages: the name that was meant, and what the given file is for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from .errors import InputError

KINDS = {
    "mapreduce": ("an instance", "use `slotwise solve`"),
    "schedule": ("a schedule", "use `slotwise check INSTANCE SCHEDULE`"),
    "result": ("a result", "use `slotwise check INSTANCE RESULT`"),
    "datacenter": ("a datacenter", "use `slotwise guide`"),
    "guidance": ("guidance", "use `slotwise check DATACENTER GUIDANCE`"),
    "hierarchy": ("a hierarchy", "use `slotwise fair`"),
    "hierarchy-events": ("a file of events", "use `slotwise fair HIERARCHY --events`"),
    "allocation": ("an allocation", "use `slotwise check HIERARCHY ALLOCATION`"),
    "steps": ("steps of a method", "use `slotwise check INSTANCE STEPS`"),
}
"""slotwise's own formats, what they hold and where they go."""

_TRACE = ("a Rumen trace", "use `slotwise import rumen`")
_TOPOLOGY = ("a topology", "use `slotwise import rumen` with --topology")
_GOOGLE = ("a part of Google's trace", "use `slotwise import google`")

_SIGNS = (
    (r'\{\s*"name"\s*:\s*"<root>"|\{[^{}\[\]]*"children"\s*:\s*\[', *_TOPOLOGY),
    (r'\[?\s*\{[^\0]*?"jobID"\s*:', *_TRACE),
    (r"<[^\0]*<allocations\b|<allocations\b", "a fair-scheduler.xml", "use `slotwise import yarn`"),
    (
        r"<[^\0]*\byarn\.scheduler\.capacity\.",
        "a capacity-scheduler.xml",
        "use `slotwise import yarn-capacity`",
    ),
    (r"[^\0]*\bkueue\.x-k8s\.io/", "a Kueue manifest", "use `slotwise import kueue`"),
    (r"sn,cpu_milli,", "an openb node list", "use `slotwise import openb NODES PODS`"),
    (
        r"name,cpu_milli,memory_mib,num_gpu,gpu_milli[\r\n]",
        "an openb pod list without times",
        "those called default, cpu…, gpushare… and gpuspec… have them",
    ),
    (r"name,cpu_milli,", "an openb pod list", "use `slotwise import openb NODES PODS`"),
    (r"arrival,duration,class,", "a table of jobs", "use `slotwise simulate --trace`"),
    (r"[^\t\n]+\t\d+\t\d+\t\d+\t\d+\t\d+[\t\r\n]", "a SWIM table", "use `slotwise import swim`"),
    (r"#[^\n]*\btime(stamp)?\b[^\n]*\bmachine", *_GOOGLE),
    (r"\d+,\d*,\d+,\d+,\d*,\d,(?:[^,\n]*,){6}", *_GOOGLE),
    (r"\d+,\d+,[012],[^,\n]*,[0-9.]*,[0-9.]*[\r\n]", *_GOOGLE),
    (r"[0-9a-f]{24},\w+,\d+,\d+,\d+", "a pai_machine_spec", "use `slotwise import pai`"),
)
"""How files of others begin."""

BEGINNING = 4096
"""Bytes of a file that tell what it is."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """`did you mean EFSS? `, or nothing if no name is similar."""
    folded = {known.casefold(): known for known in names}
    close = get_close_matches(name[:100].casefold(), folded, 1)
    return f"did you mean {folded[close[0]]}? " if close else ""


def check_choice(what: str, value: object, choices: Iterable[str]) -> None:
    """Check that a value is one of several choices.

    Raises `InputError` if it is not.
    """
    choices = tuple(choices)
    if value not in choices:
        guess = did_you_mean(value, choices) if isinstance(value, str) else ""
        raise InputError(f"{what}: {guess}choose {' or '.join(choices)}, got {value!r}")


def kind_hint(content: bytes | str, reader: str = "") -> str:
    """`; this is a SWIM table: use …` for a file of a known kind, else nothing.

    `reader`: the reader that the user called; nothing is said of its own kind of files.
    """
    text = content[:BEGINNING]
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    text = text.lstrip("\ufeff \t\r\n")
    own = re.match(r'\{\s*"format"\s*:\s*"(slotwise/[a-z-]+/[0-9]+)"', text)
    if own is not None:
        return format_hint({"format": own[1]})
    if '"slotwise/' not in text:
        for sign, kind, advice in _SIGNS:
            if re.match(sign, text, re.IGNORECASE):
                own = re.match(rf"use `slotwise import {re.escape(reader)}[` ]", advice)
                return "" if own else _told(kind, advice)
    return ""


SECOND_VERSIONS = ("hierarchy", "allocation")
"""Formats of which there are two versions."""


def format_hint(document: Mapping[str, Any]) -> str:
    """`; this is a datacenter: use …` for a JSON document of a known kind, else nothing."""
    if "format" not in document:
        if "jobID" in document:
            return _told(*_TRACE)
        return _told(*_TOPOLOGY) if {"name", "children"} <= document.keys() else ""
    name = re.fullmatch(r"slotwise/([a-z-]+)/([0-9]{1,9})", str(document["format"]), re.ASCII)
    if name is None or name[1] not in KINDS:
        return ""
    if int(name[2]) > (2 if name[1] in SECOND_VERSIONS else 1):
        return f"; made by a newer slotwise: this one reads slotwise/{name[1]}/1"
    return _told(*KINDS[name[1]])


def _told(kind: str, advice: str) -> str:
    return f"; this is {kind}: {advice}"
