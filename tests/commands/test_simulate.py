"""`slotwise simulate` as a user meets it."""

import json
from pathlib import Path

import numpy as np
import pytest
from make import cli

from slotwise import read_datacenter, replay
from slotwise.instances.datacenter.datacenter_file import write_datacenter
from slotwise.instances.datacenter.generators.lotes import generate
from slotwise.instances.datacenter.work import spread_of

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "google-2011.json")
NO_PLAN = ("--rate", "5", "--policy", "first-fit")
SMALL = ("--scale", "0.02", "--jobs", "3000")


def run(*arguments: object) -> str:
    end = cli("simulate", *arguments)
    assert end.code == 0, end
    return end.out


def stopped(*arguments: object) -> str:
    """What is said of it, perhaps below a note that something is compiled."""
    end = cli("simulate", *arguments)
    assert (end.code, end.out) == (2, "")
    return end.err


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
    ["lotes", "lotes-unrestricted", "bid-price", "greedy", "tetris", "first-fit", "best-fit",
     "bf-js", "fgd"],
)  # fmt: skip
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
    words = (EXAMPLE, *SMALL, "--policy", "tetris", "--sample", 3)
    assert "--sample is for lotes, " in stopped(*words)


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
    assert cli("guide", EXAMPLE, "-o", plan).code == 0
    figures = document(EXAMPLE, "--guidance", plan, "--jobs", "2000")
    assert figures["jobs"] == 2000
    err = stopped(EXAMPLE, *SMALL, "--guidance", plan)
    assert "plan.json: configuration 'c1': bins for 6732 machines, there are 135" in err
    assert "plan anew for these machines: `slotwise guide`, with --scale for a part" in err
    assert cli("guide", EXAMPLE, *SMALL[:2], "-o", plan).code == 0
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
    end = cli("simulate", *options)
    # 900 s on average, the classes' mean times are about 140 s.
    assert "times as long as the classes' mean times" in end.err
    assert "durations from jobs.csv" in " ".join(end.out.split())
    workload = replay(read_datacenter(EXAMPLE), trace)
    # Cores are 0.02 or 0.04 alike, which varies by 1/3, and memory always 0.02.
    assert spread_of(workload) == pytest.approx(np.sqrt((1 / 9 + 0) / 2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "worst-fit"), "worst-fit"),
        (("--load", "0.9", "--rate", "5"), "exclude one another"),
        (("--load", "0"), "rate: need a positive number"),
        (("--scale", "0"), "--scale: need a positive number"),
        (("--warm-up", "1"), "warm-up"),
        (("--gamma", "s"), "simulate --gamma is no longer there: slotwise.simulate"),
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
def test_senseless_options_are_refused(arguments: tuple[str, ...], message: str) -> None:
    assert message in stopped(EXAMPLE, *arguments)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "datacenter.json"
    write_datacenter(generate(2, 2, 2, 6, seed=1), path)
    return path


def test_the_reason_is_printed_below_the_tables_and_in_the_document(file: Path) -> None:
    words = (file, "--jobs", 50, "--explain", 2)
    explained = document(*words)["explained"]
    assert explained["arrival"] == 2
    assert " ".join(run(*words).split()).endswith(explained["text"])
    assert explained["text"].split()[2] == f"{explained['machine']}:"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--explain", "51"], "need an arrival from 1 to 50, got 51"),
        (["--explain", "5", "--policy", "tetris"], "policy 'tetris' is none of lotes"),
        (["--explain", "5", "--sample", "1"], "--explain and --sample exclude one another"),
        (["--explain", "5", "--start", "full"], "need a datacenter that is empty at time 0"),
    ],
)
def test_what_cannot_be_explained_is_refused_at_once(
    file: Path, options: list[str], message: str
) -> None:
    assert message in stopped(file, "--jobs", 50, *options)


TEXT = """
datacenter = "{datacenter}"
policy = "first-fit"
against = ["best-fit"]
load = 0.9
jobs = 600
warm-up = 0.5
reference = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cli("list", "examples", "four-machines", "-o", tmp_path / "four.json")
    (tmp_path / "mine.toml").write_text(TEXT.format(datacenter="four.json"))
    return tmp_path


def figures(*words: object) -> dict:
    return without_times(document(*words))


def test_it_says_what_its_options_say_and_the_command_line_wins(folder: Path) -> None:
    options = ("--policy", "first-fit", "--against", "best-fit", "--load", "0.9")
    options += ("--warm-up", "0.5", "--reference")
    assert figures(folder / "mine.toml") == figures(folder / "four.json", *options, "--jobs", 600)
    assert figures(folder / "mine.toml", "--jobs", 500, "--seed", 2) == figures(
        folder / "four.json", *options, "--jobs", 500, "--seed", 2
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("laod = 1", "unknown key 'laod': did you mean load?"),
        ("load = true", "load: need a number, got True"),
        ("jobs = 1.5", "jobs: need an integer, got 1.5"),
        ("policy = 3", "policy: need a text, got 3"),
        ("seed = -1", "seed: "),
        ("load =", "not TOML: "),
        ('plot = "a.txt"', "a.txt: a plot needs a name ending in"),
        ("[load]", "load: need a number, got a table"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, line: str, message: str) -> None:
    file = folder / "bad.toml"
    file.write_text(f'datacenter = "four.json"\n{line}\n')
    said = stopped(file)
    assert message in said
    assert str(folder) in said


def test_a_datacenter_is_needed(folder: Path) -> None:
    (folder / "bad.toml").write_text("jobs = 3\n")
    assert "datacenter: is missing" in cli("simulate", folder / "bad.toml").err
