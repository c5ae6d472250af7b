"""`slotwise simulate` as a user meets it."""

import json
from pathlib import Path

import numpy as np
import pytest
from make import cli
from typer.testing import CliRunner

from slotwise import read_datacenter, replay
from slotwise.commands.app import app
from slotwise.instances.datacenter.spread import spread_of

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "google-2011.json")
NO_PLAN = ("--rate", "5", "--policy", "first-fit")
SMALL = ("--scale", "0.02", "--jobs", "3000")


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["simulate", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.stdout


def document(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--json"))


def without_times(figures: dict) -> dict:
    return {
        key: [without_times(entry) for entry in value] if key == "against" else value
        for key, value in figures.items()
        if key not in ("seconds", "events_per_second")
    }


@pytest.mark.parametrize(
    "policy",
    [
        "lotes",
        "lotes-unrestricted",
        "bid-price",
        "greedy",
        "tetris",
        "first-fit",
        "best-fit",
        "bf-js",
        "fgd",
    ],
)
def test_json_has_the_fields_of_the_contract(policy: str) -> None:
    figures = document(EXAMPLE, *SMALL, "--policy", policy)
    assert figures["policy"] == policy
    assert figures["jobs"] == 3000
    assert figures["measured"] == 2400 == sum(c["jobs"] for c in figures["by_class"].values())
    assert list(figures["by_class"]) == ["k1", "k2", "k3", "k4"]
    assert 0 <= figures["mean_wait"] <= figures["max_wait"]
    assert 0 <= figures["p99_wait"] <= figures["max_wait"]
    assert figures["events_per_second"] > 0
    assert figures["seconds"] > 0
    assert figures["time_unit"] == "h"
    assert 0 < figures["utilisation"]["cores"] <= 1
    assert figures["machines"] == 256
    assert figures["load"] == pytest.approx(0.95)
    assert figures["rate"] == pytest.approx(3000 / figures["horizon"])
    assert 0 < figures["warm_up"] < figures["horizon"]
    assert figures["mean_duration"] > 0
    assert "warm-up covers" in figures["warnings"][0]


def test_samples_cost_waits_beside_the_same_policy_that_looks_at_all_machines() -> None:
    options = (EXAMPLE, *SMALL, "--load", "0.95", "--jobs", "20000")
    figures = document(*options, "--sample", "1", "--sample", "1000", "--against", "lotes")
    one, most, every = figures, *figures["against"]
    assert one["policy"] == "lotes, sample 1"
    assert most["policy"] == "lotes, sample 1000"
    assert every["policy"] == "lotes"
    assert one["waited"] > most["waited"] >= every["waited"]


def test_a_reference_is_what_load_alone_makes_jobs_wait() -> None:
    jobs = ("--scale", "0.005", "--jobs", "6000", "--load", "1.3")
    options = (EXAMPLE, *jobs, "--policy", "first-fit")
    figures = document(*options, "--reference")
    assert 0 < figures["pooled_mean_wait"] < figures["mean_wait"]
    assert "pooled_mean_wait" not in document(*options)
    assert "due to load, not to packing" in " ".join(run(*options, "--reference").split())


def test_a_policy_that_looks_at_all_machines_refuses_a_sample() -> None:
    end = cli("simulate", EXAMPLE, *SMALL, "--policy", "tetris", "--sample", "3")
    assert (end.code, end.out) == (2, "")
    assert "--sample is for lotes, " in end.err


def test_several_policies_meet_the_same_jobs_and_a_bound(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    options = (EXAMPLE, *SMALL, "--load", "1.3", "--noise", "0.3", "--seed", "5", "--bound")
    figures = document(*options, "--against", "best-fit", "--against", "tetris", "-o", file)
    assert json.loads(file.read_text()) == figures
    assert [entry["policy"] for entry in figures["against"]] == ["best-fit", "tetris"]
    for entry in (figures, *figures["against"]):
        assert figures["mean_wait_bound"] <= entry["mean_wait_of_all"]
    alone = document(*options, "--policy", "tetris")
    expected = without_times(figures["against"][1])
    assert {key: alone[key] for key in expected} == expected


def test_tables_and_plot(tmp_path: Path) -> None:
    plot = tmp_path / "plot.png"
    text = run(EXAMPLE, *SMALL, "--against", "greedy", "--plot", plot)
    for word in ("lotes", "greedy", "mean, s", "99 %", "k4", "in use", "after the warm-up"):
        assert word in text
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert run(EXAMPLE, *SMALL, "--quiet") == ""


def test_a_guidance_file_is_followed_and_must_be_for_these_machines(tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    assert CliRunner().invoke(app, ["guide", EXAMPLE, "-o", str(plan)]).exit_code == 0
    figures = document(EXAMPLE, "--guidance", plan, "--jobs", "2000")
    assert figures["jobs"] == 2000
    err = stopped(EXAMPLE, *SMALL, "--guidance", plan)
    assert "plan.json: configuration 'c1': bins for 6732 machines, there are 135" in err
    assert "plan anew for these machines: `slotwise guide`, with --scale for a part" in err
    part = ["guide", EXAMPLE, "--scale", SMALL[SMALL.index("--scale") + 1], "-o", str(plan)]
    assert CliRunner().invoke(app, part).exit_code == 0
    assert document(EXAMPLE, *SMALL, "--guidance", plan)["jobs"] > 0


def test_a_trace_is_replayed(tmp_path: Path) -> None:
    trace = tmp_path / "jobs.csv"
    rows = [f"{60 * i},600,k{1 + i % 4},0.05,0.02" for i in range(200)]
    trace.write_text("arrival,duration,class,cores,memory\n" + "\n".join(rows) + "\n")
    figures = document(EXAMPLE, "--trace", trace, "--scale", "0.001", "--compress", "1000")
    assert figures["jobs"] == 200
    assert "1000 times as fast" in figures["workload"]
    slow = document(EXAMPLE, "--trace", trace, "--scale", "0.001", "--policy", "first-fit")
    assert slow["mean_wait"] == 0 < figures["mean_wait"]


def test_jobs_of_other_laws_at_time_0_and_of_other_mixes() -> None:
    plain = document(EXAMPLE, *SMALL, "--policy", "first-fit")
    assert (plain["start"], plain["running_at_start"]) == ("empty", 0)
    figures = document(
        EXAMPLE, *SMALL, "--policy", "first-fit", "--start", "full", "--durations", "lognormal:5"
    )
    assert figures["start"] == "full"
    # At 0.95 of about 95 000 jobs per h, which run 0.04 h, are there.
    assert figures["running_at_start"] == pytest.approx(3500, rel=0.1)
    assert figures["jobs"] == 3000
    assert figures["utilisation"]["cores"] > 0.85 > plain["utilisation"]["cores"]
    batch = document(EXAMPLE, "--scale", "0.02", "--load", "0", "--batch", "9000")
    assert (batch["jobs"], batch["measured"]) == (9000, 7200)
    assert batch["mean_wait"] > 0


def test_durations_and_spread_come_from_a_trace(tmp_path: Path) -> None:
    trace = tmp_path / "jobs.csv"
    rows = [
        f"{60 * i},{600 + 300 * (i % 3)},k{1 + i % 4},{0.02 + 0.02 * (i % 8 > 3)},0.02"
        for i in range(240)
    ]
    trace.write_text("arrival,duration,class,cores,memory\n" + "\n".join(rows) + "\n")
    options = (EXAMPLE, *SMALL, "--policy", "first-fit", "--durations", f"trace:{trace}")
    result = CliRunner().invoke(app, ["simulate", *map(str, options)])
    # 900 s on average, the classes' mean times are about 140 s.
    assert "times as long as the classes' mean times" in result.stderr
    assert "durations from jobs.csv" in " ".join(result.stdout.split())
    workload = replay(read_datacenter(EXAMPLE), trace)
    # Cores are 0.02 or 0.04 alike, which varies by 1/3, and memory always 0.02.
    assert spread_of(workload) == pytest.approx(np.sqrt((1 / 9 + 0) / 2))


def test_work_has_the_unit_asked_for() -> None:
    assert document(EXAMPLE, *SMALL, "--policy", "tetris", "--gamma", "s")["mean_wait"] >= 0


def stopped(*arguments: object) -> str:
    end = cli("simulate", *arguments)
    assert (end.code, end.out) == (2, "")
    return end.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "worst-fit"), "worst-fit"),
        (("--load", "0.9", "--rate", "5"), "exclude one another"),
        (("--load", "0"), "rate: need a positive number"),
        (("--scale", "0"), "--scale: need a positive number"),
        (("--warm-up", "1"), "warm-up"),
        (("--gamma", "year"), "--gamma: choose scaled or s or min or h or d"),
        (("--compress", "2"), "--compress is for --trace"),
        (("--trace", "absent.csv"), "absent.csv"),
        (("--plot", "plot.txt"), "a plot needs a name ending in"),
        (("--noise", "0.1", "--trace", "absent.csv"), "--noise is for drawn jobs"),
        (("--durations", "constant", "--trace", "absent.csv"), "--durations is for drawn jobs"),
        (("--batch", "3", "--trace", "absent.csv"), "--batch is for drawn jobs"),
        (("--start", "full", "--trace", "absent.csv"), "--start full is for drawn jobs"),
        (("--start", "ful"), "--start: did you mean full? choose empty or full, got 'ful'"),
        ((*NO_PLAN, "--durations", "lognormal:-2"), "coefficient of variation from 0"),
        ((*NO_PLAN, "--durations", "gamma"), "durations: choose exponential or"),
        (("--batch", "10000001"), "'--batch': need less than or equal to 10000000"),
        (("--load", "0", "--batch", "5", "--jobs", "3"), "rate: need a positive number"),
    ],
)
def test_senseless_options_are_refused(
    arguments: tuple[str, ...],
    message: str,
) -> None:
    assert message in stopped(EXAMPLE, *arguments)
