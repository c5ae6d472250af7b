"""Whatever happens to a file on its way: an instance or one line of error, never a traceback."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from slotwise.cli import main
from slotwise.instances.generators.ljr import small
from slotwise.instances.mapreduce_file import instance_document

DOCUMENT = instance_document(small(2, 2, seed=1, max_maps=2, max_reduces=2))
TEXT = json.dumps(DOCUMENT)
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    st.text(max_size=5),
    st.just([]),
    st.just({}),
    st.lists(st.integers(), max_size=3),
    st.just([[]]),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def places(value, path=()):
    """Every place in the document that a mutation can hit."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in items:
        yield (*path, key)
        if isinstance(child, dict | list):
            yield from places(child, (*path, key))


PLACES = list(places(DOCUMENT))


@st.composite
def mutated(draw):
    if draw(st.booleans()):
        text = TEXT
        for _ in range(draw(st.integers(1, 3))):
            begin = draw(st.integers(0, len(text)))
            end = draw(st.integers(begin, min(len(text), begin + 5)))
            text = text[:begin] + draw(st.text(max_size=3)) + text[end:]
        return text.encode("utf-8", "surrogatepass")
    document = copy.deepcopy(DOCUMENT)
    for path in draw(st.lists(st.sampled_from(PLACES), min_size=1, max_size=3)):
        here = document
        try:
            for step in path[:-1]:
                here = here[step]
            if draw(st.booleans()):
                here[path[-1]] = draw(VALUES)
            elif isinstance(here, dict):
                here[draw(st.text(max_size=4))] = here.pop(path[-1])
            else:
                here.append(here[path[-1]])
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier mutation took the place away
    return json.dumps(document).encode("utf-8", "surrogatepass")


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=mutated())
def test_mutated_instance_files(content, tmp_path_factory, capsys, monkeypatch):
    file = tmp_path_factory.mktemp("mutated") / "instance.json"
    file.write_bytes(content)
    monkeypatch.setattr("sys.argv", ["slotwise", "bounds", str(file), "--json"])
    with pytest.raises(SystemExit) as stop:
        main()
    printed = capsys.readouterr()
    if stop.value.code == 0:
        assert json.loads(printed.out)["lower_bound"] >= 0
        return
    assert stop.value.code == 2, printed.err
    assert json.loads(printed.out)["exit_code"] == 2
    assert printed.err.startswith("slotwise: ")
    assert printed.err.count("\n") == 1
