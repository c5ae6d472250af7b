"""Right answers to exercises, and mistakes put into them, each with the tasks that show it."""

from dataclasses import dataclass
from pathlib import Path

ANSWERS = Path(__file__).parents[1] / "teaching" / "exercises" / "answers"


@dataclass(frozen=True)
class Bug:
    """A mistake: what it replaces in a right answer, its kind, and the most tasks that show it."""

    name: str
    exercise: str
    file: str
    old: str
    new: str
    kind: str
    most: int

    @property
    def source(self) -> str:
        """The text of the file with the mistake."""
        text = right(self.file)
        assert self.old in text
        return text.replace(self.old, self.new)


def right(file: str) -> str:
    """The text of a right answer."""
    return (ANSWERS / f"{file}.py").read_text()


SLOT = 'row(job, "reduce", k, node, slot, start)'
MAP_SLOTS = 'max(1, next(n["map_slots"] for n in nodes if n["name"] == node))'
OVERLAP = "two tasks at once on a slot"
EARLY = "a reduce task before its job's maps"
PRINTED = "sorted(length for _, length in others)"
FULL, NEVER = "a start that does not fit", "a job that never starts"

HEURISTIC, BOUND, RULE = (2 * (name,) for name in ("heuristic", "bound", "rule"))
MODEL = ("solve", "model")

QUICK = (
    Bug("release", *HEURISTIC, "max(ends, default=0.0)", "(ends or [0])[-1]", EARLY, 3),
    Bug("local rate", *HEURISTIC, "    if a == b:\n", "    if True:\n", EARLY, 2),
    Bug("slot", *HEURISTIC, SLOT, SLOT.replace("slot", f"slot % {MAP_SLOTS}"), OVERLAP, 2),
    Bug("division", *HEURISTIC, "max(reduces, 1)", "reduces", "raises ZeroDivisionError", 2),
    Bug(
        "LB1 as printed",
        *BOUND,
        "sorted(waiting(tasks, others))",
        PRINTED,
        "a bound above the optimum",
        5,
    ),
    Bug("first resource", *RULE, "job.demand.items()", "[*job.demand.items()][:1]", FULL, 2),
    Bug("first waiting", *RULE, "in waiting:", "in waiting[:1]:", NEVER, 3),
    Bug("no queue", *RULE, "self.queue.append(job)", "pass", NEVER, 2),
)

LOW, HIGH = "too low: a rule is missing", "too high: something legal is cut off"

MODELS = (
    Bug("without J7", *MODEL, "    pass\n", "    model.J7_read.deactivate()\n", LOW, 2),
    Bug("big-M of J11", *MODEL, "    pass\n", "    half_of_big_m(model)\n", HIGH, 2),
    Bug("without J5", *MODEL, "    pass\n", "    model.J5_no_cycle.deactivate()\n", LOW, 6),
)

ONE_WAY = "        for slot in model.slots[a]:\n"
READY = "model.job[other] == model.job[reduce]"
ENDS = '    for task in model.tasks:\n        yield f"{task} ends"'
BUILD = ("build", "build")
LOOSE, TIGHT = "too loose: {}".format, "too tight: the optimum is cut off"

ROWS = (
    Bug(
        "one side",
        *BUILD,
        ONE_WAY,
        ONE_WAY.replace("[a]", "[a] if a < b else []"),
        LOOSE(OVERLAP),
        2,
    ),
    Bug(
        "no order",
        *BUILD,
        "+ model.before[b, a] == 1",
        "+ model.before[b, a] <= 1",
        LOOSE(OVERLAP),
        2,
    ),
    Bug(
        "nowhere",
        *BUILD,
        "for slot in model.slots[task]) == 1",
        "for slot in model.slots[task]) <= 1",
        LOOSE("a task does not run"),
        1,
    ),
    Bug("first map", *BUILD, READY, f"{READY} and other.endswith(' 0')", LOOSE(EARLY), 3),
    Bug("any map", *BUILD, READY, "True", TIGHT, 2),
    Bug("big-M", *BUILD, "return model.horizon", "return model.time[task]", TIGHT, 3),
    Bug(
        "reduces end",
        *BUILD,
        ENDS,
        ENDS.replace("tasks", "reduces"),
        LOOSE("a makespan before the last end"),
        1,
    ),
)

HANG = Bug(
    "loop",
    "heuristic",
    "heuristic",
    "    rows = []\n",
    "    rows = []\n    while len(instance['jobs']) == 3:\n        pass\n",
    "no answer in time",
    3,
)
