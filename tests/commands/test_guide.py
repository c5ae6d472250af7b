"""`slotwise guide` as a user meets it."""

import json
from functools import partial
from pathlib import Path

import pytest
from make import cli, refused

from slotwise.commands import interrupts
from slotwise.core.errors import InputError
from slotwise.instances.datacenter.datacenter import Configuration, Datacenter, JobClass
from slotwise.instances.datacenter.datacenter_file import write_datacenter
from slotwise.instances.datacenter.guidance_file import read_guidance

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "google-2011.json")

guide = partial(cli, "guide")


def test_json_is_the_guidance_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "guidance.json"
    result = guide(EXAMPLE, "--json", "-o", str(file))
    assert result.code == 0
    document = json.loads(result.out)
    assert document == json.loads(file.read_text())
    assert document["format"] == "slotwise/guidance/1"
    assert document["arrival_rate_bound"] == pytest.approx(4730689.90, abs=0.005)
    machines: dict[str, int] = {}
    for entry in document["bins"]:
        name = entry["configuration"]
        machines[name] = machines.get(name, 0) + entry["machines"]
    assert machines["c1"] == 6732
    assert sum(machines.values()) == 12583
    for shares in document["proportions"].values():
        assert sum(shares.values()) == pytest.approx(1)
    assert any("99.68 % is cores" in line for line in document["explanation"])
    assert read_guidance(file).arrival_rate == document["arrival_rate"]


def test_words_and_tables() -> None:
    result = guide(EXAMPLE, "--time-limit", "4")
    assert result.code == 0
    text = " ".join(result.out.split())
    assert "At most 4 730 690 jobs per h are possible" in text
    assert "Of what limits the rate, 99.68 % is cores: c1 50.61 %, c2 29.04 %" in text
    # A machine c1 has 0.5 cores, and all jobs need multiples of 0.01: 1 % more is of no use.
    assert "1 % more cores on all machines brings 0.12 % more jobs (c4 alone 0.12 %" in text
    assert (
        "2 % more cores on c1 (0.01 a machine) brings 1.01 % more jobs; less there brings nothing."
        in text
    )
    assert "One more machine would bring, in jobs per h: c4 711.238, c9 711.238, c1 355.619" in text


def test_target_rate() -> None:
    result = guide(EXAMPLE, "--target-rate", "4e6", "--time-limit", "20")
    assert result.code == 0
    text = " ".join(result.out.split())
    assert "10450 of 12583 machines carry 4 000 000 jobs per h" in text
    assert "no plan does with fewer than 10450 (" in text


def test_no_is_exit_code_1() -> None:
    result = guide(EXAMPLE, "--target-rate", "5e6", "--json")
    assert result.code == 1
    document = json.loads(result.out)
    assert document["arrival_rate"] is None
    assert document["bins"] == []
    assert document["arrival_rate_bound"] == pytest.approx(4730689.90, abs=0.005)
    assert document["notes"] == [
        "no plan carries 5000000 jobs per h: at most 4730689.9 are possible"
    ]


def test_a_no_is_no_plan_to_read(tmp_path: Path) -> None:
    file = tmp_path / "no.json"
    file.write_text(guide(EXAMPLE, "--target-rate", "5e6", "--json").out)
    with pytest.raises(InputError) as error:
        read_guidance(file)
    assert str(error.value) == (
        f"{file}: holds no plan: no plan carries 5000000 jobs per h: at most 4730689.9 are possible"
    )


def test_quiet_prints_nothing() -> None:
    assert guide(EXAMPLE, "--quiet")[1:] == ("", "")


def test_as_printed() -> None:
    document = json.loads(guide(EXAMPLE, "--as-printed", "--json").out)
    assert document["method"] == "LoTES as printed"
    assert document["arrival_rate_bound"] == pytest.approx(4730796.59, abs=0.005)


def test_names_in_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    data = Datacenter.from_classes(
        "[d]", ["r"], [Configuration("[m]", 2, {"r": 3})], [JobClass("[k]", 1.0, 1.0, {"r": 1})]
    )
    write_datacenter(data, tmp_path / "d.json")
    text = guide(str(tmp_path / "d.json")).out
    assert "[d]: column generation" in text
    assert "3 [k]" in text


def test_an_output_that_cannot_be_written_is_refused_first(tmp_path: Path) -> None:
    assert "does not exist" in refused("guide", EXAMPLE, "-o", tmp_path / "none" / "g.json")


def test_the_work_of_jobs_is_compared_with_that_of_their_classes(tmp_path: Path) -> None:
    """6659.5 cores carry 332 975 jobs per h of 0.02 core hours each."""
    jobs = tmp_path / "jobs.csv"
    rows = ["0,3600,k1,0.02,0.01", "9,3600,k2,0.02,0.01"]
    jobs.write_text("arrival,duration,class,cores,memory\n" + "\n".join(rows) + "\n")
    options = [EXAMPLE, "--jobs", str(jobs), "--time-limit", "0.1"]
    text = " ".join(guide(*options).out.split())
    assert "in jobs.csv and in the classes: cores 0.02 and 0.0014" in text
    assert "No plan carries more than 332 975 of these jobs per h: they would hold more c" in text
    document = json.loads(guide(*options, "--json").out)
    assert "cores 0.02 and 0.001406" in document["explanation"][-1]


SMALL = str(Path(__file__).parents[2] / "examples" / "gpu-cluster.json")


def test_a_rehearsal_is_in_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("slotwise.solvers.datacenter.rehearse.PART", 0.001)
    file = tmp_path / "guidance.json"
    words = ["--rehearse", "--load", "0.8", "--noise", "0.2"]
    result = guide(SMALL, *words, "--time-limit", "0.1", "-o", str(file), "--json")
    assert result.code == 0, result
    found = read_guidance(file)
    assert found.rehearsal is not None
    assert (found.rehearsal.load, found.rehearsal.noise, found.rehearsal.seeds) == (0.8, 0.2, 6)
    assert found.rehearsal.jobs == 300
    assert found.class_prices is not None
    assert found.class_prices.spread == 0.2
    text = " ".join(result.out.split())
    assert f"Rehearsed at load 0.8, demands vary by 0.2: follow {found.rehearsal.winner}." in text


def test_a_rehearsal_without_time_says_so_and_the_plan_holds(tmp_path: Path) -> None:
    file = tmp_path / "guidance.json"
    words = ["--rehearse", "--rehearsal-time", "0", "--time-limit", "0.1", "--scale", "0.5"]
    said = " ".join(guide(SMALL, *words, "-o", str(file)).err.split())
    assert "nothing was rehearsed" in said
    assert "(--scale 0.1)" in said
    assert "rehearsal" not in json.loads(file.read_text())
    run = ["simulate", SMALL, "--scale", "0.5", "--guidance", str(file), "--jobs", "100"]
    assert cli(*run, "--policy", "bid-price").code == 0
    end = cli(*run, "--policy", "guided")
    assert end.code == 2
    assert "this plan was not rehearsed, so guided has no policy to follow: name one" in end.err


def test_ctrl_c_before_the_rehearsal_says_that_there_was_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interrupts, "came", lambda: True)
    end = guide(SMALL, "--time-limit", "0.1", "--rehearse", "--json")
    notes = json.loads(end.out)["notes"]
    assert "interrupted before any run was done: nothing was rehearsed" in notes[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--load", "0.9"], "--load is for --rehearse"),
        (["--noise", "0"], "--noise is for --rehearse"),
        (["--rehearsal-time", "3"], "--rehearsal-time is for --rehearse"),
        (["--rehearse", "--as-printed"], "not with --as-printed"),
        (["--rehearse", "--load", "1"], "load: need a part of the bound above 0 and below 1"),
    ],
)
def test_rehearsals_that_cannot_be(words: list[str], message: str) -> None:
    assert message in refused("guide", SMALL, "--time-limit", "0.1", *words)
