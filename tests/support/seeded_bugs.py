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

HANG = Bug(
    "loop",
    "heuristic",
    "heuristic",
    "    rows = []\n",
    "    rows = []\n    while len(instance['jobs']) == 3:\n        pass\n",
    "no answer in time",
    3,
)
