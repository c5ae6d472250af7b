"""Step pictures as SVG: one for the page, which shows and hides its parts, and one for each slide.

Every part knows from which step to which it is there. The page hides the others; a slide leaves
them out. So nothing is drawn in the page, and page and slides cannot differ. Colours are plain
attributes, as every program reads them; the page's style puts others over them in the dark.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...core.wording import number
from ...reports.mapreduce.gantt.colours import ink_on, job_colours, setup_colour
from ...reports.mapreduce.gantt.layout import shortened
from ...reports.page import LIGHT, safe, web_file
from .layout import LETTER, MARK_ROW, MOST_LETTERS, PHONE, WIDTH, Bar, layout
from .record import Candidate, Row, Step, Steps

INK, SOFT, LINE, TINT, PAPER, LOSER = (
    LIGHT[name] for name in ("ink", "soft", "line", "reduce", "paper", "bad")
)

WORDS_WIDE, WORDS_HIGH = 122, 20.0
"""Letters of a line of words on a slide, and height of the line."""
TITLE_HIGH = 40.0
GAP = 0.7
"""Between bars that follow one another."""


@dataclass(frozen=True)
class Part:
    """A part of the picture."""

    svg: str
    """What is drawn, without the group around it."""
    kind: str
    """Its class: `bar`, `candidate` or `says`."""
    born: int
    gone: int | None
    """`born`, `gone`: the first step that shows it and the first that no longer does, None for
    never."""

    def shown(self, step: int) -> bool:
        return self.born <= step and (self.gone is None or step < self.gone)


class Picture:
    """The picture of all steps.

    `steps`: what is drawn.
    `width`: width, in pixels.
    `until`: where the axis ends at the least.
    """

    def __init__(self, steps: Steps, width: float = WIDTH, until: float = 0.0) -> None:
        self.steps, self.layout = steps, layout(steps, width, until)
        groups = max([len(steps.groups), *(bar.row.group + 1 for bar in self.layout.bars)])
        self.colours = job_colours(max(groups, 1))
        self.words = [_lines(step) for step in steps.steps]
        self.top = TITLE_HIGH + WORDS_HIGH * max((len(lines) for lines in self.words), default=0)
        self.parts = [*self._boxes(), *self._bars(), *self._says()]

    def page(self) -> str:
        """The picture with the parts of all steps; words are above its upper edge.

        After it comes a narrow one without words, for phones.
        """
        whole = f"0 {-self.top:g} {self.layout.width:g} {self.layout.height + self.top:g}"
        wide = self._whole(self.parts, f' id="picture" data-whole="{whole}"')
        narrow = Picture(self.steps, PHONE)
        drawn = [part for part in narrow.parts if part.kind != "says"]
        return wide + narrow._whole(drawn, ' class="narrow"')

    def _whole(self, parts: Sequence[Part], more: str) -> str:
        size = f"0 0 {self.layout.width:g} {self.layout.height:g}"
        drawn = (
            f'<g class="{part.kind}" data-from="{part.born}"{_until(part)}>{part.svg}</g>'
            for part in parts
        )
        return self._svg(size, "\n".join(drawn), more)

    def slide(self, step: int) -> str:
        """The picture at a step, counted from 1, with its title and words, as a file of its own."""
        size = f"0 {-self.top:g} {self.layout.width:g} {self.layout.height + self.top:g}"
        parts = (
            f'<g class="{part.kind}"{_emphasis(part, step)}>{part.svg}</g>'
            for part in self.parts
            if part.shown(step)
        )
        high = self.layout.height + self.top
        return self._svg(
            size, "\n".join(parts), f' width="{self.layout.width:g}" height="{high:g}"'
        )

    def still(self, broken: Collection[Row]) -> str:
        """The picture of all bars, some of them marked as broken, for a page with several."""
        parts = (
            f'<g class="bar{" broken" * (bar.row in broken)}">{self._bar(bar)}</g>'
            for bar in self.layout.bars
        )
        size = f"0 0 {self.layout.width:g} {self.layout.height:g}"
        return self._svg(size, "\n".join(parts), ' class="picture"')

    def _svg(self, box: str, parts: str, more: str) -> str:
        left, top, wide, high = box.split()
        ground = f'<rect class="paper" x="{left}" y="{top}" width="{wide}" height="{high}" '
        label = safe(f"{self.steps.method} on {self.steps.instance}")
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" '
            f'aria-label="{label}"{more} '
            f'font-family="system-ui, sans-serif" font-size="12">\n{ground}fill="{PAPER}"/>\n'
            f"{self._ground()}\n{parts}\n{self._marks()}{self._names()}\n</svg>\n"
        )

    def _ground(self) -> str:
        """Lanes, reduce slots on tinted ground, and the axis."""
        plan, steps = self.layout, self.steps
        wide, tinted = plan.right - plan.left, ""
        if steps.map_slots is not None and steps.map_slots < len(steps.lanes):
            top = plan.tops[steps.map_slots]
            tinted = (
                f'<rect class="tint" x="{plan.left:g}" y="{top:g}" width="{wide:.1f}" '
                f'height="{plan.bottom - top:g}" fill="{TINT}"/>'
            )
        lanes = "".join(f"M{plan.left:g} {top:g}H{plan.right:g}" for top in plan.tops)
        ticks = "".join(f"M{plan.x(t):.1f} {plan.tops[0]:g}V{plan.bottom:g}" for t in plan.ticks)
        free = plan.width - LETTER * (len(steps.unit) + 2)
        names = "".join(
            f'<text x="{plan.x(t):.1f}" y="{plan.bottom + 15:g}">{_tick(t)}</text>'
            for t in plan.ticks
            if plan.x(t) + LETTER * len(_tick(t)) / 2 <= free
        )
        unit = (
            f'<text x="{plan.width - 2:g}" y="{plan.bottom + 15:g}" text-anchor="end">'
            f"{safe(steps.unit)}</text>"
        )
        keys = "".join(
            f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="11" height="11" '
            f'fill="{self._key_colour(group)}"/><text x="{x + 15:.1f}" y="{y + 1:.1f}" '
            f'text-anchor="start">{safe(name)}</text>'
            for name, group, x, y in plan.keys
        )
        return (
            f'{tinted}<path class="line" d="{lanes}{ticks}" stroke="{LINE}" fill="none"/>'
            f'<g class="soft" fill="{SOFT}" text-anchor="middle">{names}{unit}{keys}</g>'
        )

    def _key_colour(self, group: int | None) -> str:
        return setup_colour(INK) if group is None else self.colours[group]

    def _names(self) -> str:
        plan, names = self.layout, []
        for k, name in enumerate(self.steps.lanes):
            top, high = plan.tops[k], plan.tops[k + 1] - plan.tops[k]
            shown = safe(shortened(name, MOST_LETTERS))
            size = f' font-size="{high - 2:g}"' if high < 14 else ""
            names.append(f'<text x="8" y="{top + high / 2 + 4:g}"{size}>{shown}</text>')
        return (
            f'<rect class="paper" x="0" y="{plan.tops[0]:g}" '
            f'width="{plan.left - 4:g}" height="{plan.height - plan.tops[0]:g}" fill="{PAPER}"/>'
            f'<g class="ink" fill="{INK}">{"".join(names)}</g>'
        )

    def _marks(self) -> str:
        """Lines across all lanes with their labels above, each in a row of its own."""
        drawn = []
        for k, mark in enumerate(self.steps.marks):
            x, y = self.layout.x(mark.at), MARK_ROW * (k + 1) - 3
            label = f"{mark.label} {number(mark.at)} {self.steps.unit}"
            side = ("end", -5) if x > 0.6 * self.layout.width else ("start", 5)
            dash = ' stroke-dasharray="5 4"' if mark.dashed else ""
            drawn.append(
                f'<path d="M{x:.1f} {y - 8:g}V{self.layout.bottom:g}" fill="none"{dash}/>'
                f'<text x="{x + side[1]:.1f}" y="{y:g}" text-anchor="{side[0]}" '
                f'stroke="none" class="ink" fill="{INK}">{safe(label)}</text>'
            )
        return f'<g class="mark" stroke="{INK}" stroke-width="1.5">{"".join(drawn)}</g>\n'

    def _bars(self) -> Iterator[Part]:
        for bar in self.layout.bars:
            yield Part(self._bar(bar), "bar", bar.born, bar.gone)

    def _bar(self, bar: Bar) -> str:
        row, plan = bar.row, self.layout
        top, high = plan.y(row.slot, bar.track)
        begin, ready, end = (plan.x(at) for at in (row.start, row.start + row.setup, row.end))
        ready = min(ready, end)
        colour = self.colours[row.group]
        setup = f", setup {number(row.setup)}" if row.setup else ""
        title = (
            f"{row.label} on {self.steps.lanes[row.slot]}: {number(row.start)} to "
            f"{number(row.end)} {self.steps.unit}{setup}"
        )
        drawn = [f"<title>{safe(title)}</title>"]
        if row.setup:
            drawn.append(_rect(begin, ready, top, high, setup_colour(colour)))
        drawn.append(_rect(ready, end, top, high, colour))
        middle, size = top + high / 2, min(11.0, high - 1)
        room = LETTER * len(row.label) * size / 12 + 4
        if size >= 7 and room <= end - begin:
            inside = room <= end - ready
            x = (ready + end) / 2 if inside else (begin + end) / 2
            ink = ink_on(colour if inside or ready - begin < end - ready else setup_colour(colour))
            drawn.append(
                f'<text x="{x:.1f}" y="{middle + 0.35 * size:.1f}" font-size="{size:g}" '
                f'text-anchor="middle" fill="{ink}" stroke="none">{safe(row.label)}</text>'
            )
        return "".join(drawn)

    def _boxes(self) -> Iterator[Part]:
        """Dashed boxes of what was not chosen; the tempting loser's is drawn stronger."""
        for n, step in enumerate(self.steps.steps, 1):
            drawn = [
                self._box(candidate, is_loser)
                for is_loser in (False, True)  # the loser last, over boxes in the same place
                for k, candidate in enumerate(step.candidates)
                if candidate.box is not None and candidate.slot is not None and k != step.chosen
                if is_loser == (k == step.loser)
            ]
            if drawn:
                yield Part("".join(drawn), "candidate", n, n + 1)

    def _box(self, candidate: Candidate, is_loser: bool) -> str:
        assert candidate.box is not None
        assert candidate.slot is not None
        top, high = self.layout.y(candidate.slot)
        begin, end = (self.layout.x(at) for at in candidate.box)
        style = (
            f'class="loser" stroke="{LOSER}" stroke-width="2"'
            if is_loser
            else f'class="box" stroke="{SOFT}"'
        )
        times = " to ".join(number(at) for at in candidate.box)
        title = f"{candidate.label}: {times} {self.steps.unit}"
        return (
            f'<rect x="{begin:.1f}" y="{top:.1f}" width="{max(end - begin, 1):.1f}" '
            f'height="{high:.1f}" fill="none" {style} stroke-dasharray="4 3">'
            f"<title>{safe(title)}</title></rect>"
        )

    def _says(self) -> Iterator[Part]:
        """Title and words above the picture, which only slides show."""
        of = len(self.steps.steps)
        for n, (step, lines) in enumerate(zip(self.steps.steps, self.words, strict=True), 1):
            title = f"{n}/{of}  {shortened(step.title, 80)}"
            text = "".join(
                f'<tspan x="8" dy="{WORDS_HIGH:g}">{safe(line)}</tspan>' for line in lines
            )
            yield Part(
                f'<text x="8" y="{26 - self.top:g}" font-size="20" font-weight="600" fill="{INK}">'
                f'{safe(title)}</text><text y="{30 - self.top:g}" font-size="15" fill="{INK}">'
                f"{text}</text>",
                "says",
                n,
                n + 1,
            )


def picture_styles() -> str:
    """The rules that give pictures the page's colours."""
    return web_file(__package__, "page/picture.css")


def _until(part: Part) -> str:
    return "" if part.gone is None else f' data-to="{part.gone}"'


def _emphasis(part: Part, step: int) -> str:
    """An outline around what a step has just drawn."""
    if part.kind == "bar" and part.born == step:
        return f' stroke="{INK}" stroke-width="1.6"'
    return ""


def _rect(begin: float, end: float, top: float, high: float, colour: str) -> str:
    return (
        f'<rect x="{begin:.1f}" y="{top:.1f}" width="{max(end - begin - GAP, 0.8):.1f}" '
        f'height="{high:.1f}" fill="{colour}"/>'
    )


def _lines(step: Step) -> list[str]:
    return textwrap.wrap(step.text, WORDS_WIDE, break_on_hyphens=False)


def _tick(value: float) -> str:
    return number(round(value, 12))
