"""The dispatching rules: what a job that arrives and a machine that a job left choose by.

`key` is what an arrival makes least over the machines with room, `turn` what an exit makes least
over the waiting jobs that fit. docs/heuristics/dispatch.md has the rules in words, with sources.
A rule's other parts are in `bid_price`, `greedy` and `samples`.
"""

from __future__ import annotations

import numpy as np

from ...core.kernels.decorators import by_reference, inlined, inner
from . import bid_price, greedy, samples, shapes
from .engine.columns import (
    DURATION,
    FIRST_DEMAND,
    JOB_CLASS,
    NO_MACHINE,
    NUMBER,
    QUEUES_FULL,
    WAITING,
    is_machine,
)
from .engine.state import System
from .machine_index import (
    RANKS,
    candidates,
    choose_rows,
    demand_share,
    lowest_bit,
    note_free,
    note_rank,
    rank_of_share,
    ranks_in_use,
    share_of_rank,
)
from .policy_state import (
    BEST_FIT,
    BF_JS,
    BID_PRICE,
    FGD,
    FIRST_FIT,
    GAMMA,
    GREEDY,
    LOTES,
    LOTES_UNRESTRICTED,
    OMEGA,
    TETRIS,
    PolicyState,
)
from .splitmix import uniform_of_job
from .waiting_jobs import add_job, first_fitting_leaf, home_queue, remove_job, some_may_fit
from .worth.tables import worth

SLACK = 1 + 1e-9
"""Keeps a bound valid whatever was rounded."""

# Measures of a job and a machine


@inlined
def omega(system: System, slot: int, m: int) -> float:
    """Tetris: demand times what machine m has free, in parts of the largest machine."""
    total = 0.0
    for r in range(len(system.weight)):
        weight = system.weight[r]
        total += (system.info[slot, FIRST_DEMAND + r] * weight) * (system.free[m, r] * weight)
    return total


@inlined
def remaining_work(system: System, slot: int) -> float:
    """Tetris: the job's duration times its demand."""
    return float(system.time[slot, DURATION] * demand_share(system, slot))


@inlined
def _lost_on(system: System, m: int) -> float:
    """FGD: share of the classes that cannot run on machine m or do not fit it now."""
    lost = 0.0
    for k in range(len(system.request)):
        inside = system.runs[k, system.configuration[m]] != 0
        for r in range(len(system.weight)):
            inside &= system.request[k, r] <= system.free[m, r]
        if not inside:
            lost += system.share[k]
    return lost


@inlined
def _rise(policy: PolicyState, system: System, slot: int, m: int) -> float:
    """FGD: how much a start raises the fragmentation of machine m.

    Classes that do not fit before cannot use the job's demand less. Those that fit after as well
    lose nothing but what they never need, those that fit no longer the rest of what they need.
    """
    free, info, request = system.free, system.info, system.request
    j = system.configuration[m]
    spoilt, idle = 0.0, 0.0
    for k in range(len(request)):
        before, after = system.runs[k, j] != 0, True
        needed, unneeded = 0.0, 0.0
        for r in range(free.shape[1]):
            demand = info[slot, FIRST_DEMAND + r]
            left = free[m, r] - demand
            before &= request[k, r] <= free[m, r]
            after &= request[k, r] <= left
            if request[k, r] > 0:
                needed += left * system.weight[r]
            else:
                unneeded += demand * system.weight[r]
        if before:
            idle += system.share[k] * unneeded
            if not after:
                spoilt += system.share[k] * needed
    return float((spoilt - idle) - demand_share(system, slot) * policy.lost[m])


@inlined
def _idle(system: System, slot: int) -> float:
    """FGD: of the job's demand, what classes do not need, to be expected."""
    idle = 0.0
    for k in range(len(system.request)):
        unneeded = 0.0
        for r in range(len(system.weight)):
            if system.request[k, r] == 0:
                unneeded += system.info[slot, FIRST_DEMAND + r] * system.weight[r]
        idle += system.share[k] * unneeded
    return idle


@inlined
def _least_rise(size: float, idle: float, lost: float) -> float:
    """FGD: the rise where so much is lost is never below this, rounding included."""
    return (0.0 - idle) - size * lost


# Arrivals


@inlined
def key(policy: PolicyState, system: System, slot: int, m: int) -> tuple[float, float]:
    """What an arriving job makes least over the machines with room; then the lowest machine.

    `Dispatcher` asks for several machines at once: in plain Python m may be an array of them.
    """
    rule = policy.rule
    if rule in (BEST_FIT, BF_JS):
        return policy.share[m], 0.0
    if rule == TETRIS:
        return -omega(system, slot, m), 0.0
    if rule == FGD:
        return _rise(policy, system, slot, m), policy.share[m]
    if rule in (LOTES, LOTES_UNRESTRICTED):
        return -1.0 * policy.score[m, system.info[slot, JOB_CLASS]], 0.0
    return 0.0, 0.0


@inlined
def _rank(policy: PolicyState, system: System, m: int, o: int) -> int:
    """The rank of machine m in the policy's order o: a lower one never has a higher `key`.

    For FGD and Tetris this is true of a bound on it, see `_least_key`.
    """
    rule = policy.rule
    if rule in (BEST_FIT, BF_JS, BID_PRICE):
        return rank_of_share(policy.share[m])
    if rule == TETRIS:
        total = 0.0
        for r in range(len(system.weight)):
            total += policy.directions[o, r] * (system.free[m, r] * system.weight[r])
        return RANKS - 1 - rank_of_share(total)
    if rule == FGD:
        return max(0, RANKS - 1 - int((RANKS - 1) * policy.lost[m]))
    if rule in (LOTES, LOTES_UNRESTRICTED):
        return int(min(max(RANKS // 2 - 1 - policy.score[m, o], 0), RANKS - 1))
    return 0


@inner
def _nearest_direction(policy: PolicyState, system: System, slot: int) -> tuple[int, float]:
    """Tetris: the direction of which the demand is at most the smallest multiple, and that."""
    nearest, least = 0, np.inf
    for o in range(len(policy.directions)):
        times = 0.0
        for r in range(len(system.weight)):
            part = system.info[slot, FIRST_DEMAND + r] * system.weight[r]
            times = max(times, part / policy.directions[o, r])
        if times < least:
            nearest, least = o, times
    return nearest, least


@inner
def _least_key(policy: PolicyState, system: System, slot: int, rank: int) -> float:
    """No machine of this rank or a later one has a lower `key`, once one of an earlier rank has."""
    if policy.rule == TETRIS:
        _, times = _nearest_direction(policy, system, slot)
        return -times * share_of_rank(RANKS - rank) * SLACK
    if policy.rule == FGD:
        lost = (RANKS - rank) / (RANKS - 1)
        return _least_rise(demand_share(system, slot), _idle(system, slot), lost) * SLACK
    return np.inf


@inner
def _best(policy: PolicyState, system: System, slot: int) -> int:
    """The machine with the least `key` of those with room, on the configurations in `may`."""
    info, may, found = system.info, policy.may, policy.found
    rule = policy.rule
    lotes = rule in (LOTES, LOTES_UNRESTRICTED)
    o = info[slot, JOB_CLASS] if lotes else 0
    if rule == FGD:
        o = shapes.LOWEST
    if rule == TETRIS:
        o, _ = _nearest_direction(policy, system, slot)
    size, idle = demand_share(system, slot), _idle(system, slot)
    best, least, then = NO_MACHINE, np.inf, np.inf
    ranks = -1
    if policy.sample == 0:
        choose_rows(policy.by_room, info, slot)
        ranks = ranks_in_use(policy.by_room, may, o)
        if rule in (BEST_FIT, BF_JS):
            ranks &= -1 << rank_of_share(size)
    while ranks != 0:
        rank = lowest_bit(ranks)
        ranks &= ranks - 1
        if best >= 0 and least < _least_key(policy, system, slot, rank):
            break
        if policy.sample > 0:
            count, ranks = samples.with_room(policy, system, slot), 0
        else:
            # Where all machines of a rank have the same key, the lowest is enough.
            alike = rule in (FIRST_FIT, GREEDY) or (lotes and 0 < rank < RANKS - 1)
            most = 1 if alike else len(found)
            count = candidates(policy.by_room, system, slot, may, o, rank, found, most)
        for i in range(count):
            m = found[i]
            if rule == FGD:
                floor = _least_rise(size, idle, policy.lost[m])
                if floor > least or (floor == least and policy.share[m] > then):
                    continue
            first, second = key(policy, system, slot, m)
            if first < least or (
                first == least and (second < then or (second == then and m < best))
            ):
                best, least, then = m, first, second
    return best


@inner
def place(policy: PolicyState, system: System, slot: int) -> int:
    """The machine where the job that arrives starts, or `NO_MACHINE`."""
    info, may = system.info, policy.may
    k = info[slot, JOB_CLASS]
    configurations = len(may)
    if policy.rule == BID_PRICE:
        # This job counts as waiting, too.
        alone = system.tally[WAITING] == 1
        home = home_queue(policy.homes, system.capacity, info, slot) == k
        for j in range(configurations):
            may[j] = policy.homes[k, j] if home and not alone else system.runs[k, j]
        return bid_price.cheapest(policy, system, slot)
    drawn = -1
    if policy.rule == LOTES or policy.rule == LOTES_UNRESTRICTED:
        u = uniform_of_job(policy.seed, info[slot, NUMBER])
        drawn = samples.drawn_configuration(policy.upto, k, u)
    if policy.sample > 0:
        samples.choose_configurations(policy, system, slot, drawn)
        return _best(policy, system, slot)
    if drawn >= 0 and system.runs[k, drawn] != 0:
        for j in range(configurations):
            may[j] = j == drawn
        m = _best(policy, system, slot)
        if m != NO_MACHINE:
            return m
    for j in range(configurations):
        may[j] = system.runs[k, j]
    return _best(policy, system, slot)


@inner
def wait(policy: PolicyState, system: System, slot: int) -> None:
    """The job has to wait: it joins a queue."""
    if policy.rule == GREEDY:
        greedy.join_shortest(policy, system, slot)
        return
    q = home_queue(policy.homes, system.capacity, system.info, slot)
    if add_job(policy.queues, q, system.info, slot, remaining_work(system, slot)):
        system.tally[QUEUES_FULL] = 1


# Exits


@inlined
def turn(policy: PolicyState, q: int, m: int) -> tuple[float, float]:
    """What machine m makes least over the queues with a job that fits; see `_turn_in_queue`."""
    classes = policy.score.shape[1]
    k = q % classes
    if policy.rule == LOTES or policy.rule == LOTES_UNRESTRICTED:
        return (-float(policy.score[m, k]), float(k)) if q < classes else (np.inf, 0.0)
    if policy.rule == BID_PRICE:
        return (0.0 if policy.score[m, k] > 0 else 1.0), 0.0
    return 0.0, 0.0


@inlined
def _turn_in_queue(policy: PolicyState, system: System, node: int, m: int, gamma: float) -> float:
    """What machine m makes least over the jobs that fit, then the one that arrived first.

    Of a node of a queue, no job below it that fits has less; of a leaf, the job's own.
    """
    queues = policy.queues
    total = 0.0
    for r in range(len(system.weight)):
        weight, free = system.weight[r], system.free[m, r]
        share = min(queues.most[node, r], free) * weight
        total += share if policy.rule == BF_JS else share * (free * weight)
    if policy.rule == BF_JS:
        return -total
    return float(gamma * queues.work[node] - total)


@inner
def _leaf_with_least_turn(policy: PolicyState, system: System, q: int, m: int) -> tuple[int, float]:
    """The job of queue q that fits machine m and has the least turn; -1 without one."""
    queues, stack = policy.queues, policy.stack
    base, places = queues.base[q], queues.places[q]
    gamma = policy.gamma
    if np.isnan(gamma):
        done = policy.started[GAMMA]
        gamma = policy.started[OMEGA] / done if done > 0 else 0.0
    best, least = -1, np.inf
    depth = 1
    stack[0] = 1
    while depth > 0:
        depth -= 1
        i = stack[depth]
        if not some_may_fit(queues.least, base + i, system.free, m):
            continue
        bound = _turn_in_queue(policy, system, base + i, m, gamma)
        if bound > least:
            continue
        first = i
        while first < places:
            first *= 2
        if bound == least and first > best:
            continue
        if i >= places:
            best, least = i, bound
            continue
        left = _turn_in_queue(policy, system, base + 2 * i, m, gamma)
        right = _turn_in_queue(policy, system, base + 2 * i + 1, m, gamma)
        # The better half is looked at first.
        later = 2 * i if right < left else 2 * i + 1
        stack[depth], stack[depth + 1] = later, 4 * i + 1 - later
        depth += 2
    return best, least


@inner
def next_waiting(policy: PolicyState, system: System, m: int) -> int:
    """Take the job that starts next on machine m out of its queue; its slot, or -1 for none."""
    if policy.rule == GREEDY:
        return greedy.first_in_line(policy, system, m)
    queues, info = policy.queues, system.info
    j, classes = system.configuration[m], len(policy.homes)
    by_job = policy.rule == TETRIS or policy.rule == BF_JS
    best, best_leaf, number, least, then = -1, -1, 0, np.inf, np.inf
    for q in range(2 * classes):
        able = policy.homes[q, j] if q < classes else system.runs[q - classes, j]
        if able == 0 or not some_may_fit(queues.root, q, system.free, m):
            continue
        first, second = turn(policy, q, m)
        if best >= 0 and first > least:
            continue
        if by_job:
            leaf, second = _leaf_with_least_turn(policy, system, q, m)
        else:
            leaf = first_fitting_leaf(queues, q, system.free, m)
        if leaf < 0:
            continue
        own = info[queues.job[queues.base[q] + leaf], NUMBER]
        if (
            best < 0
            or first < least
            or (first == least and (second < then or (second == then and own < number)))
        ):
            best, best_leaf, number, least, then = q, leaf, own, first, second
    return remove_job(queues, best, best_leaf) if best >= 0 else -1


# What a start or an exit changes


@inlined
def before(policy: PolicyState, system: System, m: int) -> None:
    """Machine m is about to change."""
    if policy.rule == BID_PRICE or policy.rule == FGD:
        shapes.take_out(policy, system, m)


@inner
def count(policy: PolicyState, system: System, slot: int, m: int, change: int) -> None:
    """A job has left machine m (`change` 1) or is about to start there (-1)."""
    k = system.info[slot, JOB_CLASS]
    if policy.rule == TETRIS and change < 0:
        policy.started[OMEGA] += omega(system, slot, m)
        policy.started[GAMMA] += remaining_work(system, slot)
    policy.score[m, k] += change
    if policy.rule == LOTES or policy.rule == LOTES_UNRESTRICTED:
        note_rank(policy.by_room, k, system.configuration[m], m, _rank(policy, system, m, k))


@inner
def note(policy: PolicyState, system: System, m: int) -> None:
    """Take note of what machine m has free."""
    rule, j = policy.rule, system.configuration[m]
    note_free(policy.by_room, system.free, m)
    if rule in (LOTES, LOTES_UNRESTRICTED):
        return  # `count` has changed its ranks
    total = 0.0
    for r in range(len(system.weight)):
        total += system.free[m, r] * system.weight[r]
    policy.share[m] = total
    if rule == FGD:
        policy.lost[m] = _lost_on(system, m)
    if rule == BID_PRICE:
        policy.worth[m] = worth(policy.tables, j, system.free, m)
    if rule in (BID_PRICE, FGD):
        shapes.put_in(policy, system, m, _rank(policy, system, m, shapes.ALL))
        return
    for o in range(len(policy.by_room.rank)):
        note_rank(policy.by_room, o, j, m, _rank(policy, system, m, o))


@by_reference
def note_all(policy: PolicyState, system: System) -> None:
    """Take note of all machines, at the beginning."""
    for m in range(len(system.free)):
        if is_machine(system.free, m):
            note(policy, system, m)
            if policy.rule == LOTES or policy.rule == LOTES_UNRESTRICTED:
                for o in range(len(policy.by_room.rank)):
                    rank = _rank(policy, system, m, o)
                    note_rank(policy.by_room, o, system.configuration[m], m, rank)
