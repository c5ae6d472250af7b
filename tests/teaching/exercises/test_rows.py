"""Rows of a model that are too loose or too tight: found, made small, and named."""

from random import Random

import pytest
from seeded_bugs import ROWS, right

from slotwise.teaching.exercises.catalogue import exercise_named
from slotwise.teaching.exercises.child import rows as child
from slotwise.teaching.exercises.child.functions import Unfit
from slotwise.teaching.exercises.exercise import Answer, Demands, Malformed, judged
from slotwise.teaching.exercises.grade import Finding
from slotwise.teaching.exercises.shrinking import shrink, size_of

BUILD = exercise_named("build")
(DOMAIN,) = BUILD.domains


def batch(maps=(), reduces=()):
    """One job on one node with a map slot and a reduce slot."""
    document = BUILD.problems.first()
    document["jobs"][0]["map_tasks"] = [
        {"processing": float(time), "input_mb": 0.0, "replicas": []} for time in maps
    ]
    document["jobs"][0]["reduce_tasks"] = [{"processing": float(time)} for time in reduces]
    return document


def asking(source):
    """What a submission answers, without a process."""
    names = {}
    exec(source, names)
    return lambda document: Answer("value", child.answer("rows", names["rows"], document))


def hidden():
    yield BUILD.problems.first()
    for number in range(2, 40):
        yield BUILD.problems.draw(Random(f"1:{DOMAIN}:{number}"), DOMAIN)


@pytest.mark.parametrize("bug", ROWS, ids=lambda bug: bug.name)
def test_seeded_mistakes(bug):
    ask = asking(bug.source)

    def fails(document):
        return judged(BUILD, document, ask, Demands())

    document, failure = next(
        (one, wrong) for one in hidden() if (wrong := fails(one)) and wrong.kind == bug.kind
    )
    size = size_of(document, BUILD.problems.counts)
    case = Finding(1, document, failure, size, size)
    found = shrink(case, BUILD, DOMAIN, fails, float("inf"))
    assert found.minimal
    assert found.size[0] <= bug.most


def test_too_tight_names_the_row_and_too_loose_the_tasks():
    """Two maps of 1 s and 2 s on a slot take 3 s, side by side 2 s."""
    bugs = {bug.name: asking(bug.source) for bug in ROWS}
    failure = judged(BUILD, batch([1, 2]), bugs["big-M"], Demands())
    assert failure.kind == "too tight: the optimum is cut off"
    assert "cut off by 'j0 map 1 then j0 map 0 on n0 map slot 0'" in failure.text
    assert failure.right["makespan"] == 3
    failure = judged(BUILD, batch([1, 2]), bugs["no order"], Demands())
    assert failure.text.startswith("the model says 2 s, and in its schedule job 'j0' map task ")
    assert failure.text.endswith("; optimum 3 s")
    assert len(failure.answer["tasks"]) == 2
    failure = judged(BUILD, batch([3]), bugs["reduces end"], Demands())
    assert failure.text == "the model says 0 s, and its schedule ends at 3 s; optimum 3 s"


def test_symmetry_may_be_broken():
    """A row that leaves one of several optima is right: here j0's second map goes first."""
    tight = '    yield "order", model.start["j0 map 1"] + 1 <= model.start["j0 map 0"]\n'
    source = right("build").replace("def rows(model):\n", f"def rows(model):\n{tight}")
    assert judged(BUILD, batch([1, 1], [2]), asking(source), Demands()) is None
    failure = judged(BUILD, batch([1, 3]), asking(source.replace("+ 1", "+ 5")), Demands())
    assert "cut off by 'order'" in failure.text


def test_rows_without_variables():
    for row, kind in (("1 >= 0", None), ("1 <= 0", "too tight: the optimum is cut off")):
        head = "def rows(model):\n"
        source = right("build").replace(head, f"{head}    yield 'c', {row}\n")
        failure = judged(BUILD, batch([1], [1]), asking(source), Demands())
        assert (failure and failure.kind) == kind
        assert failure is None or "cut off by 'c'" in failure.text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "forgot `yield`"),
        ("yield model.makespan >= 1", "yield 'a name', row"),
        ("yield 'x', None", "'x' is no row"),
        ("yield 'x', 3", "'x' is no row"),
    ],
)
def test_what_is_no_row(body, said):
    with pytest.raises(Unfit, match=said):
        asking(f"def rows(model):\n    {body}\n")(batch([1]))


def test_an_answer_that_is_none_of_a_model():
    with pytest.raises(Malformed):
        judged(BUILD, batch([1]), lambda _: Answer("value", 3.0), Demands())
