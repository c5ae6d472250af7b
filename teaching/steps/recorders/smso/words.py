"""Why SMSO matches a map task with a slot, in words from what the task sees."""

from __future__ import annotations

from .....instances.wording import listed
from ..board import Board, Told
from .matchmaking import ANY, ENCRYPTING, HERE, HOME, IGNORED, SPARED, UNENCRYPTED, View, amount

RULES = (
    "data here and below the threshold: least load",
    "no encryption and below the threshold: least load",
    "any allowed slot: least load",
    "data ignored: least load",
)

MOST_REASONS = 3
"""So many slots that refuse a task are named."""


def rule_of(view: View, group: int) -> str:
    """Name of the rule that decided, with the tie rule if one was needed."""
    ranked = view.ranked(group)
    if len(ranked) < 2 or view.load[ranked[0]] != view.load[ranked[1]]:
        return RULES[group]
    if group == ANY and view.way[ranked[0]] != view.way[ranked[1]]:
        return f"{RULES[group]}, of equal ones the nearest to the data"
    return f"{RULES[group]}, of equal ones the lowest number"


def matching_text(board: Board, view: View, group: int, told: Told) -> tuple[str, int | None]:
    """Why the best slot of a group takes the task, and the most tempting of the others."""
    loser = _loser(view, group)
    text = [_data(view)]
    forbidden = _forbidden(board, view) if group == HOME else []
    if forbidden:
        text.append(f"Its priority forbids {listed(forbidden)} there.")
    if group in (SPARED, ANY):
        text.append(_refused(board, view, told))
    if group == ANY:
        text.append(_encrypted(board, view))
    text.append(_winner(board, view, group, told))
    if loser is not None:
        text.append(_lost(board, view, group, loser, told))
    return " ".join(filter(None, text)), loser


def _loser(view: View, group: int) -> int | None:
    """The slot that one would rather take: nearer but full, or less loaded but farther."""
    ranked = view.ranked(group)
    chosen = ranked[0]
    nearer = [k for k in view.open if view.way[k] < view.way[chosen]]
    if nearer:
        return min(nearer, key=lambda k: (view.way[k], view.given[k], k))
    idler = [k for k in view.open if view.load[k] < view.load[chosen]]
    if idler:
        return min(idler, key=lambda k: (view.load[k], view.way[k], k))
    return ranked[1] if len(ranked) > 1 else None


def _data(view: View) -> str:
    if not view.holders:
        return "No node of the cluster holds data for it."
    return f"Its data is on {listed(view.holders)}."


def _forbidden(board: Board, view: View) -> list[str]:
    """The slots with the data that are left but not allowed."""
    home = [k for k, way in enumerate(view.way) if way == HERE and not view.lost[k]]
    return [board.slot_name("map", k) for k in home if not view.allowed[k]]


def _refused(board: Board, view: View, told: Told) -> str:
    """Why no slot with the data takes the task."""
    home = [k for k, way in enumerate(view.way) if way == HERE]
    lost = [board.slot_name("map", k) for k in home if view.lost[k]]
    reasons = [f"{listed(lost)} {'is' if len(lost) == 1 else 'are'} lost"] if lost else []
    forbidden = _forbidden(board, view)
    reasons += [f"its priority forbids {listed(forbidden)}"] if forbidden else []
    for k in home:
        name = board.slot_name("map", k)
        if k in view.open:
            given = amount(told, f"given to {name}", view.given[k], view.unit)
            over = view.given[k] - view.threshold
            by = f", {amount(told, f'{name} over by', over, view.unit)} over" if over else ","
            limit = amount(told, "threshold", view.threshold, view.unit)
            which = f"the threshold of {limit}" if over else "which is the threshold"
            reasons.append(f"{name} was given {given}{by} {which}")
    if not reasons:
        return "There is no map slot." if view.holders else ""
    if len(reasons) > MOST_REASONS:
        reasons = [*reasons[:MOST_REASONS], "the others are full, too"]
    return f"It cannot stay there: {'; '.join(reasons)}."


def _encrypted(board: Board, view: View) -> str:
    """Why no slot takes the data as it is."""
    if not view.holders:
        return ""
    spared = any(view.way[k] == UNENCRYPTED for k in view.open)
    if board.instance.security is None:
        return "Every other slot has reached the threshold, too." if spared else ""
    if spared:
        return "Every other slot that takes it without encryption has reached the threshold, too."
    return "No other allowed slot takes it without encryption."


def _winner(board: Board, view: View, group: int, told: Told) -> str:
    ranked = view.ranked(group)
    chosen = ranked[0]
    name = board.slot_name("map", chosen)
    load = amount(told, "load", view.load[chosen], view.unit)
    secure = board.instance.security is not None
    elsewhere = "below the threshold" + (" that {} it without encryption" if secure else "")
    if len(ranked) == 1:
        only = {HOME: "there that is below the threshold", SPARED: elsewhere.format("takes")}
        text = f"{name}, with a load of {load}, is the only slot "
        text += only.get(group, "that may run it")
    else:
        of = {
            HOME: "slots there below the threshold",
            SPARED: f"slots {elsewhere.format('take')}",
            ANY: "allowed slots",
            IGNORED: "allowed slots, wherever the data is,",
        }[group]
        slots = told.number("slots in the group", len(ranked))
        text = f"Of {slots} {of} {name} has the least load, {load}"
    setup = view.setup[chosen]
    if setup:
        coded = ", encryption included" if secure and view.way[chosen] == ENCRYPTING else ""
        text += f"; reading takes {told.seconds('setup', setup)} there{coded}"
    return f"{text}."


def _lost(board: Board, view: View, group: int, loser: int, told: Told) -> str:
    """How the most tempting other slot loses, and by how much."""
    chosen, name = view.ranked(group)[0], board.slot_name("map", loser)
    more = view.load[loser] - view.load[chosen]
    reads = view.setup[loser] - view.setup[chosen]
    if view.way[loser] < view.way[chosen]:
        saved = "be nearer to the data"
        if reads < 0:
            saved = f"save {told.seconds('would read less by', -reads)} of reading"
        if group == SPARED:
            return f"{name} would {saved}, were it not full."
        if not more:
            return f"{name} would {saved}, but with the same load it has a higher number."
        by = amount(told, "more load by", more, view.unit)
        return f"{name} would {saved}, but has {by} more load."
    if more < 0:
        by = amount(told, "less load by", -more, view.unit)
        why = "the data would have to move"
        if view.way[loser] <= group:
            why = "it has reached the threshold"
        elif group == SPARED:
            why = "the data would have to be encrypted"
        longer = f": {told.seconds('would read more by', reads)} more" if reads > 0 else ""
        return f"{name} has {by} less load, but {why}{longer}."
    if more:
        return f"Next comes {name} with {amount(told, 'more load by', more, view.unit)} more."
    if reads > 0 and group == ANY:
        extra = told.seconds("would read more by", reads)
        return f"{name} has the same load, but would read for {extra} more."
    return f"{name} has the same load; the lower number takes it."
