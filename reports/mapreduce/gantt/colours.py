"""Colours of jobs and of the parts of a bar, and colours that can be read on them."""

from __future__ import annotations

import numpy as np

# Okabe and Ito (2008), Color Universal Design, without black; safe for colour-blind readers.
_DISTINCT = (
    "#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#8c8c8c", "#e8d92c",
)  # fmt: skip


# Viridis up to 0.93: the yellow end would leave no contrast between a setup and the paper.
_SEQUENTIAL = (
    "#440154", "#482878", "#3e4a89", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58",
    "#b5de2b", "#d8e219",
)  # fmt: skip


MOST_NAMED = 3 * len(_DISTINCT)
"""Up to this many jobs have distinct colours; more share a continuous scale."""


def job_colours(jobs: int) -> list[str]:
    """One colour per job: eight hues in three shades for a few, a continuous scale for many."""
    if jobs <= MOST_NAMED:
        shades = (
            list(_DISTINCT)
            + [mixed(colour, "#000000", 0.4) for colour in _DISTINCT]
            + [mixed(colour, "#ffffff", 0.4) for colour in _DISTINCT]
        )
        return shades[:jobs]
    anchors = np.array([_rgb(colour) for colour in _SEQUENTIAL], dtype=float)
    place = np.linspace(0, len(anchors) - 1, jobs)
    channels = [np.interp(place, np.arange(len(anchors)), anchors[:, c]) for c in range(3)]
    return [_hex(*rgb) for rgb in zip(*channels, strict=True)]


def setup_colour(colour: str) -> str:
    """The lighter shade in which a job's setups are drawn."""
    return mixed(colour, "#ffffff", 0.6)


def encryption_colour(colour: str) -> str:
    """The shade between, in which the encryption of a job's data is drawn."""
    return mixed(colour, "#ffffff", 0.3)


def part_colour(part: str, colour: str) -> str:
    """The shade of a job's colour for a part of its bars, see `Bars.parts`."""
    shades = {"encryption": encryption_colour, "setup": setup_colour}
    return shades[part](colour) if part in shades else colour


def ink_on(colour: str) -> str:
    """Black or white, whichever reads better on a colour (relative luminance, [WCAG2])."""
    linear = [((c / 255 + 0.055) / 1.055) ** 2.4 for c in _rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if luminance > 0.22 else "#ffffff"


def mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another one in it."""
    pairs = zip(_rgb(colour), _rgb(other), strict=True)
    return _hex(*(a + (b - a) * share for a, b in pairs))


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _hex(red: float, green: float, blue: float) -> str:
    return f"#{round(red):02x}{round(green):02x}{round(blue):02x}"
