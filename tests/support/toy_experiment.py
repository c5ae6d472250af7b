"""Two small experiments that stand for those of a paper; they share runs."""

import sys
from types import ModuleType

from slotwise.experiments.engine.perform import perform
from slotwise.experiments.reproduction import claims as verdicts
from slotwise.experiments.reproduction import running
from slotwise.experiments.reproduction.claims import Comparison, Experiment
from slotwise.experiments.reproduction.pictures import Line, Panel, Words, caption, means_plot
from slotwise.experiments.study.instance_sources import called, drawn
from slotwise.experiments.study.study import Block, Study

SMALL = {"maps_range": (1, 3), "reduces_range": (1, 2)}


class InProcess:
    """A backend without processes."""

    workers = 1

    def records(self, units):
        for unit in units:
            yield from perform(unit)

    def close(self):
        pass


def first_study(size):
    seeds = range(2 if size == "quick" else 4)
    instances = drawn("ljr", seeds, sweep={"nodes": [2, 3]}, jobs=3, **SMALL)
    return Study("toy-1", [Block(instances, [called("heuristic", "EFSS")])])


def second_study(size):
    # The same instances with fewer columns, and the same method with one more.
    seeds = range(2 if size == "quick" else 4)
    instances = [one for n in (2, 3) for one in drawn("ljr", seeds, nodes=n, jobs=3, **SMALL)]
    methods = [called("heuristic", "EFSS", omega=0.7), called("heuristic", "FIFO")]
    return Study("toy-2", [Block(instances, methods)])


def first(frame, size):
    mean = frame.groupby("nodes").gap.mean() * 100
    words = Words("A toy", "nodes", "gap, %", caption(len(frame), frame.seed.tolist()))
    return Comparison(
        [
            verdicts.ordering("ljr-19", frame.gap >= 0),
            verdicts.within("ljr-03", 1.5, note="a better algorithm"),
        ],
        [verdicts.near("toy-1/2", "gap at 2 nodes, %", 5.0, verdicts.mean_of(frame.gap * 100))],
        {"anova": mean.reset_index()},
        {"figure": means_plot([Panel([2, 3], [Line("EFSS", mean.tolist())])], words)},
        ["Shortest first."],
    )


def second(frame, size):
    assert set(frame.omega.dropna()) == {0.7}
    by_method = frame.groupby("method").makespan.mean()
    best = frame.groupby("instance").makespan.transform("min")
    assert (frame.best_makespan == best).all()
    return Comparison(
        [
            verdicts.ordering("ljr-20", [by_method["EFSS"] <= by_method["FIFO"]]),
            verdicts.not_testable("lotes-08", "too few machines"),
        ]
    )


EXPERIMENTS = (
    Experiment("toy-1", "LJR", "a toy", first_study, (), first),
    Experiment("toy-2", "LoTES", "another | toy", second_study, (), second),
)


def register(monkeypatch):
    """Have the registry know the toys, and nothing else."""
    monkeypatch.setattr(running, "NAMES", tuple(one.name for one in EXPERIMENTS))
    module = ModuleType("toy")
    module.EXPERIMENTS = EXPERIMENTS
    monkeypatch.setitem(sys.modules, f"{running.__package__}.toy", module)
