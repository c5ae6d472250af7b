"""What all lesson pages share: LP text, comparison of rows, verdicts, numbers."""

from pathlib import Path
from typing import Any

import lesson_solver
import pytest

SCRIPTS = [
    "text.js",
    "links.js",
    "solver.js",
    "lp.js",
    "measures.js",
    "verdict.js",
    "app.js",
]

MODEL: dict[str, Any] = {
    "variables": {
        "x": {"integer": True, "lower": 0, "upper": 1},
        "n": {"integer": True, "lower": 0, "upper": 5},
        "any": {"integer": False, "lower": None, "upper": None},
        "least": {"integer": False, "lower": 2, "upper": None},
        "fixed": {"integer": False, "lower": 3, "upper": 3},
        "most": {"integer": False, "lower": None, "upper": 4},
        "idle": {"integer": False, "lower": 0, "upper": None},
    },
    "sense": "max",
    "objective": {"x": 1, "n": 1, "any": -1},
    "rows": {
        "less": [[{"x": 1, "n": 2, "most": -1e-7}, None, 4.5], [{"idle": 0}, None, 1]],
        "equal": [[{"any": 1, "least": -1, "fixed": -1}, 0, 0]],
        "both": [[{"n": 1, "most": 1, "idle": 1}, -2, 3]],
    },
}


def test_lp_text_can_be_read() -> None:
    body = """
      const on = new Set(Object.keys(data.rows));
      return [lesson.lpText(data, on), lesson.lpText(data, new Set(["less"]), { relax: true })];
    """
    whole, part = lesson_solver.answer(SCRIPTS, body, MODEL)
    assert whole.splitlines() == [
        "maximize",
        " objective: x + n - any",
        "subject to",
        " less_1: x + 2 n - 1e-7 most <= 4.5",
        " equal_1: any - least - fixed = 0",
        " both_1_low: n + most + idle >= -2",
        " both_1_up: n + most + idle <= 3",
        "bounds",
        " 0 <= n <= 5",
        " any free",
        " least >= 2",
        " fixed = 3",
        " -inf <= most <= 4",
        "binaries",
        "  x",
        "generals",
        "  n",
        "end",
    ]
    assert " objective: x + n - any + 0 least + 0 fixed + 0 idle" in part.splitlines()
    assert " 0 <= x <= 1" in part.splitlines()
    assert "equal" not in part
    assert "binaries" not in part
    assert "generals" not in part


def test_solver_says_what_the_text_means(tmp_path: Path) -> None:
    body = """
      const on = new Set(Object.keys(data.rows));
      const found = await lesson.solve(lesson.lpText(data, on));
      const relaxed = await lesson.solve(lesson.lpText(data, on, { relax: true }));
      const rest = new Set(["less", "both"]);
      const unbounded = await lesson.solve(lesson.lpText(data, rest));
      const more = [" extra: n >= 6"];
      const infeasible = await lesson.solve(lesson.lpText(data, on, { more }));
      return [found, relaxed, lesson.census(data, on, relaxed), unbounded.status,
              infeasible.status];
    """
    found, relaxed, census, *ends = lesson_solver.answer(SCRIPTS, body, MODEL, folder=tmp_path)
    # any = least + fixed >= 5; x + 2 n <= 4.5 with whole n.
    assert found["status"] == relaxed["status"] == "optimal"
    assert found["value"] == pytest.approx(-3, abs=1e-6)
    assert (found["columns"]["x"], found["columns"]["n"]) in [(1, 1), (0, 2)]
    assert relaxed["value"] == pytest.approx(1 + 1.75 - 5, abs=1e-6)
    assert census["less"] == {"rows": 2, "tight": 1, "carry": 1}
    assert census["equal"] == {"rows": 1, "tight": 1, "carry": 1}
    assert census["both"]["rows"] == 1
    assert ends == ["unbounded", "infeasible"]


STATEMENTS = [
    {"label": "0", "components": [], "role": None},
    {"label": "1", "components": ["a", "b"], "role": "core"},
    {"label": "2", "components": ["c"], "role": "core"},
    {"label": "3", "components": ["d"], "role": "speed"},
    {"label": "4", "components": ["e"], "role": "cut"},
]


@pytest.fixture(scope="module")
def on() -> dict[str, list[str]]:
    body = """
      return Object.fromEntries(["", "1", "3", "4", "1 3"].map((off) => [off,
        [...lesson.componentsOn(data, new Set(off.split(" ")))]]));
    """
    found: dict[str, list[str]] = lesson_solver.answer(SCRIPTS, body, STATEMENTS)
    return found


def test_cuts_are_off_when_any_core_rule_is(on: dict[str, list[str]]) -> None:
    assert on[""] == ["a", "b", "c", "d", "e"]
    assert on["1"] == ["c", "d"]
    assert on["3"] == ["a", "b", "c", "e"]
    assert on["4"] == ["a", "b", "c", "d"]
    assert on["1 3"] == ["c"]


VIOLATION = {"rule": "overlap", "text": "two at once", "keys": []}
VERDICTS = [
    # off, status, value, violations -> kind, words
    ("", "optimal", 5, [], "good", "All rules hold: the optimum is 5 s."),
    ("", "optimal", 5, [VIOLATION], "bad", "contradicts itself"),
    ("3", "optimal", 5, [], "good", "only helps the solver"),
    ("4", "optimal", 4, [], "bad", "contradicts itself"),
    ("1", "optimal", 5, [], "good", "Still valid: on this instance the rule was not needed."),
    ("1", "optimal", 5, [VIOLATION], "bad", "5 s, the right value. Breaks “overlap”: two at once"),
    ("1", "optimal", 4, [VIOLATION], "bad", "Without (1) the model says 4 s, the truth is 5 s"),
    ("1 2", "optimal", 4, [], "bad", "Without (1) and (2)"),
    ("1", "unbounded", None, [VIOLATION], "bad", "nothing limits the model. Breaks “overlap”"),
    ("1", "infeasible", None, [], "bad", "nothing is allowed"),
    ("", "time limit", 6, [], "neutral", "No proof within 10 s"),
]


def test_verdicts() -> None:
    body = """
      return data.cases.map(([off, status, value, violations]) => lesson.verdict({
        answer: { status, value }, truth: { value: 5 }, violations, statements: data.statements,
        off: new Set(off.split(" ").filter(Boolean)), unit: "s" }));
    """
    given = {"cases": [case[:4] for case in VERDICTS], "statements": STATEMENTS}
    found = lesson_solver.answer(SCRIPTS, body, given)
    for case, verdict in zip(VERDICTS, found, strict=True):
        assert verdict["kind"] == case[4], case
        assert case[5] in verdict["text"], case
        assert len(verdict["short"]) <= len(verdict["text"])


def test_answers_are_held_to_the_shipped_ones() -> None:
    body = """
      const optimal = { status: "optimal", value: 5 }, none = { status: "unbounded", value: null };
      return [optimal, none].map((answer) =>
        [undefined, null, 5, 6].map((shipped) => lesson.agrees(answer, shipped)));
    """
    assert lesson_solver.answer(SCRIPTS, body) == [
        [True, False, True, False],
        [True, True, False, False],
    ]


NUMBERS = {
    0.0: "0",
    1e-12: "0",
    5.0: "5",
    65.8: "65.8",
    65.79999999999998: "65.8",
    1234.5: "1234.5",
    4730689.9: "4\u202f730\u202f690",
    -0.25: "−0.25",
    0.000123456789: "0.000123457",
    100.0: "100",
    1e-7: "1.00000e-7",
}


def test_numbers_are_read_easily() -> None:
    found = lesson_solver.answer(
        SCRIPTS, "return data.map((value) => lesson.number(value));", list(NUMBERS)
    )
    assert found == list(NUMBERS.values())


def test_a_link_sets_the_switches_and_is_made_of_them() -> None:
    body = """
      const labels = [["7", "eq7_map_successor"], ["3*", "eq3_late"], ["J9", "J9_before"], ["12"]];
      const rules = labels
        .map(([label, component]) => ({ label, components: component ? [component] : [] }));
      return data.map((text) => {
        const { off, bigM, unknown } = lesson.switches(text, rules);
        return [[...off], bigM, unknown, lesson.fragment(off, bigM)];
      });
    """
    told = lesson_solver.answer(
        SCRIPTS, body, ["", "#without=j9,eq7&big-m=0.5", "#without=3*,99,12", "#big-m=7&x"]
    )
    assert told == [
        [[], 1, [], ""],
        [["J9", "7"], 0.5, [], "#without=J9,7&big-m=0.5"],
        [["3*"], 1, ["99", "12"], "#without=3*"],
        [[], 1, [], ""],
    ]
