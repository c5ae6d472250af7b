"""The page of a campaign: one HTML file that needs no network."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ...core.calls import checked
from ...core.errors import InputError
from ...core.files.outputs import write_bytes
from ...core.wording import plural
from ...reports.page import page
from ..engine.manifest import read_manifest
from ..engine.store import NAME, records_in
from ..engine.tables import check_libraries, read_runs
from ..statistics.runs import Runs
from .charts import Shown, shown_methods
from .curves import profiles, profiles_part
from .failures import failures_part
from .gaps import by_method, gaps_part, outcomes, times_part
from .means import Mean
from .measures import measures_part
from .parts import folded, paragraph, safe, section
from .summary import summary_part

BODY = """<header><h1>{{ name }}</h1><nav aria-label="Parts of the page">
{%- for id, title in titles.items() %}<a href="#{{ id }}">{{ title }}</a>{% endfor -%}
</nav></header>
<main>
{%- for part in parts %}
{{ part }}
{%- endfor %}
</main>"""

STYLE = """
h2 { margin-top: 34px; border-top: 1px solid var(--line); padding-top: 14px; }
p { max-width: 76ch; }
nav { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 10px 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 8px 0; }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; }
td:first-child, th:first-child { text-align: left; white-space: normal; min-width: 16ch; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr));
  gap: 14px 26px; align-items: start; }
figure { margin: 8px 0; min-width: 0; max-width: 620px; }
figcaption { font-weight: 600; }
figure p { color: var(--soft); font-size: 13.5px; }
.chart { width: 100%; height: auto; display: block; }
@media (prefers-color-scheme: dark) { .chart { filter: invert(1) hue-rotate(180deg); } }
@media (max-width: 620px) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 6px; } }
@media print { nav { display: none; } }
"""

LONGEST_MANIFEST = 100_000
"""Characters of a manifest that are shown."""


@dataclass(frozen=True)
class Report:
    """What a campaign came to.

    Parameters
    ----------
    html
        The page.
    document
        Its numbers, as JSON can hold them.
    """

    html: str
    document: dict[str, Any]

    @property
    def summary(self) -> str:
        """The campaign in a line."""
        document = self.document
        numbers = {"run": document["runs"], "method": len(document["methods"])}
        numbers["instance"] = document["instances"]
        run, method, on = (plural(number, what) for what, number in numbers.items())
        return f"{document['campaign']}: {run} of {method} on {on}, {document['failed']} failed"


@checked
def report(folder: str | Path, path: str | Path | None = None) -> Report:
    """Make the page of a campaign: gaps, performance profiles, times, measures, failed runs.

    Parameters
    ----------
    folder
        The folder of the campaign, of any size and in any state once it has tables.
    path
        Where to write the page; by default it is only returned. An existing file is replaced when
        the new page is there.

    Returns
    -------
    Report
        The page and its numbers.

    Raises
    ------
    InputError
        If there is no such folder, it has no tables, or they cannot be read.
    """
    runs = read_folder(folder)
    made = Report(_page(runs), _document(runs))
    if path is not None:
        write_bytes(path, made.html.encode())
    return made


def _page(folder: Folder) -> str:
    runs = folder.runs
    parts = [summary_part(runs, folder.manifest)]
    if len(runs):
        shown = _shown(folder)
        parts += [
            gaps_part(runs, shown),
            profiles_part(runs, shown),
            times_part(runs, shown),
            measures_part(runs, shown),
            failures_part(runs, folder.tracebacks),
        ]
    else:
        parts.append(paragraph("No run has ended yet."))
    parts.append(_reading(folder))
    from jinja2 import Template

    made = [part for part in parts if part]
    titles = {
        "summary": "Summary", "gaps": "Gaps", "profiles": "Performance profiles",
        "times": "Time against gap", "measures": "Measures", "failures": "Failed runs",
        "reading": "Tables and manifest",
    }  # fmt: skip
    there = {
        name: title
        for name, title in titles.items()
        if any(part.startswith(f'<section id="{name}"') for part in made)
    }
    body = Template(BODY).render(name=safe(folder.name), titles=there, parts=made)
    return page(f"{folder.name}: campaign", body, styles=STYLE)


def _shown(folder: Folder) -> Shown:
    """The methods of the charts: those with the least mean gaps, then those that wait least."""
    runs = folder.runs
    ranked: list[str] = []
    values = [runs.gap, *(runs.measure(name) for name in runs.measures[:1])]
    for numbers in values:
        means = by_method(runs, numbers)
        ranked += [name for _, name in sorted((mean.value, name) for name, mean in means.items())]
    return shown_methods(runs, ranked)


def _reading(folder: Folder) -> Markup:
    line = "frame = pandas.read_parquet('results.parquet')"
    own = "frame = slotwise.read_runs('FOLDER')"
    parts = [
        paragraph(
            "A row for each run; in the folder of the campaign, with pandas or with slotwise:"
        ),
        Markup("<pre>{}\n{}  # with times</pre>").format(line, own),
    ]
    if folder.manifest:
        text = json.dumps(folder.manifest, indent=1, ensure_ascii=False)
        if len(text) > LONGEST_MANIFEST:
            text = f"{text[:LONGEST_MANIFEST]}\n… (the rest is in manifest.json)"
        parts.append(folded("manifest.json", [Markup("<pre>{}</pre>").format(safe(text))]))
    else:
        parts.append(paragraph("The folder has no manifest."))
    return section("reading", "Tables and manifest", parts)


def _document(folder: Folder) -> dict[str, Any]:
    runs = folder.runs
    document: dict[str, Any] = {
        "campaign": folder.name,
        "runs": len(runs),
        "failed": int(runs.failed.sum()),
        "instances": int(runs.problem.nunique()) if len(runs) else 0,
        "factors": {factor.column: list(factor.levels) for factor in runs.factors},
        "methods": {},
    }
    if not len(runs):
        return document
    gap, own, ended = by_method(runs, runs.gap), by_method(runs, runs.own_gap), outcomes(runs)
    best, _ = profiles(runs, "makespan")
    measures = {name: by_method(runs, runs.measure(name)) for name in runs.measures}
    for name in runs.variants:
        of_method: dict[str, Any] = {}
        if name in ended:
            of_method = {
                **{kind.replace(" ", "_"): number for kind, number in ended[name].items()},
                "gap": _mean(gap.get(name)),
                "own_gap": _mean(own.get(name)),
                "best_share": best[name].share(1.0) if name in best else None,
            }
        means = {measure: _mean(by[name]) for measure, by in measures.items() if name in by}
        document["methods"][name] = of_method | ({"measures": means} if means else {})
    return document


def _mean(mean: Mean | None) -> dict[str, Any] | None:
    if mean is None:
        return None
    half = mean.half if math.isfinite(mean.half) else None
    return {"mean": mean.value, "half_width": half, "runs": mean.count}


@dataclass(frozen=True)
class Folder:
    """What a folder holds."""

    name: str
    """Name of the campaign."""
    runs: Runs
    manifest: Mapping[str, Any]
    """Its manifest, empty if there is none."""
    tracebacks: Mapping[str, str]
    """Those of failed runs, by run."""


def read_folder(path: str | Path) -> Folder:
    """Read a campaign's folder.

    Raises `InputError` if there is no such folder, it has no tables, or they cannot be read.
    """
    check_libraries()
    path = Path(path)
    if not path.is_dir():
        raise InputError(f"{path}: {'is a file' if path.exists() else 'no such folder'}: "
                         "need the folder of a campaign")  # fmt: skip
    if not (path / "results.parquet").is_file():
        if (path / NAME).is_file():
            raise InputError(
                f"{path}: no tables yet: slotwise campaign FILE.toml --table writes them"
            )
        raise InputError(f"{path}: no results.parquet there: is it the folder of a campaign?")
    try:
        runs = Runs(read_runs(path))
    except InputError as error:
        raise InputError(str(error) if str(path) in str(error) else f"{path}/{error}") from None
    manifest = read_manifest(path)
    name = manifest.get("study")
    return Folder(
        name if isinstance(name, str) and name else path.resolve().name.removesuffix(".runs"),
        runs,
        manifest,
        _tracebacks(path),
    )


def _tracebacks(folder: Path) -> dict[str, str]:
    """Of failed runs; the tables do not have them. Runs that cannot be read have none."""
    try:
        return {
            run: record.traceback for run, record in records_in(folder).items() if record.failed
        }
    except InputError:
        return {}
