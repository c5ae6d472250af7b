"""Command lines on damaged files and with senseless options, each in a worker that may die.

A case is a seed. Its worker has a limit of memory for all and of processor time for each case; what
it does not survive, or ends otherwise than the command line promises, is a failure.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import mutators
from make import cli

MEMORY = 3 << 30
SECONDS = 20
"""Of processor time for a case: each is given a fraction of a second by its own options."""
PATIENCE = 600
"""Seconds of wall time after which a worker counts as stuck, for each hundred cases."""
KEPT = b"what was here before"
QUICK = ["--time-limit", "0.1", "--threads", "1"]
HEURISTICS = ("EASS", "EFSS", "EFSS-L", "TBS", "TBS-L", "HMHS", "R-HMHS", "Min-Min", "FIFO", "SMSO")
MODELS = ("job-order", "sequence", "heterogeneous", "unrelated-machines", "spread-bound")
POLICIES = ("lotes", "greedy", "tetris", "first-fit", "best-fit")
METHODS = ("exact", "mch", "hdrf", "naive", "ch", "drf")
SCHEDULERS = ("kueue", "yarn", "yarn-capacity")

ON_INSTANCES = (
    ("bounds", "{file}"), ("bounds", "{file}"), ("bounds", "{file}"),
    ("heuristic", "{heuristic}", "{file}", "-o", "{out}"),
    ("heuristic", "{heuristic}", "{file}", "--gantt", "{svg}"),
    ("check", "{file}", "schedule.json"), ("explain", "{model}", "{file}"),
    ("explain", "{model}", "{file}", "-o", "{out}"),
)  # fmt: skip
ON_DATACENTERS = (
    ("guide", "{file}", "-o", "{out}", "--time-limit", "0.1"), ("guide", "{file}", "--as-printed"),
    ("guide", "{file}", "--target-rate", "3", "--time-limit", "0.1"),
    ("check", "{file}", "guidance.json"), ("explain", "allocation", "{file}"),
    ("simulate", "{file}", "--jobs", "50", "--policy", "{policy}", "-o", "{out}"),
    ("simulate", "{file}", "--jobs", "50", "--rate", "5", "--policy", "{policy}"),
    ("import", "pai", "pai.csv", "--classes", "{file}", "-o", "{out}"),
)  # fmt: skip
ON_TREES = (
    ("fair", "{file}", "-o", "{out}"), ("fair", "{file}", "--method", "{method}"),
    ("fair", "{file}", "--why", "eng/dev"), ("check", "{file}", "allocation.json"),
    ("fair", "{file}", "--export", "{scheduler}", "-o", "{out}"),
    ("fair", "{file}", "--events", "events.json"),
)  # fmt: skip
COSTLY = ("explain", "guide", "simulate", "solve", "heuristic")
TREE = ("--capacity", "cpu=200,memory=400")
TARGETS = {
    "plain.json": (*ON_INSTANCES, ("solve", "{file}", *QUICK, "-o", "{out}")),
    "factors.json": ON_INSTANCES,
    "security.json": ON_INSTANCES,
    "history.json": ON_INSTANCES,
    "schedule.json": (("check", "plain.json", "{file}"),),
    "result.json": (("check", "plain.json", "{file}"),),
    "datacenter.json": ON_DATACENTERS,
    "guidance.json": (
        ("check", "datacenter.json", "{file}"),
        ("simulate", "datacenter.json", "--guidance", "{file}", "--jobs", "50"),
    ),
    "jobs.csv": (("simulate", "datacenter.json", "--trace", "{file}", "--policy", "{policy}"),),
    "hierarchy.json": ON_TREES,
    "allocation.json": (("check", "hierarchy.json", "{file}"),),
    "events.json": (("fair", "hierarchy.json", "--events", "{file}", "-o", "{out}"),),
    "trace.json": (("import", "rumen", "{file}", "-o", "{out}"),),
    "topology.json": (
        ("import", "rumen", "trace.json", "--topology", "{file}", "-o", "{out}"),
    ),
    "swim.tsv": (("import", "swim", "{file}", "--nodes", "4", "-o", "{out}"),),
    "nodes.csv": (("import", "openb", "{file}", "pods.csv", "-o", "{out}"),),
    "pods.csv": (("import", "openb", "nodes.csv", "{file}", "-o", "{out}", "--jobs", "j.csv"),),
    "pai.csv": (("import", "pai", "{file}", "--classes", "gpu.json", "-o", "{out}"),),
    "machines.csv": (("import", "google", "tasks.csv", "--machines", "{file}", "-o", "{out}"),),
    "tasks.csv": (("import", "google", "{file}", "--machines", "machines.csv", "-o", "{out}"),),
    "fair.xml": (("import", "yarn", "{file}", *TREE, "-o", "{out}"),),
    "capacity.xml": (("import", "yarn-capacity", "{file}", *TREE, "-o", "{out}"),),
    "kueue.yaml": (
        ("import", "kueue", "{file}", "-o", "{out}"),
        ("import", "kueue", "{file}", *TREE, "-o", "{out}"),
    ),
    "demands.json": (("import", "yarn", "fair.xml", *TREE, "--demands", "{file}", "-o", "{out}"),),
}  # fmt: skip
"""The commands that read each file of the seeds."""

SMALL = ("--jobs", "2", "--seed", "1", "-o", "{out}")
COMMANDS = (
    ("generate", "ljr", "--nodes", "2", "--maps", "1", "2", "--reduces", "1", "2", *SMALL),
    ("generate", "hmhs", "--map-machines", "2", "--reduce-machines", "2", "--maps", "1", "2",
     "--reduces", "1", "2", *SMALL),
    ("generate", "smso", "--nodes", "2", "--maps", "1", "2", "--reduces", "1", "2", *SMALL),
    ("generate", "lotes", "--seed", "1", "--classes", "2", "--configurations", "2", "-o", "{out}"),
    ("generate", "mch", "--seed", "1", "--nodes", "9", "-o", "{out}"),
    ("solve", "plain.json", *QUICK),
)  # fmt: skip
VALUES = (
    "0", "-1", "1", "2", "0.5", "nan", "inf", "-inf", "1e308", "1e-308", "", " ", "x", "é", "①",
    "999999999", "99999999999999999999", "-0", "0x10", "1_000", "9" * 5000, "a" * 300, "\n",
    "\x1b[1m", "\u202e", "cpu=1", "cpu=nan", "=", "cpu=1e400", "no.json", "hierarchy.json", ".",
    "eng/dev",
)  # fmt: skip


def command_line(seed: int, seeds: Path, folder: Path) -> tuple[list[str], Path | None]:
    """The arguments of a case, run in `folder`, and the damaged file among them."""
    rng = random.Random(seed)
    names = {
        "out": str(folder / "out.json"), "svg": str(folder / "out.svg"),
        "heuristic": rng.choice(HEURISTICS), "model": rng.choice(MODELS),
        "policy": rng.choice(POLICIES), "method": rng.choice(METHODS),
        "scheduler": rng.choice(SCHEDULERS),
    }  # fmt: skip
    (folder / "out.json").write_bytes(KEPT)
    file = None
    if rng.random() < 0.25:
        choices = [*COMMANDS, *(line for lines in TARGETS.values() for line in lines)]
        words = [word.format(file="{file}", **names) for word in rng.choice(choices)]
        source = next((name for name, lines in TARGETS.items() if _among(words, lines)), "x")
        words = [source if word == "{file}" else word for word in words]
        words = _with_odd_options(words, rng)
    else:
        source, template = _target(rng)
        file = folder / f"damaged{Path(source).suffix}"
        content = (seeds / source).read_bytes()
        if rng.random() < 0.03:
            content = (seeds / rng.choice(list(TARGETS))).read_bytes()
        else:
            content = mutators.damaged(content, rng)
        file.write_bytes(content)
        words = [word.format(file=file, **names) for word in template]
    words += [option for option in ("--json", "--quiet") if rng.random() < 0.25]
    known = {*TARGETS, "gpu.json"}
    return [str(seeds / word) if word in known else word for word in words], file


def _target(rng: random.Random) -> tuple[str, tuple[str, ...]]:
    """A file of the seeds and a command that reads it; costly commands are rarer."""
    while True:
        source = rng.choice(list(TARGETS))
        template = rng.choice(TARGETS[source])
        if template[0] not in COSTLY or rng.random() < 0.15:
            return source, template


def _among(words, lines):
    return any(line[:2] == tuple(words[:2]) or line[0] == words[0] for line in lines)


def _with_odd_options(words: list[str], rng: random.Random) -> list[str]:
    """Values replaced, options of the command added, words left out or doubled."""
    words = list(words)
    for _ in range(rng.choice((1, 1, 2))):
        what = rng.randrange(4)
        k = rng.randrange(1, len(words))
        if what == 0 and words[k] != "-o" and not words[k].endswith(("out.json", "out.svg")):
            words[k] = rng.choice(VALUES)
        elif what == 1 and words[k - 1] != "-o":
            del words[k]
            if len(words) == 1:
                break
        else:
            option = rng.choice(_options(words))
            words += [option.opts[0]]
            if not option.is_flag:
                words += [rng.choice(VALUES) for _ in range(max(1, option.nargs))]
    return words


def _options(words):
    from slotwise.commands.app import tree

    command = tree()
    for word in words:
        found = command.get_command(None, word) if hasattr(command, "get_command") else None
        command = found or command
    found = [p for p in command.params if p.param_type_name == "option" and p.name != "output"]
    return found or [p for p in tree().params if p.opts == ["--version"]]


def verdict(end, words: list[str], file: Path | None, folder: Path) -> str | None:
    """What is wrong with how a command ended; None if nothing is."""
    lines = end.err.split("\n")
    if lines.pop() != "":
        return "stderr does not end with a newline"
    if end.code not in (0, 1, 2):
        return f"exit code {end.code}"
    errors = [line for line in lines if line.startswith("slotwise: ")]
    noise = [line for line in lines if not line.startswith(("slotwise: ", "note: "))]
    if noise:
        return f"noise on stderr: {noise[0][:200]!r}"
    if "internal error" in end.err or "a fault of slotwise" in end.err:
        return errors[0]
    if "not enough memory" in end.err:
        return errors[0]
    if len(errors) != (end.code == 2):
        return f"{len(errors)} error lines with exit code {end.code}"
    if any(len(line) > 500 or not line.isprintable() for line in errors):
        return f"bad line {errors[0][:600]!r}"
    if end.code == 2 and file is not None and not _named(file, words, errors[0]):
        return f"does not name the file: {errors[0]}"
    if "--json" in words[: words.index("--") if "--" in words else None]:
        try:
            json.loads(end.out, parse_constant=_no_constant)
        except ValueError as error:
            return f"stdout is not one JSON document: {error}: {end.out[:200]!r}"
    elif end.code == 2 and end.out:
        return "an error, but something on stdout"
    if end.code == 2 and (folder / "out.json").read_bytes() != KEPT:
        return "failed, but the output file is not what it was"
    left = [path.name for path in folder.iterdir() if path.name.startswith(".")]
    return f"left behind {left}" if left else None


def _named(file: Path, words: list[str], error: str) -> bool:
    """Whether an error names the damaged file, or one that does not go with it."""
    others = [word for word in words if Path(word).name in TARGETS]
    return any(name in error for name in (str(file), *others))


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} in JSON")


def failures(cases: range, seeds: Path, folder: Path) -> list[str]:
    """What fails, a line each that begins with the case's seed; `seeds` holds the valid files."""
    found = []
    folder.mkdir()
    while cases:
        worker = subprocess.Popen(
            [sys.executable, __file__, str(seeds), str(folder), *map(str, cases)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        try:
            lines, _ = worker.communicate(timeout=PATIENCE * (1 + len(cases) // 100))
        except subprocess.TimeoutExpired:
            worker.kill()
            lines, _ = worker.communicate()
        done = [json.loads(line) for line in lines.splitlines()]
        found += [failure for failure in done if failure]
        cases = cases[len(done) :]
        if cases:
            found.append(f"{cases[0]} ended its worker: {worker.returncode}")
            cases = cases[1:]
    return found


def work(seeds: Path, folder: Path, *cases: str) -> None:
    """Run cases; a line on standard output tells of each."""
    told = os.fdopen(os.dup(1), "w", buffering=1)
    noise = open(folder / "noise.txt", "wb+", buffering=0)  # noqa: SIM115
    for number in (1, 2):
        os.dup2(noise.fileno(), number)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tempfile.tempdir = str(folder)
    case = folder / "case"
    for seed in map(int, cases):
        shutil.rmtree(case, ignore_errors=True)
        case.mkdir()
        os.chdir(case)
        words, file = command_line(seed, seeds, case)
        warnings.resetwarnings()
        warnings.simplefilter("ignore", DeprecationWarning)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        end = cli(*words)
        signal.setitimer(signal.ITIMER_PROF, 0)
        failure = verdict(end, words, file, case)
        said = os.pread(noise.fileno(), 200, 0)
        noise.truncate(0)
        noise.seek(0)
        if failure is None and said:
            failure = f"noise: {said!r}"
        told.write(json.dumps(failure and f"{seed} {failure} <- {words}") + "\n")


if __name__ == "__main__":
    work(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
