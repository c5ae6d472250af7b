"""What holds for the lessons of every model."""

import pytest

import slotwise
from slotwise.teaching.lessons.families import FAMILIES, family


@pytest.mark.parametrize("model", FAMILIES)
def test_the_default_is_an_example_and_says_what_each_core_rule_is_for(model: str) -> None:
    about = family(model)
    lesson = slotwise.make_lesson(model)
    shipped = about.document(slotwise.read(f"example:{about.witness}"))
    assert lesson.instance == shipped
    cores = {rule.label for rule in lesson.rules if rule.role == "core"}
    assert lesson.witness is not None
    assert lesson.witness.keys() == cores == about.without.keys()
    rules = [name for rule in lesson.rules for name in rule.components]
    assert sorted(rules) == sorted(lesson.rows.rows), "a component has no switch, or two"
    assert set(about.roles) <= set(rules)
