"""The tree of queues as an icicle: how much each uses, is guaranteed and may hold.

A node is as wide as what it uses of one resource, its children stand below it, and what nobody uses
stays empty. A darker foot is what is guaranteed to it; a red frame says that its limit is full.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...core.files.outputs import check_ending, write_bytes
from ...core.wording import percent
from ...instances.hierarchy.allocation import Allocation
from ..endings import GANTT
from ..page import page, safe
from ..palette import LIGHT
from ..plots import write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_LABEL = 0.05
"""Least width of a node, as a part of the whole, that has room for its name."""

MOST_NODES = 2000
"""Most nodes that are drawn; narrower ones are left out first."""

_STYLES = """
.icicle { position: relative; border: 1px solid var(--line); }
.node { position: absolute; box-sizing: border-box; overflow: hidden; padding: 2px 4px;
  background: var(--reduce); border: 1px solid var(--line); font-size: 13px; line-height: 17px;
  white-space: nowrap; text-overflow: ellipsis; }
.node.leaf { background: var(--map); }
.node.full { border: 2px solid var(--bad); }
.foot { position: absolute; left: 0; bottom: 0; height: 6px; background: var(--c0); }
.scroll { overflow-x: auto; }
td { text-align: right; } td:first-child, th:first-child { text-align: left; }
"""

_ROW = 46
"""Height of a level of the page (pixels)."""


class Box(NamedTuple):
    """A node of the picture; `left` and `width` are parts of the capacity."""

    node: int
    left: float
    width: float
    depth: int
    guaranteed: float
    """What is guaranteed to it, as a part of its own width."""
    full: bool
    """Whether its limit is full."""


def boxes(allocation: Allocation, resource: int) -> list[Box]:
    """The nodes that use something of a resource, parents before their children."""
    tree, shares = allocation.hierarchy, allocation.nodes
    used = shares.used[:, resource] / tree.capacity[resource]
    guaranteed = shares.guaranteed[:, resource] / tree.capacity[resource]
    made: dict[int, Box] = {}
    begin = np.zeros(tree.nodes)
    for n, up in enumerate(tree.parent.tolist()):
        width = float(used[n])
        if n and (up not in made or width <= 0):
            continue
        left = 0.0 if n == 0 else made[up].left + float(begin[up])
        if n:
            begin[up] += width
        made[n] = Box(
            n,
            left,
            width,
            0 if n == 0 else made[up].depth + 1,
            min(1.0, float(guaranteed[n]) / width) if width > 0 else 0.0,
            bool(n and shares.full[n, resource]),
        )
    widest = sorted(made.values(), key=lambda box: -box.width)[:MOST_NODES]
    return sorted(widest, key=lambda box: box.node)


def fullest(allocation: Allocation) -> int:
    """Number of the resource of which most is used."""
    return int(allocation.used.argmax())


def write_icicle(allocation: Allocation, path: str | Path) -> None:
    """Draw the tree of queues to a .html, .png, .svg or .pdf file.

    Raises `InputError` for another suffix.
    """
    if check_ending(path, GANTT, "a plot") == ".html":
        write_bytes(path, icicle_page(allocation).encode())
        return
    from matplotlib.figure import Figure

    depth = max(box.depth for box in boxes(allocation, fullest(allocation)))
    figure = Figure(figsize=(10, 1.4 + 0.7 * (depth + 1)), layout="constrained")
    draw_icicle(allocation, figure.add_subplot())
    write_figure(figure, path, dpi=130)


def draw_icicle(allocation: Allocation, ax: Axes) -> Axes:
    """Draw the tree of queues into axes, by the resource of which most is used."""
    from matplotlib.patches import Rectangle

    tree, j = allocation.hierarchy, fullest(allocation)
    is_leaf = set(tree.leaf.tolist())
    shown = boxes(allocation, j)
    for box in shown:
        ground = LIGHT["map"] if box.node in is_leaf else LIGHT["reduce"]
        frame = LIGHT["bad"] if box.full else LIGHT["soft"]
        place = (box.left, box.depth)
        ax.add_patch(
            Rectangle(
                place,
                box.width,
                0.94,
                facecolor=ground,
                edgecolor=frame,
                linewidth=2 if box.full else 0.6,
            )
        )
        if box.guaranteed:
            ax.add_patch(
                Rectangle(
                    (box.left, box.depth + 0.8),
                    box.width * box.guaranteed,
                    0.14,
                    facecolor=LIGHT["c0"],
                )
            )
        if box.width >= LEAST_LABEL:
            ax.text(
                box.left + box.width / 2,
                box.depth + 0.4,
                f"{tree.names[box.node]}\n{percent(box.width)}",
                ha="center",
                va="center",
                fontsize=8,
                clip_on=True,
            )
    ax.set(xlim=(0, 1), ylim=(max(box.depth for box in shown) + 1, 0), yticks=[])
    ax.set_xlabel(f"part of the cluster's {tree.resources[j]}")
    ax.set_title(
        f"{tree.resources[j]} by {allocation.method}: used; blue foot guaranteed; red frame at its "
        "limit",
        loc="left",
        fontsize=10,
    )
    ax.spines[["top", "right", "left"]].set_visible(False)
    return ax


def icicle_page(allocation: Allocation) -> str:
    """The tree of queues as an HTML page: a picture, and a table of the same."""
    tree, j = allocation.hierarchy, fullest(allocation)
    shown, is_leaf = boxes(allocation, j), set(tree.leaf.tolist())
    parts = []
    for box in shown:
        kind = "node" + " leaf" * (box.node in is_leaf) + " full" * box.full
        text = safe(f"{tree.path(box.node)}: {percent(box.width)}")
        name = safe(tree.names[box.node])
        parts.append(
            f'<div class="{kind}" title="{text}" style="left:{100 * box.left:.3f}%;'
            f'width:{100 * box.width:.3f}%;top:{_ROW * box.depth}px;height:{_ROW}px">{name} '
            f"{percent(box.width)}"
            f'<div class="foot" style="width:{100 * box.guaranteed:.1f}%"></div></div>'
        )
    height = _ROW * (1 + max(box.depth for box in shown))
    title = f"Fair shares of {tree.name or 'a tree of queues'}"
    resource = safe(tree.resources[j])
    body = (
        f"<main><h1>{safe(title)}</h1>\n<p>{resource} by {safe(allocation.method)}: as wide as "
        "what is used of the cluster; the blue foot is guaranteed, a red frame says that the limit "
        "is full, and what is empty nobody uses.</p>\n"
        f'<div class="icicle" style="height:{height}px" role="img" aria-label="{safe(title)}">'
        f"{''.join(parts)}</div>\n"
        f'<div class="scroll">{_table(allocation)}</div></main>'
    )
    return page(title, body, styles=_STYLES)


def _table(allocation: Allocation) -> str:
    tree, shares = allocation.hierarchy, allocation.nodes
    head = "".join(
        f"<th>{safe(name)}</th><th>guaranteed</th><th>limit</th>" for name in tree.resources
    )
    rows = []
    for n in range(1, min(tree.nodes, MOST_NODES)):
        cells = []
        for j in range(len(tree.resources)):
            limit = float(shares.quotas.limit[n, j])
            cells += [
                f"{shares.used[n, j]:.6g}",
                f"{shares.guaranteed[n, j]:.6g}",
                "" if limit == float("inf") else f"{limit:.6g}",
            ]
        row = "".join(f"<td>{cell}</td>" for cell in cells)
        stops = safe(", ".join(shares.limited_by(n)))
        rows.append(f"<tr><td>{safe(tree.path(n))}</td>{row}<td>{stops}</td></tr>")
    return (
        f"<table><thead><tr><th>node</th>{head}<th>limited by</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
