"""The exercises."""

from __future__ import annotations

from dataclasses import replace

from ...core.advice import check_choice
from ...core.calls import checked
from .batch_judges import judge_bound, judge_heuristic, judge_solve, shortest, shown_rows
from .exercise import Exercise
from .hidden.batch_instances import BATCHES, BATCHES_WITHOUT_READS
from .hidden.rule_instances import RUNS
from .row_judge import judge_rows
from .rule_judge import first_fit, judge_rule, shown_starts

EXERCISES = (
    Exercise(
        name="heuristic",
        defines=("heuristic",),
        write="heuristic(instance) -> rows {job, phase, task, node, slot, start}, one for each "
        'task, or {"makespan": seconds, "tasks": rows}',
        fails_if="the independent checker objects, a claimed makespan is wrong, two runs differ, "
        "or the makespan is above --at-most times that of EFSS",
        problems=BATCHES,
        right=shortest,
        judge=judge_heuristic,
        shown=shown_rows,
    ),
    Exercise(
        name="bound",
        defines=("bound",),
        write="bound(instance) -> seconds that no schedule can beat",
        fails_if="it is above the optimum, or below the bound that --not-below names",
        problems=replace(BATCHES, domains=dict(reversed(list(BATCHES.domains.items())))),
        right=shortest,
        judge=judge_bound,
    ),
    Exercise(
        name="solve",
        defines=("build", "solve"),
        write="solve(instance) -> the shortest makespan in seconds, or build(instance) -> a Pyomo "
        "model with a variable `makespan`, which is minimised",
        fails_if="the optimum is missed: too low if a rule is missing, too high if something "
        "legal is cut off",
        problems=BATCHES,
        right=shortest,
        judge=judge_solve,
    ),
    Exercise(
        name="build",
        defines=("rows",),
        write="rows(model) -> pairs of a name and a linear row; the model has its variables and "
        "its objective, and your rows make it right",
        fails_if="the rows are too loose (the schedule of the model breaks a rule, or is longer "
        "than the model says) or too tight (every shortest schedule is cut off)",
        problems=BATCHES_WITHOUT_READS,
        right=shortest,
        judge=judge_rows,
        child="rows",
    ),
    Exercise(
        name="rule",
        defines=("policy",),
        write="class policy with arrive(self, job) and depart(self, job), which start jobs by "
        "self.start(job, machine); slotwise.Policy says what jobs and machines have",
        fails_if="it starts what does not fit, a job twice, never starts a job that fits, or two "
        "runs differ",
        problems=RUNS,
        right=first_fit,
        judge=judge_rule,
        shown=shown_starts,
        sort="class",
        child="events",
    ),
)


@checked
def exercises() -> tuple[Exercise, ...]:
    """All exercises: their names, what to write, when an answer is wrong."""
    return EXERCISES


def exercise_named(name: str) -> Exercise:
    """The exercise of a name. Raises `InputError` naming one that comes close."""
    check_choice("exercise", name, [exercise.name for exercise in EXERCISES])
    return next(exercise for exercise in EXERCISES if exercise.name == name)
