"""Inputs that come with the package: `example:five-jobs` stands wherever a file is read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import IO

from ..advice import did_you_mean
from ..errors import InputError

PREFIX = "example:"

FOLDER = "examples"
"""Folder of the package that holds the files."""


@dataclass(frozen=True)
class Example:
    """An input: its file in the package, what kind it is, what it shows, a command that reads it.

    Its name is that of the file without the ending.
    """

    file: str
    kind: str
    about: str
    command: str

    @property
    def name(self) -> str:
        """Its name after `example:`."""
        return PurePath(self.file).stem


EXAMPLES = (
    Example(
        "five-jobs.json",
        "instance",
        "five MapReduce jobs on three nodes, solved to proven optimality in a second",
        "slotwise gap example:five-jobs --gantt five-jobs.html",
    ),
    Example(
        "five-jobs-schedule.json",
        "schedule",
        "what the heuristic EFSS-L makes of five-jobs",
        "slotwise check example:five-jobs example:five-jobs-schedule",
    ),
    Example(
        "lesson-sequence.json",
        "instance",
        "six tasks, jobs of one phase among them, that need the rules the printed program lacks",
        "slotwise explain sequence example:lesson-sequence",
    ),
    Example(
        "unequal-machines.json",
        "instance",
        "four jobs on machines whose speed differs from job to job (HMHS)",
        "slotwise heuristic HMHS example:unequal-machines",
    ),
    Example(
        "security.json",
        "instance",
        "four jobs with priorities, encrypted transfers and lost slots (SMSO)",
        "slotwise bounds example:security",
    ),
    Example(
        "lesson-job-order.json",
        "instance",
        "three jobs on which the job-order and the sequence model need their rules",
        "slotwise explain job-order example:lesson-job-order",
    ),
    Example(
        "study.toml",
        "study",
        "a rule of one's own against EFSS and proven optima; without --list it is run",
        "slotwise campaign example:study --list",
    ),
    Example(
        "my_rule.py",
        "heuristic",
        "the rule of study, in twenty lines of Python",
        "slotwise list examples example:my_rule -o my_rule.py",
    ),
    Example(
        "exercise-heuristic.py",
        "answer to an exercise",
        "a schedule that is right and slow, to begin with",
        "slotwise grade example:exercise-heuristic --exercise heuristic --instances 20",
    ),
    Example(
        "exercise-bound.py",
        "answer to an exercise",
        "a bound that is right and says nothing, to begin with",
        "slotwise grade example:exercise-bound --exercise bound --instances 20",
    ),
    Example(
        "exercise-solve.py",
        "answer to an exercise",
        "an optimum that leaves rules out, to begin with",
        "slotwise list examples example:exercise-solve -o exact.py",
    ),
    Example(
        "exercise-build.py",
        "answer to an exercise",
        "a model in which two rules are to be filled in",
        "slotwise list examples example:exercise-build -o build.py",
    ),
    Example(
        "exercise-rule.py",
        "answer to an exercise",
        "a dispatching rule that is right and slow, to begin with",
        "slotwise grade example:exercise-rule --exercise rule --instances 20",
    ),
    Example(
        "google-2011.json",
        "datacenter",
        "machines and job classes of Tables 1 and 2 of LoTES",
        "slotwise guide example:google-2011 -o guidance.json",
    ),
    Example(
        "lesson-allocation.json",
        "datacenter",
        "three kinds of machines on which every rule of the allocation program is needed",
        "slotwise explain allocation example:lesson-allocation",
    ),
    Example(
        "lesson-machine-assignment.json",
        "datacenter",
        "two kinds of machines on which column generation takes four rounds",
        "slotwise explain machine-assignment example:lesson-machine-assignment",
    ),
    Example(
        "gpu-cluster.json",
        "datacenter",
        "nine machines with and without GPUs, made from openb-nodes and openb-pods",
        "slotwise explain machine-assignment example:gpu-cluster",
    ),
    Example(
        "four-machines.json",
        "datacenter",
        "two small and two large machines, few enough to follow a dispatcher job by job",
        "slotwise steps lotes example:four-machines -o steps.html",
    ),
    Example(
        "gpu-cluster-jobs.csv",
        "table of jobs",
        "60 jobs that arrive at gpu-cluster one by one",
        "slotwise simulate example:gpu-cluster --trace example:gpu-cluster-jobs --against best-fit",
    ),
    Example(
        "gpu-cluster-guidance.json",
        "guidance",
        "which jobs each machine of gpu-cluster should run",
        "slotwise check example:gpu-cluster example:gpu-cluster-guidance",
    ),
    Example(
        "departments.json",
        "hierarchy",
        "three departments whose teams share CPUs and memory by weight",
        "slotwise fair example:departments --why eng/prod",
    ),
    Example(
        "departments-events.json",
        "events",
        "teams of departments that come and go",
        "slotwise fair example:departments --events example:departments-events",
    ),
    Example(
        "departments-allocation.json",
        "allocation",
        "the fair shares of departments",
        "slotwise check example:departments example:departments-allocation",
    ),
    Example(
        "lesson-fair-share.json",
        "hierarchy",
        "six leaves that three resources stop one after another",
        "slotwise explain fair-share example:lesson-fair-share",
    ),
    Example(
        "mch-figure-4.json",
        "hierarchy",
        "the six jobs of Figure 4 of MCH",
        "slotwise fair example:mch-figure-4 --method mch",
    ),
    Example(
        "mch-figure-4-events.json",
        "events",
        "one of these jobs leaves",
        "slotwise fair example:mch-figure-4 --method mch --events example:mch-figure-4-events",
    ),
    Example(
        "rumen-trace.json",
        "Rumen trace",
        "three Hadoop jobs on four hosts, one attempt failed",
        "slotwise import rumen example:rumen-trace -o history.json",
    ),
    Example(
        "rumen-topology.json",
        "Rumen topology",
        "the racks of these hosts",
        "slotwise import rumen example:rumen-trace --topology example:rumen-topology "
        "-o history.json",
    ),
    Example(
        "swim.tsv",
        "SWIM table",
        "bytes that eight jobs read, shuffle and write",
        "slotwise import swim example:swim --nodes 4 -o swim.json",
    ),
    Example(
        "two-stage-shop.txt",
        "shop",
        "six jobs on two stages of two machines each, in the text format of hybrid flow shops",
        "slotwise import shop example:two-stage-shop -o shop.json",
    ),
    Example(
        "openb-nodes.csv",
        "openb node list",
        "nine machines, five of them with GPUs",
        "slotwise import openb example:openb-nodes example:openb-pods -o openb.json",
    ),
    Example(
        "openb-pods.csv",
        "openb pod list",
        "61 pods, some on a part of a GPU, some bound to a model",
        "slotwise import openb example:openb-nodes example:openb-pods -o openb.json --jobs "
        "openb-jobs.csv",
    ),
    Example(
        "pai-machines.csv",
        "PAI machine list",
        "nine machines of three kinds; the job classes come from gpu-cluster",
        "slotwise import pai example:pai-machines --classes example:gpu-cluster -o pai.json",
    ),
    Example(
        "google-machines.csv",
        "machine_events",
        "machines of a cluster in the form of Google's trace of 2011",
        "slotwise import google example:google-tasks --machines example:google-machines "
        "-o google.json --classes 2",
    ),
    Example(
        "google-tasks.csv",
        "task_events",
        "24 tasks that are submitted, scheduled and finish on them",
        "slotwise import google example:google-tasks --machines example:google-machines "
        "-o google.json",
    ),
    Example(
        "fair-scheduler.xml",
        "YARN Fair Scheduler",
        "queues with weights",
        "slotwise import yarn example:fair-scheduler --capacity cpu=200,memory=400 -o yarn.json",
    ),
    Example(
        "capacity-scheduler.xml",
        "YARN Capacity Scheduler",
        "queues with percentages",
        "slotwise import yarn-capacity example:capacity-scheduler --capacity cpu=200,memory=400 "
        "-o capacity.json",
    ),
    Example(
        "kueue.yaml",
        "Kueue manifests",
        "cohorts and cluster queues with weights and quotas",
        "slotwise import kueue example:kueue -o kueue-tree.json",
    ),
    Example(
        "leaf-demands.json",
        "demands of leaves",
        "what a task of each queue of fair-scheduler needs",
        "slotwise import yarn example:fair-scheduler --capacity cpu=200,memory=400 "
        "--demands example:leaf-demands -o yarn.json",
    ),
)


def is_example(path: object) -> bool:
    """Whether a path means an example. A file of that name is reached as `./example:…`."""
    return str(path).startswith(PREFIX)


def find(path: object) -> Example:
    """The example that `example:NAME` means. Raises `InputError` naming one that comes close."""
    name = str(path).removeprefix(PREFIX)
    for example in EXAMPLES:
        if name in (example.name, example.file):
            return example
    guess = did_you_mean(name, [example.name for example in EXAMPLES])
    raise InputError(f"{path}: no such example: {guess}`slotwise list examples` lists them")


def open_example(path: object) -> IO[bytes]:
    """The bytes of an example. Raises `InputError` if there is none of that name."""
    from importlib.resources import files

    example = find(path)
    package = __name__.partition(".")[0]
    return files(package).joinpath(FOLDER, example.file).open("rb")


def instead_of(path: object) -> str:
    """`; did you mean example:five-jobs?` for a file `five-jobs.json` that is not there, or ``."""
    name = PurePath(str(path)).name
    for example in EXAMPLES:
        if name in (example.name, example.file):
            return f"; did you mean {PREFIX}{example.name}?"
    return ""
