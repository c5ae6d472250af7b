"""`solve` under short time limits: a whole answer at once, on every kind of instance."""

import json

import pytest
from random_instances import with_outages, with_security, with_speed_factors
from typer.testing import CliRunner

import slotwise
from slotwise.commands.app import app
from slotwise.instances.generators.ljr import generate, small

KINDS = {
    "small": lambda: small(4, 3, seed=1),
    "speeds": lambda: with_speed_factors(small(4, 3, seed=1), 3),
    "security": lambda: with_security(small(4, 3, seed=1), 3),
    "outages": lambda: with_outages(small(4, 3, seed=1), 3),
    "large": lambda: generate(50, 10, seed=1, map_slots=8),
    "large, speeds": lambda: slotwise.generate("hmhs", jobs=20, seed=1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("limit", "threads"), [("0", "1"), ("0.1", "2"), ("1", "1")])
def test_a_short_limit_gives_a_whole_answer(tmp_path, kind, limit, threads):
    instance, file = KINDS[kind](), tmp_path / "instance.json"
    slotwise.write(instance, file)
    arguments = ["solve", str(file), "--time-limit", limit, "--threads", threads, "--json"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    document = json.loads(ran.stdout)
    assert document["status"] in ("optimal", "feasible")
    assert 0 < document["lower_bound"] <= document["makespan"]
    assert document["bound"]
    assert document["found_by"]
    assert document["seconds"] >= 0
    (tmp_path / "result.json").write_text(ran.stdout)
    schedule, violations = slotwise.read_schedule(tmp_path / "result.json", instance)
    assert violations == []
    assert slotwise.check(instance, schedule).valid
