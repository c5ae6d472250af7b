"""Pages of campaigns: numbers worked out by hand, and campaigns of every odd kind."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
import run_tables
from make import refused

import slotwise
from slotwise.commands.app import run
from slotwise.experiments.pages.means import means
from slotwise.experiments.statistics.runs import Runs

HOSTILE = "</pre></script><script>document.title='x'</script><img src=x onerror=alert(1)>\x00"
VOID = {"meta", "link", "img", "br"}


class Page(HTMLParser):
    """The tables of a page by their labels, its texts, and whether its elements close."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.open, self.words, self.tags = {}, [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "div" and ("class", "scroll") in attributes:
            self.rows = self.tables.setdefault(dict(attributes)["aria-label"], [])
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)
        if {"td", "th"} & set(self.open) and "title" not in self.open:
            self.rows[-1][-1] += data

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def row(self, table, name):
        head, *rows = self.tables[table]
        return dict(zip(head, next(row for row in rows if row[0] == name), strict=True))


@pytest.fixture
def page(tmp_path):
    """The page of such a table, parsed."""

    def make(table, **more):
        made = slotwise.report(run_tables.write(tmp_path / "a.runs", table, **more))
        return Page(made.html)

    return make


def four():
    """Two instances with bounds 110 and 100; B has no schedule on the second one, solve proves
    the first."""
    runs = [
        {"instance": "i", "method": "A", "makespan": 120.0, "best_bound": 110.0, "gap": 0.2},
        {"instance": "i", "method": "B", "makespan": 132.0, "best_bound": 110.0},
        {"instance": "i", "method": "solve", "kind": "solve", "makespan": 110.0, "gap": 0.0,
         "best_bound": 110.0, "status": "optimal", "seconds": 8.0},
        {"instance": "k", "method": "A", "makespan": 150.0, "best_bound": 100.0},
        {"instance": "k", "method": "B", "best_bound": 100.0, "status": "unknown"},
        {"instance": "k", "method": "solve", "kind": "solve", "makespan": 120.0,
         "best_bound": 100.0, "seconds": 2.0},
    ]  # fmt: skip
    for row in runs:
        row["size"] = 5 if row["instance"] == "i" else 10
    return run_tables.frame(runs, of_instance=["size"])


def test_gaps_by_hand(page):
    # A: 10/110 and 50/100, mean 29.545 %; half interval t(0.975; 1) = 12.7062 times the standard
    # error (50 - 9.0909) / 2 = 20.4545, which is 259.90. B: 20 % and nothing. solve: 0 and 20 %.
    shown = page(four())
    a, b, s = (shown.row("Gaps by method", name) for name in ("A", "B", "solve"))
    assert a["mean gap"] == "29.55 % ± 259.9"
    assert (a["median"], a["worst"], a["runs with a gap"]) == ("29.55 %", "50 %", "2")
    assert a["own gap"].startswith("35 % ± ")  # 20 % that it proved itself, and 50 %
    assert (b["mean gap"], b["runs with a gap"]) == ("20 %", "1")
    assert s["mean gap"].startswith("10 % ± ")
    ended = shown.row("How the runs ended", "B")
    assert list(ended.values()) == ["B", "2", "1", "0", "0", "1", "0", "0"]
    ended = shown.row("How the runs ended", "solve")
    assert list(ended.values()) == ["solve", "2", "2", "1", "1", "0", "0", "0"]
    assert "Runs without a schedule (time over, or failed): B 1 of 2." in shown.text
    by_size = shown.row("Mean gap by size", "5")
    of_methods = [by_size[name] for name in ("A", "B", "solve")]
    assert of_methods == ["9.09 % (1)", "20 % (1)", "0 % (1)"]
    # All: (1/11 + 0.2 + 0) / 3, one instance: no interval.
    assert by_size["all"] == "9.7 % (3)"
    assert shown.row("Mean gap by size", "10")["B"] == "–"


def test_profiles_by_hand(page):
    # Makespans: ratios A 12/11, 1.25; B 1.2, never; solve 1, 1. Times: A .5, .5; B .5, never
    # (no answer); solve 8, 2: ratios 16 and 4.
    shown = page(four())
    makespan = "Performance profiles of the makespan"
    assert list(shown.row(makespan, "A").values())[1:] == [
        "0 %", "0 %", "0 %", "50 %", "100 %", "100 %", "100 %", "2",
    ]  # fmt: skip
    b = shown.row(makespan, "B")
    assert (b["within 2×"], b["ever"]) == ("50 %", "50 %")
    assert shown.row(makespan, "solve")["best"] == "100 %"
    times = "Performance profiles of the time"
    assert list(shown.row(times, "solve").values())[1:] == [
        "0 %", "0 %", "50 %", "50 %", "100 %", "100 %", "2",
    ]  # fmt: skip
    assert (shown.row(times, "B")["best"], shown.row(times, "B")["ever"]) == ("50 %", "50 %")


def test_the_best_makespan_counts_whoever_found_it(page):
    table = four()
    table = table[table["method"] != "solve"]  # their best_makespan stays
    shown = page(table.reset_index(drop=True))
    assert shown.row("Performance profiles of the makespan", "A")["best"] == "0 %"


def test_instances_that_not_all_methods_ran_are_left_out(page):
    shown = page(four()[:4])  # the second one has A only
    assert "1 instance. 1 instance left out: not all methods have run there." in shown.text
    row = shown.row("Performance profiles of the makespan", "A")
    assert (row["within 1.1×"], row["instances"]) == ("100 %", "1")


def test_a_method_with_instances_of_its_own_does_not_hide_the_profiles(page):
    more = [{"method": "C", "instance": "own", "makespan": 2.0, "best_bound": 1.0}]
    shown = page(run_tables.frame([*run_tables.TWO_METHODS, *more]))
    assert "Without C: no instance in common with the others." in shown.text
    names = [row[0] for row in shown.tables["Performance profiles of the makespan"]]
    assert names == ["method", "A", "B"]


def test_numbers_of_the_document(tmp_path):
    made = slotwise.report(run_tables.write(tmp_path / "x.runs", four()))
    assert (made.document["campaign"], made.document["runs"]) == ("x", 6)
    assert made.document["factors"] == {"size": [5, 10]}
    b = made.document["methods"]["B"]
    assert (b["no_schedule"], b["best_share"]) == (1, 0.0)
    assert b["gap"] == {"mean": pytest.approx(0.2), "half_width": None, "runs": 1}
    json.dumps(made.document, allow_nan=False)


def test_a_run_that_proves_nothing_is_optimal_by_the_bound_of_another():
    table = run_tables.frame(
        [
            {"method": "A", "makespan": 10.0, "lower_bound": 8.0, "best_bound": 10.0},
            {"method": "B", "makespan": 11.0, "lower_bound": 10.0, "best_bound": 10.0},
        ]
    )
    runs = Runs(table)
    assert runs.optimal.tolist() == [True, False]
    assert runs.own_gap.tolist() == pytest.approx([0.25, 0.1])


def test_a_makespan_of_a_failed_run_is_no_schedule():
    row = {"makespan": 10.0, "best_bound": 10.0}
    runs = Runs(run_tables.frame([row, {**row, "status": "error"}, {**row, "status": "crashed"}]))
    assert runs.scheduled.tolist() == [True, False, False]
    assert np.isfinite(runs.gap).tolist() == [True, False, False]


def test_intervals_count_instances_not_runs():
    # Every instance twice, with the same value: the interval is that of three values, not six.
    # Mean 3, standard deviation sqrt(7), t(0.975; 2) = 4.30265.
    values, problem = np.array([1.0, 1, 2, 2, 6, 6]), [0, 0, 1, 1, 2, 2]
    mean = means(values, {"all": ["x"] * 6}, problem)[("x",)]
    assert (mean.value, mean.count) == (3, 6)
    assert mean.half == pytest.approx(4.30265 * (7 / 3) ** 0.5, rel=1e-5)
    alone = means(values[::2], {"all": ["x"] * 3}, problem[::2])[("x",)]
    assert alone.half == pytest.approx(mean.half)


def test_methods_are_told_apart_by_what_varies():
    rows = [
        {"method": "A", "omega": omega, "theta": 3.0, "makespan": 1.0, "best_bound": 1.0}
        for omega in (0.5, 1.0)
    ]
    rows += [{"method": "B", "theta": 3.0}, {"method": "A", "kind": "function", "seed": 2}]
    runs = Runs(run_tables.frame(rows, of_instance=["seed"], of_method=["omega", "theta"]))
    assert runs.variants == ["heuristic A omega=0.5", "heuristic A omega=1", "B", "function A"]
    assert [(f.column, f.levels) for f in runs.factors] == [("omega", (0.5, 1.0))]
    assert runs.seeds == [2]


def test_settings_that_hardly_differ_are_two_methods():
    rows = [{"method": "A", "omega": omega} for omega in (1.0, 0.30000001, 0.30000002)]
    runs = Runs(run_tables.frame(rows, of_method=["omega"]))
    assert runs.variants == ["A omega=1", "A omega=0.30000001", "A omega=0.30000002"]
    assert runs.problem.nunique() == 1


def test_instances_of_one_name_are_told_apart():
    rows = [
        {"instance": "i", "method": method, "size": size, "best_bound": bound}
        for size, bound in ((1, 5.0), (2, 5.0), (2, 6.0))
        for method in "AB"
    ]
    runs = Runs(run_tables.frame([*rows, *rows[:2]], of_instance=["size"]))
    assert runs.problem.nunique() == 4
    assert runs.problem.tolist()[::2] == runs.problem.tolist()[1::2]


def policies():
    return [
        {"kind": "policy", "method": name, "status": "done", "load": load, "seed": seed,
         "instance": f"d{seed}", "mean_wait": wait * (1 + seed), "p99_wait": 9.0, "measured": 5.0,
         "time_unit": "h"}
        for load in (0.8, 0.9) for seed in (0, 1)
        for name, wait in (("lotes", 1.0), ("tetris", 2.0))
    ]  # fmt: skip


def test_policies_have_their_measures_instead(page):
    shown = page(run_tables.frame(policies(), of_instance=["load", "seed"]))
    row = shown.row("mean_wait by method", "tetris")
    # 2, 4, 2, 4 on four drawings: sd 2 / sqrt(3), half = t(0.975; 3) = 3.18245 times sd / 2.
    assert (row["mean"], row["median"], row["runs"]) == ("3 ± 1.837", "3", "4")
    assert shown.row("Mean of mean_wait by load", "0.8")["lotes"].startswith("1.5 ± ")
    assert shown.row("Means of other measures", "measured")["lotes"] == "5 ± 0 (4)"
    assert "Waits are in h, shares" in shown.text
    assert "Gaps by method" not in shown.tables
    assert "Performance profiles of the time" in shown.tables


def test_mixed_campaigns_show_both(page):
    both = run_tables.frame([*policies(), *run_tables.TWO_METHODS], of_instance=["load", "seed"])
    shown = page(both)
    assert shown.row("Performance profiles of the time", "A")["instances"] == "3"
    assert {"Gaps by method", "mean_wait by method"} <= shown.tables.keys()
    assert [row[0] for row in shown.tables["Gaps by method"]] == ["method", "A", "B"]


def test_nothing_breaks_out(page):
    bad = {"instance": HOSTILE, "method": HOSTILE, "error": HOSTILE, "size": HOSTILE}
    rows = [
        {**bad, "status": "error"},
        {**bad, "makespan": 2.0, "best_bound": 1.0, "size": "<i>"},
        {"instance": HOSTILE, "method": "B", "makespan": 2.0, "best_bound": 1.0, "size": "<i>"},
        {**bad, "kind": "policy", "status": "done", "<s>wait": 2.0},
    ]
    tracebacks = {f"{0:032x}": HOSTILE + "\ud800\nlast line"}
    manifest = {"study": HOSTILE + "\ud800", "machine": {"host": HOSTILE}, "seeds": [HOSTILE]}
    shown = page(
        run_tables.frame(rows, of_instance=["size"]), manifest=manifest, tracebacks=tracebacks
    )
    tags = [tag for tag, _ in shown.tags]
    assert "script" not in tags
    assert {"img", "i", "s"}.isdisjoint(tags)
    assert not any(name.startswith("on") for _, given in shown.tags for name in given)
    assert "last line" in shown.text
    links = [given.get(key) for _, given in shown.tags for key in ("src", "href", "action", "data")]
    assert all(link.startswith(("#", "data:,")) for link in links if link)
    shown.text.encode()


def test_failed_runs_are_listed_with_their_tracebacks(page):
    rows = [
        {"method": "A", "instance": f"i{k}", "status": "error", "error": "boom"} for k in range(3)
    ]
    rows.append({"method": "B", "status": "crashed", "error": "worker died"})
    lines = "\n".join(f"line {k}" for k in range(40))
    shown = page(
        run_tables.frame(rows),
        tracebacks={f"{1:032x}": lines, "another": "no"},
    )
    assert shown.tables["Failures by error"][1:] == [
        ["A", "error", "boom", "3"],
        ["B", "crashed", "worker died", "1"],
    ]
    (cell,) = [row[3] for row in shown.tables["Failed runs"] if "line 7" in row[3]]
    assert "… 26 lines" in cell
    assert "line 34" in cell
    assert "line 8\n" not in cell
    assert "4 failed" in shown.text


NAN, INF = float("nan"), float("inf")
ODD = {
    "one method": [{"makespan": 2.0 + k, "best_bound": 1.0, "instance": f"i{k}"} for k in range(3)],
    "one run": [{"makespan": 2.0, "best_bound": 1.0}],
    "all failed": [{"status": "error", "error": "x", "method": m} for m in "AB"],
    "no schedules": [{"status": "unknown", "best_bound": 3.0, "method": m} for m in "AB"],
    "odd numbers": [
        {"method": m, "instance": str(k), "makespan": makespan, "best_bound": bound, "seconds": s}
        for m in "AB"
        for k, (makespan, bound, s) in enumerate(
            [(NAN, 1.0, 1.0), (INF, 1.0, 0.0), (2.0, 0.0, NAN), (0.0, 0.0, -1.0), (2.0, INF, INF),
             (2.0, NAN, 1e-300), (1e300, 1e-300, 1e300), (3.0, 2.0, 1.0)]
        )
    ],
    "no instance in common": [
        {"method": m, "instance": m, "makespan": 2.0, "best_bound": 1.0} for m in "AB"
    ],
    "thirty methods": [
        {"method": f"m{k}", "instance": i, "makespan": 2.0 + k, "best_bound": 1.0, "n": n}
        for n, i in enumerate("ab") for k in range(30)
    ],
    "long names and many levels": [
        {"method": "m" * 300, "instance": "i" * 500, "makespan": 2.0, "best_bound": 1.0, "n": k,
         "shape": f"a long level {k % 9}"}
        for k in range(40)
    ],
}  # fmt: skip


@pytest.mark.parametrize("rows", ODD.values(), ids=ODD)
def test_odd_campaigns(rows, page):
    of_instance = [name for name in ("n", "shape") if name in rows[0]]
    shown = page(run_tables.frame(rows, of_instance=of_instance))
    drawn = " ".join(given.get("d") or "" for _, given in shown.tags)
    assert not re.search(r"nan|inf", drawn)
    assert not re.search(r"\bnan\b|\binf\b", shown.text)


def test_gaps_without_a_bound_are_counted(page):
    shown = page(run_tables.frame(ODD["odd numbers"]))
    # Bounds 0, infinite and NaN, of two methods; and the gap 1e600, which is no number.
    assert "8 schedules without a gap" in shown.text


def test_nothing_has_ended(page):
    empty = run_tables.frame(run_tables.TWO_METHODS)[:0]
    shown = page(empty, manifest={"runs": {"all": 9}, "study": "early"})
    assert "No run has ended yet." in shown.text
    assert "Not finished: 9 runs to go." in shown.text


def test_what_the_manifest_says(page):
    manifest = {
        "study": "mine", "build": {"version": "9.9"}, "versions": {"python": "3.11"},
        "machine": {"host": "box", "cores": 2}, "runs": {"all": 7},
        "sessions": [{"start": "then", "ended": "interrupted", "workers": 2}], "cpu_seconds": 12.5,
    }  # fmt: skip
    shown = page(run_tables.frame(run_tables.TWO_METHODS), manifest=manifest)
    for text in (
        "mine", "6 of 7 ended, 0 failed", "slotwise 9.9, python 3.11", "box, 2 cores", "12.5 s",
        "1, the last one begun then, interrupted, 2 workers", "Not finished: 1 run to go",
    ):  # fmt: skip
        assert text in shown.text


def test_45_000_runs_make_a_small_page(tmp_path):
    rng = np.random.default_rng(0)
    problems, methods = 1500, [f"m{k}" for k in range(30)]
    n = problems * len(methods)
    table = run_tables.frame([run_tables.TWO_METHODS[0] | {"size": 1}], of_instance=["size"])
    table = table.loc[[0] * n].reset_index(drop=True)
    table["run"] = [f"{k:032x}" for k in range(n)]
    table["instance"] = [f"i{k}" for k in np.repeat(np.arange(problems), len(methods))]
    table["size"] = np.repeat(np.arange(problems) % 5, len(methods))
    table["method"] = methods * problems
    table["makespan"] = 10 + rng.exponential(size=n)
    table["seconds"] = rng.lognormal(size=n)
    made = slotwise.report(run_tables.write(tmp_path / "big.runs", table))
    assert len(made.html.encode()) < 1_000_000
    assert made.summary == "big: 45000 runs of 30 methods on 1500 instances, 0 failed"
    assert "45\u202f000 ended" in made.html
    assert "\\u" not in made.html


def test_bad_folders(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old")

    def message(folder):
        found = refused("report", folder, "-o", page)
        assert page.read_text() == "old"
        return found

    assert "none: no such folder" in message(tmp_path / "none")
    (tmp_path / "file").write_text("")
    assert "file: is a file" in message(tmp_path / "file")
    folder = tmp_path / "some.runs"
    folder.mkdir()
    assert "no results.parquet there" in message(folder)
    (folder / "runs.sqlite").write_text("")
    assert "no tables yet: slotwise campaign FILE.toml --table" in message(folder)
    run_tables.write(folder, run_tables.frame(run_tables.TWO_METHODS))
    (folder / "manifest.json").write_text("{")
    assert "manifest.json: not JSON" in message(folder)
    (folder / "manifest.json").unlink()
    for name in ("results.parquet", "times.parquet"):
        content = (folder / name).read_bytes()
        for damaged in (b"", content[:-20], b"PAR1" + bytes(200) + b"PAR1"):
            (folder / name).write_bytes(damaged)
            assert str(folder) in message(folder)
        (folder / name).write_bytes(content)
    table = run_tables.frame(run_tables.TWO_METHODS)
    run_tables.write(folder, table.drop(columns="status"))
    assert "results.parquet: has no column 'status'" in message(folder)


def test_the_command(tmp_path, capsys):
    folder = run_tables.write(tmp_path / "a.runs", run_tables.frame(run_tables.TWO_METHODS))
    page = folder / "page.html"
    for _ in range(2):  # an older page in the folder is replaced
        assert run(["report", str(folder), "-o", str(page)]) == 0
        said = capsys.readouterr().out
        assert " ".join(said.split()) == f"{page}: a: 6 runs of 2 methods on 3 instances, 0 failed"
    assert page.read_text("utf-8") == slotwise.report(folder).html
    assert run(["report", str(folder), "-o", str(page), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == slotwise.report(folder).document | {"page": str(page)}
    content = (folder / "results.parquet").read_bytes()
    assert "is the input" in refused("report", folder, "-o", folder / "results.parquet")
    assert (folder / "results.parquet").read_bytes() == content


def test_python_writes_it_too(tmp_path):
    folder = run_tables.write(tmp_path / "a.runs", run_tables.frame(run_tables.TWO_METHODS))
    made = slotwise.report(folder, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == made.html
