"""What `import slotwise` offers, and that it costs nothing before it is used."""

import subprocess
import sys

import pytest

import slotwise


def test_every_public_name_exists():
    for name in slotwise.__all__:
        assert getattr(slotwise, name) is not None, name
    assert set(slotwise.__all__) <= set(dir(slotwise))


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        slotwise.nonsense  # noqa: B018


def test_import_alone_loads_no_library():
    code = "import sys, slotwise; print('numpy' in sys.modules, 'pydantic' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["False", "False"]


def test_generate_solve_write_read(tmp_path):
    instance = slotwise.generate("ljr-small", jobs=2, nodes=2, seed=1)
    slotwise.write(instance, tmp_path / "instance.json.gz")
    again = slotwise.read(tmp_path / "instance.json.gz")
    assert slotwise.bounds(again) == slotwise.bounds(instance)
    result = slotwise.solve(again, time_limit=30)
    slotwise.write_schedule(again, result.schedule, tmp_path / "schedule.json")
    schedule, violations = slotwise.read_schedule(tmp_path / "schedule.json", instance)
    assert violations == []
    assert slotwise.check(instance, schedule).makespan == pytest.approx(result.makespan)
    assert "optimal" in str(result)
    assert "lower bound" in result._repr_html_()


def test_unknown_generator():
    with pytest.raises(slotwise.InputError, match="unknown generator 'x': choose from ljr"):
        slotwise.generate("x")
