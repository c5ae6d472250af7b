"""The exercises."""

from __future__ import annotations

from ...core.advice import check_choice
from ...core.calls import checked
from .batch_judges import judge_bound, judge_heuristic, judge_solve
from .exercise import Exercise
from .hidden import batch_instances, batch_moves, rule_instances
from .row_judge import judge_rows
from .rule_judge import judge_rule

_BOTH_FIRST = dict(reversed(batch_instances.DOMAINS.items()))

EXERCISES = (
    Exercise(
        name="heuristic",
        defines=("heuristic",),
        sort="function",
        write="heuristic(instance) -> rows {job, phase, task, node, slot, start}, one for each "
        'task, or {"makespan": seconds, "tasks": rows}',
        fails_if="the independent checker objects, a claimed makespan is wrong, two runs differ, "
        "or the makespan is above --at-most times that of EFSS",
        start="exercise-heuristic",
        domains=batch_instances.DOMAINS,
        child="functions",
        first=batch_instances.first,
        draw=batch_instances.draw,
        judge=judge_heuristic,
        moves=batch_moves.moves,
        inside=batch_instances.inside,
        size=batch_moves.size,
    ),
    Exercise(
        name="bound",
        defines=("bound",),
        sort="function",
        write="bound(instance) -> seconds that no schedule can beat",
        fails_if="it is above the optimum, or below the bound that --not-below names",
        start="exercise-bound",
        domains=_BOTH_FIRST,
        child="functions",
        first=batch_instances.first,
        draw=batch_instances.draw,
        judge=judge_bound,
        moves=batch_moves.moves,
        inside=batch_instances.inside,
        size=batch_moves.size,
    ),
    Exercise(
        name="solve",
        defines=("build", "solve"),
        sort="function",
        write="solve(instance) -> the shortest makespan in seconds, or build(instance) -> a Pyomo "
        "model with a variable `makespan`, which is minimised",
        fails_if="the optimum is missed: too low if a rule is missing, too high if something "
        "legal is cut off",
        start="exercise-solve",
        domains=batch_instances.DOMAINS,
        child="functions",
        first=batch_instances.first,
        draw=batch_instances.draw,
        judge=judge_solve,
        moves=batch_moves.moves,
        inside=batch_instances.inside,
        size=batch_moves.size,
    ),
    Exercise(
        name="build",
        defines=("rows",),
        sort="function",
        write="rows(model) -> pairs of a name and a linear row; the model has its variables and "
        "its objective, and your rows make it right",
        fails_if="the rows are too loose (the schedule of the model breaks a rule, or is longer "
        "than the model says) or too tight (every shortest schedule is cut off)",
        start="exercise-build",
        domains=batch_instances.WITHOUT_READS,
        child="rows",
        first=batch_instances.first_without_reads,
        draw=batch_instances.draw,
        judge=judge_rows,
        moves=batch_moves.moves,
        inside=batch_instances.inside,
        size=batch_moves.size,
    ),
    Exercise(
        name="rule",
        defines=("policy",),
        sort="class",
        write="class policy with arrive(self, job) and depart(self, job), which start jobs by "
        "self.start(job, machine); slotwise.Policy says what jobs and machines have",
        fails_if="it starts what does not fit, a job twice, never starts a job that fits, or two "
        "runs differ",
        start="exercise-rule",
        domains=rule_instances.DOMAINS,
        child="events",
        first=rule_instances.first,
        draw=rule_instances.draw,
        judge=judge_rule,
        moves=rule_instances.moves,
        inside=rule_instances.inside,
        size=rule_instances.size,
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
