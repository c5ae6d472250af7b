"""Where everything of a step picture is: lanes, the axis, and when bars come and go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...reports.mapreduce.gantt.layout import shortened
from .record import Row, Steps

WIDTH, PHONE = 960.0, 380.0
"""Widths of a picture of steps and of the one for phones, in pixels, as all lengths here."""
RIGHT = 18.0
"""Free space at the right."""
LETTER = 6.9
"""Width of a letter of the small text, on average."""
MOST_LETTERS = 24
"""Letters of a lane's name."""
MARK_ROW, AXIS, KEY_ROW = 15.0, 24.0, 20.0
"""Heights of a row of labels above the lanes, of the axis, and of a row of the legend."""
MOST_KEYS = 24
"""Groups that the legend names."""
TICK = 100.0
"""Width between two values along the axis; there are four at least."""
ROOM = 1.25
"""Candidates' boxes may make the axis so many times as long as bars and marks do."""


@dataclass(frozen=True)
class Bar:
    """A bar of the picture."""

    row: Row
    """What it shows."""
    born: int
    gone: int | None
    """`born`, `gone`: the step that draws it and the one that takes it away, from 1; `gone` is None
    if it stays."""
    track: int
    """Its place in the lane, from 0 at the top: bars that overlap in time have different ones."""


@dataclass(frozen=True)
class Layout:
    """Places of a picture."""

    steps: Steps
    """What is drawn."""
    bars: tuple[Bar, ...]
    """All bars that are ever there."""
    width: float
    """Width of the picture."""
    horizon: float
    """Right end of the axis."""
    left: float
    """Where the axis begins."""
    tops: tuple[float, ...]
    """Upper edge of each lane, and the lower edge of the last."""
    tracks: tuple[int, ...]
    """How many bars of each lane lie above one another."""
    keys: tuple[tuple[str, int | None, float, float], ...]
    """Names in the legend with their group (None for the shade of setups) and place."""

    @property
    def right(self) -> float:
        """Where the axis ends."""
        return self.width - RIGHT

    @property
    def bottom(self) -> float:
        """Lower edge of the lanes."""
        return self.tops[-1]

    @property
    def height(self) -> float:
        """Height of the picture."""
        return max([self.bottom + AXIS, *(y + KEY_ROW - 6 for _, _, _, y in self.keys)])

    def x(self, value: float) -> float:
        """Where a value of the axis is; values beyond its end are at its end."""
        share = min(max(value / self.horizon, 0.0), 1.0)
        return self.left + share * (self.right - self.left)

    def y(self, lane: int, track: int | None = None) -> tuple[float, float]:
        """Upper edge and height of a bar in a lane.

        `track`: its place there, None for the whole lane.
        """
        top, high = self.tops[lane], self.tops[lane + 1] - self.tops[lane]
        gap = min(2.0, high / 8)
        if track is None:
            return top + gap, high - 2 * gap
        each = (high - gap) / self.tracks[lane]
        return top + gap / 2 + track * each + gap / 2, each - gap

    @cached_property
    def ticks(self) -> list[float]:
        """Round values along the axis."""
        rough = self.horizon / max(self.width // TICK, 4)
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power >= rough * (1 - 1e-9))
        return [k * step for k in range(math.floor(self.horizon / step + 1e-9) + 1)]


def layout(steps: Steps, width: float = WIDTH, until: float = 0.0) -> Layout:
    """Place everything that the steps draw.

    `until`: where the axis ends at the least.
    """
    bars = _bars(steps)
    tracks = [1] * len(steps.lanes)
    for bar in bars:
        tracks[bar.row.slot] = max(tracks[bar.row.slot], bar.track + 1)
    marks = [mark.at for mark in steps.marks]
    known = max([*(bar.row.end for bar in bars), *marks, until, 0.0])
    boxes = [
        candidate.box[1] for step in steps.steps for candidate in step.candidates if candidate.box
    ]
    longest = max([0.0, *(end for end in boxes if math.isfinite(end))])
    horizon = max(known, min(longest, ROOM * known) if known > 0 else longest)
    names = [shortened(name, MOST_LETTERS) for name in steps.lanes]
    left = 14 + LETTER * max((len(name) for name in names), default=0)
    tops = [MARK_ROW * len(steps.marks) + 4]
    high = _lane_height(len(steps.lanes))
    for count in tracks:
        tops.append(tops[-1] + max(high, count * min(high, 15.0 if count <= 8 else 9.0)))
    keys = _keys(steps, bars, left, tops[-1] + AXIS + 14, width)
    return Layout(steps, tuple(bars), width, horizon or 1.0, left, tuple(tops), tuple(tracks), keys)


def _keys(
    steps: Steps, bars: Sequence[Bar], left: float, top: float, width: float
) -> tuple[tuple[str, int | None, float, float], ...]:
    """The legend: what there are bars of, if these are not too many, and the shade of setups."""
    groups = sorted({bar.row.group for bar in bars if bar.row.group < len(steps.groups)})
    names: list[tuple[str, int | None]] = []
    if 1 < len(groups) <= MOST_KEYS:
        names += [(shortened(steps.groups[g], MOST_LETTERS), g) for g in groups]
    if any(bar.row.setup for bar in bars):
        names.append(("lighter: setup", None))
    x, y, placed = left, top, []
    for name, group in names:
        wide = 26 + LETTER * len(name)
        if x + wide > width and x > left:
            x, y = left, y + KEY_ROW
        placed.append((name, group, x, y))
        x += wide
    return tuple(placed)


def _lane_height(lanes: int) -> float:
    return 30.0 if lanes <= 12 else 23.0 if lanes <= 32 else 16.0 if lanes <= 80 else 13.0


def _bars(steps: Steps) -> list[Bar]:
    """Every bar with its time on stage and its place in the lane."""
    rows: list[tuple[Row, int]] = []
    gone: dict[int, int] = {}
    for n, step in enumerate(steps.steps, 1):
        gone.update(dict.fromkeys(step.removes, n))
        rows += [(row, n) for row in step.rows]
    lanes: dict[int, list[Bar]] = {}
    bars = []
    for number, (row, born) in enumerate(rows):
        until = gone.get(number)
        others = lanes.setdefault(row.slot, [])
        slack = 1e-9 * max(1.0, abs(row.end))
        taken = {
            other.track
            for other in others
            if (other.gone is None or other.gone > born)
            and (until is None or until > other.born)
            and other.row.start < row.end - slack
            and row.start < other.row.end - slack
        }
        bar = Bar(row, born, until, next(k for k in range(len(taken) + 1) if k not in taken))
        others.append(bar)
        bars.append(bar)
    return bars
