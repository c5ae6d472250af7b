"""Hierarchical fairness: `python benchmarks/fairness.py [--trees 1000] [--pictures FOLDER]`.

Prints Markdown: how often MCH as printed is not the exact allocation, and how often it breaks a
guarantee, by depth; the run time of the methods against the number of nodes q on full binary trees
(MCH, Figure 5) with fitted exponents; and a million nodes. With `--pictures`, draws both to PNG.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import numpy as np

from slotwise.heuristics.hierarchy.collapsed_hierarchies import ch
from slotwise.heuristics.hierarchy.exact import exact
from slotwise.heuristics.hierarchy.hdrf import hdrf
from slotwise.heuristics.hierarchy.mch_as_printed import mch
from slotwise.heuristics.hierarchy.naive_hdrf import naive
from slotwise.instances.hierarchy.generators.mch import full_binary, generate
from slotwise.instances.hierarchy.hierarchy import Hierarchy

DEPTHS = range(1, 7)
PARTIAL = (0.0, 0.1, 0.2, 0.5)
LEVELS = range(2, 18)
MOST_LEVELS = {"H-DRF, every node": 11, "H-DRF, path only": 14, "naive, path only": 14}
"""Levels of the largest tree on which a slow method is run."""
TASKS_PER_LEAF = 20
"""The cluster of the timed trees grows with them, so that a leaf runs about as many tasks."""
METHODS: dict[str, Callable[[Hierarchy], object]] = {
    "H-DRF, every node": lambda tree: hdrf(tree, update="all"),
    "H-DRF, path only": hdrf,
    "naive, path only": naive,
    "exact": exact,
    "MCH as printed": mch,
    "C-CH": lambda tree: ch(tree, "cpu"),
    "M-CH": lambda tree: ch(tree, "memory"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Hierarchical fairness.")
    parser.add_argument("--trees", type=int, default=1000, help="per depth and share of leaves")
    parser.add_argument("--pictures", type=Path, help="folder for the two pictures")
    options = parser.parse_args()
    for method in METHODS.values():
        method(generate(2, seed=0))
    exact(generate(2, seed=0, limited=1, tasks=(1, 2)))

    differs = differences(options.trees)
    seconds = run_times()
    million()
    if options.pictures is not None:
        draw(differs, seconds, options.pictures)


def differences(trees: int) -> dict[float, list[float]]:
    """Share of trees in which MCH as printed is not exact, by share of partial-type leaves."""
    print(f"## MCH as printed against the exact allocation, {trees} random trees each\n")
    print("% of trees in which a dominant share differs (by more than 1e-6) / a guarantee breaks\n")
    print("| partial-type leaves |" + "".join(f" depth {d} |" for d in DEPTHS))
    print("|---|" + "--:|" * len(DEPTHS))
    found: dict[float, list[float]] = {}
    for partial in PARTIAL:
        cells = []
        found[partial] = []
        for depth in DEPTHS:
            differ = broken = 0
            for seed in range(trees):
                tree = generate(depth, seed=seed, partial=partial)
                printed = mch(tree)
                differ += bool(np.abs(printed.share - exact(tree).share).max() > 1e-6)
                broken += not printed.met.all()
            found[partial].append(100 * differ / trees)
            cells.append(f"{100 * differ / trees:.1f} / {100 * broken / trees:.1f}")
        print(f"| {partial:.0%} | " + " | ".join(cells) + " |", flush=True)
    return found


def run_times() -> dict[str, list[tuple[int, float]]]:
    """Seconds by method and number of nodes; a fifth of the leaves are of partial type."""
    print("\n## Run time against the number of nodes q, full binary trees, ms\n")
    print("| levels | q | tasks |" + "".join(f" {name} |" for name in METHODS))
    print("|--:|" * 1 + "--:|--:|" + "--:|" * len(METHODS))
    found: dict[str, list[tuple[int, float]]] = {name: [] for name in METHODS}
    for levels in LEVELS:
        tree = full_binary(levels, seed=1, partial=0.2, capacity=TASKS_PER_LEAF * 5.5 * 2.0**levels)
        cells = []
        for name, method in METHODS.items():
            if levels > MOST_LEVELS.get(name, levels):
                cells.append("")
                continue
            slow = name in MOST_LEVELS and levels > 9
            best = min(timed(method, tree) for _ in range(1 if slow else 3))
            found[name].append((tree.nodes - 1, best))
            cells.append(f"{1000 * best:.3g}")
        tasks = int(exact(tree).tasks.sum())
        print(f"| {levels} | {tree.nodes - 1} | {tasks} | " + " | ".join(cells) + " |", flush=True)
    cells = [f"q^{exponent(rows):.2f}" for rows in found.values()]
    print("| fit over the last five rows | | | " + " | ".join(cells) + " |")
    return found


def exponent(rows: list[tuple[int, float]]) -> float:
    """Slope of log seconds over log q on the five largest trees, where fixed costs are small."""
    q, seconds = np.array(rows[-5:]).T
    return float(np.polyfit(np.log(q), np.log(seconds), 1)[0])


def million() -> None:
    """Exact allocation of a million nodes, two resources."""
    print("\n## A million nodes, two resources, exact\n")
    print("| tree | leaves | seconds |")
    print("|---|--:|--:|")
    cases: dict[str, dict[str, object]] = {
        "depth 6": {},
        "depth 6, weights 1e-6 to 1e6": {"weight": (1e-6, 1e6)},
        "depth 6, half the leaves of partial type": {"partial": 0.5},
        "depth 6, half with task limits, of which 0.6 % bind": {
            "limited": 0.5, "capacity": 1e6, "tasks": (1, 10),
        },
        "depth 6, nine in ten with task limits, most bind": {
            "limited": 0.9, "capacity": 3e7, "tasks": (1, 10),
        },
    }  # fmt: skip
    for name, parameters in cases.items():
        tree = generate(6, seed=1, nodes=1_000_000, **parameters)  # type: ignore[arg-type]
        print(f"| {name} | {tree.leaves} | {timed(exact, tree):.2f} |", flush=True)
    tree = full_binary(19, seed=1, partial=0.2)
    print(f"| full binary, 19 levels | {tree.leaves} | {timed(exact, tree):.2f} |")


def timed(method: Callable[[Hierarchy], object], tree: Hierarchy) -> float:
    """Seconds of one run."""
    began = perf_counter()
    method(tree)
    return perf_counter() - began


def draw(
    differs: dict[float, list[float]], seconds: dict[str, list[tuple[int, float]]], folder: Path
) -> None:
    """The pictures `mch-differs.png` and `fairness-time.png`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.add_subplot()
    for partial, values in differs.items():
        ax.plot(DEPTHS, values, marker="o")
        ax.annotate(f" {partial:.0%}", (DEPTHS[-1], values[-1]), va="center")
    ax.set(xlabel="depth of the tree", ylim=(-2, 102), xticks=list(DEPTHS))
    ax.set_title("Trees in which MCH as printed is not exact, %, by share of partial-type leaves",
                 loc="left", fontsize=10)  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / "mch-differs.png", dpi=120)

    figure = Figure(figsize=(7, 4.6), layout="constrained")
    ax = figure.add_subplot()
    for name, rows in seconds.items():
        ax.plot(*np.array(rows).T, marker="o", markersize=3,
                label=f"{name}: q^{exponent(rows):.2f}")  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="nodes q", ylabel="seconds")
    ax.set_title(f"Whole run, full binary trees, about {TASKS_PER_LEAF} tasks a leaf", loc="left",
                 fontsize=10)  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8)
    figure.savefig(folder / "fairness-time.png", dpi=120)


if __name__ == "__main__":
    main()
