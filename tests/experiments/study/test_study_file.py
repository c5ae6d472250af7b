"""Studies in TOML: what runs they make, in which order, and every message."""

import json
from pathlib import Path
from typing import Any

import pytest

import slotwise
from slotwise.core.errors import InputError
from slotwise.experiments.study.instance_sources import made

RULES = """
def widest_first(instance, width=1):
    return None

def needs_width(instance, width):
    return None

def takes_anything(instance, **others):
    return None
"""

GENERATED = '[[instances]]\ngenerator = "two-stage"\njobs = 2\n'
EFSS = '[[methods]]\nheuristic = "EFSS"\n'
GOOGLE = '[[instances]]\ngenerator = "google-2011"\nscale = 0.01\n'
BEST_FIT = '[[methods]]\npolicy = "best-fit"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of functions, which is the present one."""
    (tmp_path / "my_rule.py").write_text(RULES)
    (tmp_path / "broken.py").write_text("def rule(:\n")
    (tmp_path / "lacking.py").write_text("import nowhere_to_be_found\n")
    (tmp_path / "leaving.py").write_text("raise SystemExit(3)\n")
    (tmp_path / "table.csv").write_text("a,b\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def study_of(text: str) -> slotwise.Study:
    Path("x.toml").write_text(text)
    return slotwise.read_study("x.toml")


MY_RULE = """
name = "my rule"
seeds = 20
time_limit = 10                 # s for functions and solve; 1.5 times this + 30 s kills
[[instances]]
generator = "ljr"
jobs = 50
sweep.nodes = [10, 20, 30]
cases = [{ map_slots = 2 }, { map_slots = 8 }]
[[methods]]
heuristic = ["EFSS", "EFSS-L"]
[[methods]]
function = "my_rule.py:widest_first"    # instance, **parameters -> Schedule; checked
sweep.width = [1, 2, 4]
[[methods]]
solve = true                    # the certified road, same budget
"""


def test_sweeps_times_cases_times_seeds_times_methods_in_this_order(folder: Path) -> None:
    study = study_of(MY_RULE)
    assert study.name == "my rule"
    assert [run.order for run in study.runs] == list(range(3 * 2 * 20 * 6))
    assert [unit.instance.columns for unit in study.units] == [
        {"jobs": 50, "nodes": nodes, "map_slots": map_slots, "seed": seed}
        for nodes in (10, 20, 30)
        for map_slots in (2, 8)
        for seed in range(20)
    ]
    methods = [run.method for run in study.units[-1].runs]
    assert [(method.kind, method.name, method.columns) for method in methods] == [
        ("heuristic", "EFSS", {}),
        ("heuristic", "EFSS-L", {}),
        ("function", "my_rule.py:widest_first", {"width": 1}),
        ("function", "my_rule.py:widest_first", {"width": 2}),
        ("function", "my_rule.py:widest_first", {"width": 4}),
        ("solve", "solve", {}),
    ]
    assert [(method.time_limit, method.threads) for method in methods] == [
        *[(None, 1)] * 2,
        *[(10, 1)] * 4,
    ]


def test_a_sweep_of_nodes(folder: Path) -> None:
    study = study_of(
        'name = "multiples of four"\nseeds = 30\n'
        '[[instances]]\ngenerator = "ljr"\nracks = "as published"\nblock_scale = 1.19\n'
        "sweep.jobs = [50, 100, 150, 200, 250]\nsweep.nodes = [12, 16, 20, 24, 28]\n"
        "sweep.map_slots = [2, 4, 6, 8]\n"
        '[[methods]]\nheuristic = ["EASS", "EFSS", "EFSS-L", "TBS", "TBS-L"]\n'
    )
    assert len(study.runs) == 15_000
    last = study.units[-1].instance
    assert last.columns == {
        **{"racks": "as published", "block_scale": 1.19},
        **{"jobs": 250, "nodes": 28, "map_slots": 8, "seed": 29},
    }
    assert last.parameters["reduce_slots"] == 2  # defaults are filled in


def test_a_folder_of_files(folder: Path) -> None:
    for name, seed in (("b", 0), ("a/c", 1), ("a/d/e", 2)):
        (folder / f"histories/{name}.json.gz").parent.mkdir(parents=True, exist_ok=True)
        instance = slotwise.generate("two-stage", jobs=2, seed=seed)
        slotwise.write(instance, folder / f"histories/{name}.json.gz")
    (folder / "histories/readme.txt").write_text("no instance")
    study = study_of(
        'name = "our cluster"\n[[instances]]\nfiles = "histories/**/*.json.gz"\n'
        '[[methods]]\nheuristic = "FIFO"\n'
        '[[methods]]\nheuristic = "EFSS"\nsweep.omega = [0.3, 0.5, 0.7]\n'
        "[[methods]]\nsolve = true\ntime_limit = 60\n"
    )
    assert [unit.instance.columns for unit in study.units] == [
        {"file": f"histories/{name}.json.gz"} for name in ("a/c", "a/d/e", "b")
    ]
    assert len(study.runs) == 15
    assert {run.method.time_limit for run in study.runs} == {None, 60}


def test_files_of_the_package_and_of_other_families(folder: Path) -> None:
    study = study_of('[[instances]]\nfiles = ["example:five-jobs", "example:security"]\n' + EFSS)
    names = [unit.instance.columns["file"] for unit in study.units]
    assert names == ["example:five-jobs", "example:security"]
    assert [made(unit.instance)[0].name for unit in study.units] == ["five-jobs", "security"]
    shares = study_of(
        '[[instances]]\nfiles = "example:departments"\n[[methods]]\nallocator = ["exact", "drf"]\n'
    )
    assert [run.method.name for run in shares.runs] == ["exact", "drf"]


def test_jobs_of_datacenters_are_swept_like_parameters(folder: Path) -> None:
    study = study_of(
        "seeds = 2\n[[instances]]\n"
        'generator = "google-2011"\nscale = 0.01\nworkload.jobs = 300\n'
        "sweep.workload.load = [0.5, 0.9]\ncases = [{ workload.noise = 0 }, "
        "{ workload.noise = 0.3, workload.durations = 'constant' }]\n" + BEST_FIT
    )
    assert [run.instance.columns for run in study.runs] == [
        {"scale": 0.01, "jobs": 300, "load": load, **noisy, "seed": seed}
        for load in (0.5, 0.9)
        for noisy in ({"noise": 0}, {"noise": 0.3, "durations": "constant"})
        for seed in (0, 1)
    ]
    filled = study.runs[0].instance.workload
    assert filled["warm_up"] == 0.2
    assert filled["durations"] == "exponential"
    file = study_of(
        'seeds = 2\n[[instances]]\nfiles = "example:gpu-cluster"\nworkload = { jobs = 200 }\n'
        '[[methods]]\npolicy = ["best-fit", "first-fit"]\n'
    )
    assert [run.instance.columns for run in file.runs] == [
        {"file": "example:gpu-cluster", "jobs": 200, "seed": seed} for seed in (0, 0, 1, 1)
    ]


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("seed = 7", [{"seed": 7}]),
        ("sweep.seed = [7, 8]", [{"seed": 7}, {"seed": 8}]),
        ("", [{"seed": 0}, {"seed": 1}]),
    ],
)
def test_a_seed_of_the_table_stands_before_those_of_the_study(
    folder: Path, table: str, columns: list[Any]
) -> None:
    study = study_of(f'seeds = 2\n[[instances]]\ngenerator = "two-stage"\n{table}\n' + EFSS)
    assert [unit.instance.columns for unit in study.units] == columns


def test_what_needs_no_seed_is_there_once(folder: Path) -> None:
    files = study_of('seeds = 5\n[[instances]]\nfiles = "example:five-jobs"\n' + EFSS)
    assert len(files.runs) == 1
    listed = study_of("seeds = [3, 5]\n" + GENERATED + EFSS)
    assert [unit.instance.columns["seed"] for unit in listed.units] == [3, 5]


def test_functions_get_their_budget_if_they_ask_for_it(folder: Path) -> None:
    Path("asking.py").write_text("def rule(instance, time_limit, threads=1, width=2):\n    ...\n")
    study = study_of(
        GENERATED + '[[methods]]\nfunction = "asking.py:rule"\nthreads = 2\n'
        "sweep.time_limit = [1, 5.5]\n"
    )
    assert [dict(run.method.parameters) for run in study.runs] == [
        {"time_limit": limit, "threads": 2, "width": 2} for limit in (1, 5.5)
    ]
    assert [run.method.columns for run in study.runs] == [
        {"threads": 2, "time_limit": limit} for limit in (1, 5.5)
    ]


def test_a_study_of_dictionaries_is_that_of_the_file(folder: Path) -> None:
    import tomllib

    of_file = study_of(MY_RULE)
    of_dictionary = slotwise.make_study(tomllib.loads(MY_RULE), folder)
    assert of_dictionary.runs == of_file.runs
    assert study_of(GENERATED + EFSS).name == "x"


def with_files(name: str) -> str:
    return f'[[instances]]\nfiles = "{name}"\n'


MESSAGES = {
    "a = = 1": "not TOML: Invalid value (at line 1, column 5)",
    "": "needs at least one [[instances]]",
    GENERATED: "needs at least one [[methods]]",
    "[instances]\n" + EFSS: "instances: write [[instances]], with two brackets",
    "instances = [3]\n" + EFSS: "instances: need tables, [[instances]], got 3",
    "seed = 3\n" + GENERATED + EFSS: "unknown key 'seed': did you mean 'seeds'?",
    "name = 3\n" + GENERATED + EFSS: "name: need a text, got 3",
    "seeds = 0\n": "seeds: need a number of seeds >= 1 or a list of them, got 0",
    "seeds = [1, -1]\n": "seeds: need a number of seeds >= 1 or a list of them, got [1, -1]",
    "seeds = [1, 2, 1]\n": "seeds: 1 is there twice",
    "time_limit = -1\n": "time_limit: need a number > 0, got -1",
    "time_limit = inf\n": "time_limit: need a number > 0, got inf",
    "threads = 0\n": "threads: need an integer from 1 to 1024, got 0",
    'bounds = ["LB3"]\n': "bounds: unknown bound 'LB3': did you mean 'LB2'?",
    # instances
    '[[instances]]\ngenerator = "ljt"\n' + EFSS: (
        "[[instances]] 1: unknown generator 'ljt': did you mean 'ljr'?"
    ),
    '[[instances]]\ngenerator = "ljr"\nnode = 3\n' + EFSS: (
        "[[instances]] 1: unknown parameter 'node': did you mean 'nodes'?"
    ),
    GENERATED + "[[instances]]\nnodes = 3\n" + EFSS: (
        "[[instances]] 2: needs either 'generator' or 'files'"
    ),
    '[[instances]]\ngenerator = "ljr"\nfiles = "a"\n' + EFSS: (
        "[[instances]] 1: needs either 'generator' or 'files'"
    ),
    '[[instances]]\ngenerator = "ljr"\nnodes = 0\n' + EFSS: (
        "[[instances]] 1: generate: nodes: needs a whole number of at least 1, got 0"
    ),
    GENERATED + "times = [9, 3]\n" + EFSS: (
        "[[instances]] 1: times: need 0 <= low <= high, got (9, 3)"
    ),
    GENERATED + "map_machines = 2.5\n" + EFSS: (
        "[[instances]] 1: map_machines: need an integer, got 2.5"
    ),
    GENERATED + "times = [1, nan]\n" + EFSS: (
        "[[instances]] 1: times: need a finite number, got nan"
    ),
    GENERATED + "times = 3\n" + EFSS: "[[instances]] 1: times: need a list, got 3",
    GENERATED + "times = 2026-01-01\n" + EFSS: (
        "[[instances]] 1: times: need a number, a text, true, false or a list, got 2026-01-01"
    ),
    GENERATED + "sweep.times = 10\n" + EFSS: (
        "[[instances]] 1: sweep.times: need a list of at least one value, got 10"
    ),
    GENERATED + "sweep.jobs = [10]\n" + EFSS: (
        "[[instances]] 1: jobs is set twice, as a value and as sweep.jobs"
    ),
    GENERATED + "cases = [{ jobs = 10 }]\n" + EFSS: (
        "[[instances]] 1: jobs is set twice, as a value and in cases"
    ),
    GENERATED + "sweep.seed = [1]\ncases = [{ seed = 10 }]\n" + EFSS: (
        "[[instances]] 1: seed is set twice, as sweep.seed and in cases"
    ),
    GENERATED + "cases = []\n" + EFSS: (
        "[[instances]] 1: cases: need a list of tables, such as [{ … }, { … }], got []"
    ),
    with_files("nowhere/*.json") + EFSS: (
        "[[instances]] 1: no file matches 'nowhere/*.json' in FOLDER"
    ),
    with_files("example:five-job") + EFSS: (
        "[[instances]] 1: example:five-job: no such example: did you mean five-jobs? "
        "`slotwise list examples` lists them"
    ),
    with_files("table.csv") + EFSS: (
        "[[instances]] 1: FOLDER/table.csv: not JSON: Expecting value: line 1 column 1 (char 0)"
    ),
    with_files("example:five-jobs") + "nodes = 3\n" + EFSS: (
        "[[instances]] 1: 'nodes' is for generators, and here are files: choose from files, sweep, "
        "cases, workload"
    ),
    with_files("example:five-jobs") + "workload.jobs = 3\n" + EFSS: (
        "[[instances]] 1: workload: is for datacenter and hierarchy instances, and here are "
        "mapreduce ones"
    ),
    GOOGLE + "workload = 3\n" + BEST_FIT: (
        "[[instances]] 1: workload: need a table, such as workload = { … }, got 3"
    ),
    GOOGLE + "workload.job = 3\n" + BEST_FIT: (
        "[[instances]] 1: unknown key of workload 'job': did you mean 'jobs'?"
    ),
    GOOGLE + "workload = { jobs = 3, load = 1, rate = 1 }\n" + BEST_FIT: (
        "[[instances]] 1: workload: load, rate and trace exclude one another"
    ),
    GOOGLE + "workload = { jobs = 3, warm_up = 1 }\n" + BEST_FIT: (
        "[[instances]] 1: workload.warm_up: need a part from 0 to below 1, got 1.0"
    ),
    GOOGLE + "workload = { jobs = 3, noise = -1 }\n" + BEST_FIT: (
        "[[instances]] 1: workload.noise: need a number >= 0, got -1.0"
    ),
    # methods
    GENERATED + '[[methods]]\nheuristic = "EFFS"\n': (
        "[[methods]] 1: unknown heuristic 'EFFS': did you mean 'EFSS'?"
    ),
    GENERATED + '[[methods]]\nheuristics = "EFSS"\n': (
        "[[methods]] 1: needs one of 'heuristic', 'function', 'solve', 'policy', 'allocator': did "
        "you mean 'heuristic'?"
    ),
    GENERATED + EFSS + '[[methods]]\nsolve = true\nheuristic = "EFSS"\n': (
        "[[methods]] 2: 'heuristic' and 'solve' exclude one another"
    ),
    GENERATED + "[[methods]]\nsolve = false\n": "[[methods]] 1: solve: need true, got False",
    GENERATED + "[[methods]]\nheuristic = []\n": (
        "[[methods]] 1: heuristic: need a name or a list of names, got []"
    ),
    GENERATED + '[[methods]]\nheuristic = "FIFO"\nomega = 0.5\n': (
        "[[methods]] 1: heuristic 'FIFO' takes no parameters, got 'omega'"
    ),
    GENERATED + EFSS + "omegas = 0.5\n": (
        "[[methods]] 1: unknown parameter 'omegas': did you mean 'omega'?"
    ),
    GENERATED + EFSS + "time_limit = 5\n": (
        "[[methods]] 1: heuristic 'EFSS' takes no time_limit, which is for 'function' and 'solve'"
    ),
    GENERATED + "[[methods]]\nsolve = true\ntime_limit = 0\n": (
        "[[methods]] 1: time_limit: need a number > 0, got 0"
    ),
    GENERATED + '[[methods]]\nsolve = true\nmethods = "job-orde"\n': (
        "[[methods]] 1: unknown method 'job-orde': did you mean job-order? choose from "
    ),
    GENERATED + '[[methods]]\nfunction = "my_rule.py"\n': (
        "[[methods]] 1: function: need 'file.py:function' or 'module:function', got 'my_rule.py'"
    ),
    GENERATED + '[[methods]]\nfunction = "my_rule.py:wides_first"\n': (
        "[[methods]] 1: my_rule.py has no function 'wides_first': did you mean 'widest_first'?"
    ),
    GENERATED + '[[methods]]\nfunction = "my_rules.py:widest_first"\n': (
        "[[methods]] 1: function: no file 'my_rules.py' in FOLDER"
    ),
    GENERATED + '[[methods]]\nfunction = "table:rule"\n': (
        "[[methods]] 1: function: no module 'table' with a source file"
    ),
    GENERATED + '[[methods]]\nfunction = "broken.py:rule"\n': (
        "[[methods]] 1: broken.py: line 1: SyntaxError: invalid syntax"
    ),
    GENERATED + '[[methods]]\nfunction = "lacking.py:rule"\n': (
        "[[methods]] 1: lacking.py: ModuleNotFoundError: No module named 'nowhere_to_be_found'"
    ),
    GENERATED + '[[methods]]\nfunction = "leaving.py:rule"\n': (
        "[[methods]] 1: leaving.py: SystemExit: 3"
    ),
    GENERATED + '[[methods]]\nfunction = "my_rule.py:needs_width"\n': (
        "[[methods]] 1: function 'my_rule.py:needs_width' needs the parameter 'width'"
    ),
    GENERATED + '[[methods]]\nfunction = "my_rule.py:widest_first"\nwidht = 3\n': (
        "[[methods]] 1: unknown parameter 'widht': did you mean 'width'?"
    ),
    # both
    GENERATED + EFSS + EFSS + "omega = 0.7\n": (
        "the same run is there twice: EFSS {'omega': 0.7} on instance 1"
    ),
    GENERATED + "sweep.seed = [3, 4, 4]\n" + EFSS: (
        "the same run is there twice: EFSS {'omega': 0.7} on instance 2, two-stage jobs 2, seed 4, "
        "which is also two-stage jobs 2, seed 4"
    ),
    GOOGLE + "workload.jobs = 3\n" + EFSS: (
        "[[methods]] 1: heuristic 'EFSS' is for mapreduce instances, and [[instances]] 1 has "
        "datacenter ones: they need 'policy'"
    ),
    with_files("example:departments") + "[[methods]]\nsolve = true\n": (
        "[[methods]] 1: solve is for mapreduce instances, and [[instances]] 1 has hierarchy ones: "
        "they need 'allocator'"
    ),
    GENERATED + BEST_FIT: (
        "[[methods]] 1: policy 'best-fit' is for datacenter instances, and [[instances]] 1 has "
        "mapreduce ones: they need 'heuristic' or 'function' or 'solve'"
    ),
}


@pytest.mark.parametrize("text", MESSAGES, ids=range(len(MESSAGES)))
def test_every_message_names_file_table_and_key(folder: Path, text: str) -> None:
    if "[[" not in text and "needs" not in MESSAGES[text]:
        text, said = text + GENERATED + EFSS, MESSAGES[text]
    else:
        said = MESSAGES[text]
    with pytest.raises(InputError) as caught:
        study_of(text)
    message = str(caught.value)
    assert message.startswith("x.toml: " + said.replace("FOLDER", str(folder)))
    if not said.endswith("choose from "):
        assert message == "x.toml: " + said.replace("FOLDER", str(folder))


def test_a_module_beside_the_file_is_no_module(folder: Path) -> None:
    Path("beside.py").write_text("def rule(instance):\n    ...\n")
    study_of(GENERATED + '[[methods]]\nfunction = "beside.py:rule"\n')
    with pytest.raises(InputError, match=r"no module 'beside' .*: did you mean 'beside.py:rule'\?"):
        study_of(GENERATED + '[[methods]]\nfunction = "beside:rule"\n')


def test_two_files_of_the_same_content_are_the_same_runs(folder: Path) -> None:
    for name in ("a.json", "b.json"):
        slotwise.write(slotwise.generate("two-stage", jobs=2, seed=0), name)
    with pytest.raises(InputError, match=r"twice: .* on instance 1, file a.json, .* file b.json$"):
        study_of(with_files("*.json") + EFSS)
    assert len(study_of('[[instances]]\nfiles = ["a*", "a.json"]\n' + EFSS).runs) == 1


def test_files_that_only_say_their_format_late_are_known(folder: Path) -> None:
    slotwise.write(slotwise.generate("two-stage", jobs=2, seed=0), "a.json")
    document = json.loads(Path("a.json").read_text())
    document["format"] = document.pop("format")
    Path("a.json").write_text(json.dumps(document))
    assert len(study_of(with_files("a.json") + EFSS).runs) == 1
