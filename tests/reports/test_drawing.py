"""Pictures of comparisons, bounds, shares and plans; commands write them."""

import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import slotwise
from slotwise.commands.app import run
from slotwise.core.wording import percent
from slotwise.reports.mapreduce.plots import draw_bounds, draw_comparison, draw_gaps
from slotwise.reports.plots import bars
from slotwise.solvers.mapreduce.comparison import Comparison
from slotwise.solvers.mapreduce.result import Result, Status


def axes():
    return Figure().add_subplot()


def words(ax):
    return [text.get_text() for text in ax.texts]


def names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


@pytest.fixture(scope="module")
def comparison():
    """One job of two maps of 10 s on one node with one slot of each kind: 20 s, and then 5 s."""
    cluster = slotwise.Cluster.uniform(1, map_slots=1, reduce_slots=1)
    jobs = [slotwise.Job("a", maps=[10.0, 10.0], reduces=[5.0])]
    instance = slotwise.Instance.from_jobs("one", cluster, jobs)
    return slotwise.gap(instance, heuristics=["EFSS", "FIFO"], time_limit=10)


def test_heuristics_stand_below_the_optimum(comparison):
    ax = draw_comparison(comparison, axes())
    assert [patch.get_width() for patch in ax.patches] == [25.0] * 3
    assert names(ax)[0].startswith("optimum (")
    assert words(ax) == ["25 s, gap 0 %"] * 3
    assert ax.get_lines()[0].get_xdata()[0] == 25.0
    assert ax.get_title("left") == "one: EFSS is nearest, 0 % above the optimum"


def test_several_instances_have_a_dot_each(comparison):
    ax = draw_gaps([comparison, comparison], axes())
    assert names(ax) == ["EFSS", "FIFO"]
    assert [len(dots.get_offsets()) for dots in ax.collections] == [2, 2]
    assert ax.get_title("left") == "2 instances, 2 solved to optimality"


def test_a_bound_that_need_not_hold_is_hatched():
    ax = draw_bounds("one", {"LB1": 7.0, "LB1 as printed": 9.0, "LB2": 8.0}, "LB2", axes())
    assert names(ax) == ["LB1 as printed", "LB2", "LB1"]
    assert [patch.get_hatch() for patch in ax.patches] == ["///", None, None]
    assert words(ax) == ["9 s, as printed: need not hold", "8 s, the best", "7 s"]


def test_bars_of_several_series_stand_end_to_end():
    ax = bars(axes(), ["row"], {"a": [1.0], "b": [2.0], "c": [4.0]}, "seconds", "title")
    assert [patch.get_x() for patch in ax.patches] == [0.0, 1.0, 3.0]


def test_a_figure_is_as_high_as_its_rows():
    figure = Figure()
    draw_bounds("one", {f"LB{k}": 1.0 for k in range(20)}, "LB0", figure)
    assert figure.get_size_inches()[1] == pytest.approx(1.4 + 20 * 0.28)


def test_shares_say_what_limits_them():
    allocation = slotwise.fair(slotwise.read("example:departments"))
    ax = slotwise.plot(allocation, axes())
    assert ax.get_title("left") == "Fair shares by exact: every guarantee is met"
    assert words(ax)[0].startswith(f"{percent(allocation.share[0])}, limited by ")
    # They stand right of the bar and of the mark of the guarantee.
    ends = [max(both) for both in zip(allocation.share, allocation.guarantee, strict=True)]
    assert [text.xy[0] for text in ax.texts] == ends


@pytest.mark.parametrize(
    "line",
    [
        ["gap", "example:five-jobs", "example:security", "--time-limit", "0.2"],
        ["bounds", "example:five-jobs"],
        ["fair", "example:departments"],
        ["guide", "example:gpu-cluster"],
    ],
)
def test_commands_draw(line: list[str], tmp_path: Path) -> None:
    picture = tmp_path / "picture.png"
    assert run([*line, "--quiet", "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_bounds_need_no_solver(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['highspy'] = None; from slotwise.commands.app import run; "
        "sys.exit(run(sys.argv[1:]))"
    )
    words = ["bounds", "example:five-jobs", "--quiet", "--plot", str(tmp_path / "bounds.svg")]
    assert subprocess.run([sys.executable, "-c", code, *words], check=False).returncode == 0


CLUSTER = slotwise.Cluster.uniform(1, map_slots=1, reduce_slots=1)
TOY = slotwise.Instance.from_jobs("toy", CLUSTER, [slotwise.Job("a", [100.0])])


def result(method: str, makespan: float | None, status: Status = Status.FEASIBLE) -> Result:
    return Result(TOY, method, status, makespan, 100.0, "pigeonhole", 0.0)


@pytest.mark.parametrize(
    ("best", "heuristics", "title"),
    [
        (
            result("solve", 102.0),
            [result("EFSS", 120.0), result("TBS", 103.5)],
            "toy: TBS is nearest, 3.5 % above the best bound",
        ),
        (
            result("solve", 100.0, Status.OPTIMAL),
            [result("EFSS", 120.0), result("EASS", 120.0)],
            "toy: EASS is nearest, 20 % above the optimum",
        ),
        (result("solve", 102.0), [], "toy"),
        (result("solve", None, Status.INFEASIBLE), [], "toy: infeasible"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_it_names_the_heuristic_that_is_nearest(
    best: Result, heuristics: list[Result], title: str
) -> None:
    assert Comparison(best, heuristics, {}).plot(axes()).get_title(loc="left") == title
