"""Pictures of the papers' figures: what is on them, and the same bytes each time."""

import numpy as np

from slotwise.experiments.reproduction.pictures import (
    Line,
    Panel,
    Words,
    caption,
    curves_plot,
    means_plot,
)
from slotwise.reports.plots import write_figure

WORDS = Words("Error by nodes", "nodes", "error, %", caption(12, [0, 1, 2], "Bars: HSD"))


def two_panels():
    lines = [
        Line("A", [1.0, 2.0, 3.0], 0.25, [1.1, np.nan, 2.9]),
        Line("B", [2.0, 2.5, 4.0], [0.1, 0.2, 0.3]),
    ]
    return [Panel([10, 20, 30], lines, "R1"), Panel([10, 20, 30], lines, "R2")]


def test_a_means_plot_shows_values_intervals_and_what_is_printed() -> None:
    figure = means_plot(two_panels(), WORDS)
    axis = figure.axes[0]
    assert axis.get_title() == "R1"
    assert [label.get_text() for label in axis.get_xticklabels()] == ["10", "20", "30"]
    assert figure.axes[0].get_ylabel() == "error, %"
    first, second = axis.containers
    assert first.lines[0].get_ydata().tolist() == [1.0, 2.0, 3.0]
    low, high = first.lines[2][0].get_segments()[0][:, 1]
    assert (low, high) == (0.75, 1.25)
    looks = [(c.lines[0].get_color(), c.lines[0].get_linestyle(), c.lines[0].get_marker())
             for c in (first, second)]  # fmt: skip
    assert all(one != other for one, other in zip(*looks, strict=True))
    (hollow,) = (line for line in axis.get_lines() if line.get_markerfacecolor() == "none")
    assert hollow.get_ydata()[[0, 2]].tolist() == [1.1, 2.9]
    assert hollow.get_marker() == looks[0][2]
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["A", "B", "printed (hollow)"]
    assert figure.get_suptitle() == "Error by nodes"
    assert figure.get_supxlabel() == "12 runs, seeds 0 to 2. Bars: HSD."


def test_curves_stand_at_their_numbers() -> None:
    lines = [Line("A", [1.0, 2.0, 4.0])]
    (axis,) = curves_plot([Panel([1, 10, 100], lines)], WORDS, scales="log linear").axes
    assert axis.get_xscale() == "log"
    assert axis.get_lines()[0].get_xdata().tolist() == [1.0, 10.0, 100.0]


def test_pictures_have_the_same_bytes_each_time(tmp_path) -> None:
    for kind in ("png", "svg", "pdf"):
        for name in ("one", "two"):
            write_figure(means_plot(two_panels(), WORDS), tmp_path / f"{name}.{kind}", dpi=60)
        content = (tmp_path / f"one.{kind}").read_bytes()
        assert content == (tmp_path / f"two.{kind}").read_bytes()
        assert b"dc:date" not in content
        assert b"CreationDate" not in content


def test_the_caption_names_the_seeds() -> None:
    assert caption(3, [0]) == "3 runs, seed 0."
    assert caption(3, [2, 0, 2]) == "3 runs, seeds 0, 2."
    assert caption(90, range(30), "Bars: HSD") == "90 runs, seeds 0 to 29. Bars: HSD."
