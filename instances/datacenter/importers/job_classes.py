"""Job classes of a trace by k-means on requests and durations ([LoTES], section 5.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....core.arrays import BoolArray, FloatArray, IntArray
from ....core.errors import InputError
from ....core.notices import step
from ....core.wording import percent, plural
from ...importer_options import ImportNotes
from ..classifier import Classifier
from ..datacenter import FIT_TOLERANCE, Datacenter
from .job_table import JobTable

EXPLAINED_VARIANCE = 0.9
"""Classes are added until they explain this share of the variance of requests and durations."""
MOST_CLASSES = 12
"""Most classes of all jobs together; each group gets its share of them, rounded up."""
MOST_CLUSTERED_JOBS = 50_000
"""Most jobs on which the number of classes and their centres are found; all jobs are assigned
afterwards."""


@dataclass(frozen=True, eq=False)
class Machines:
    """Machine configurations: M configurations, R resources."""

    resources: tuple[str, ...]
    """Names of the resources."""
    names: tuple[str, ...]
    """Names of the configurations."""
    count: IntArray
    """Machines of each configuration, shape (M,)."""
    capacity: FloatArray
    """Capacity of one machine, shape (M, R)."""


def with_classes(
    name: str,
    machines: Machines,
    jobs: JobTable,
    notes: ImportNotes,
    *,
    classes: int | None = None,
    seed: int = 0,
    source: str = "",
) -> tuple[Datacenter, IntArray]:
    """Make the datacenter of machines and jobs, with job classes by k-means.

    Jobs that may run on different configurations are never in one class. Within such a group
    k-means (Lloyd's algorithm) works on the requests, as shares of the largest machine, and on the
    logarithm of the duration, each scaled to variance 1. A class takes the mean duration of its
    jobs and requests their mean request weighted by duration, so that it holds of each resource,
    over time, what its jobs hold. A class whose request would fit no machine is divided. The scale
    of the requests is the metric of the datacenter's classifier.

    `classes`: number of classes; by default the least that explains the share `EXPLAINED_VARIANCE`
    of the variance, at most the group's share of `MOST_CLASSES`.
    Returns the datacenter and the class of each job, -1 for one that is left out, shape (jobs,).
    Raises `InputError` without jobs that ask for something, or if scikit-learn is not installed.
    """
    asks = np.asarray(jobs.request.any(axis=1))
    if not asks.all():
        notes.add(f"{plural(int((~asks).sum()), 'job')} ask for nothing and are left out")
    chosen = jobs.where(asks)
    if not chosen.jobs:
        raise InputError(f"{name}: no job to make classes of")
    label = _divided(machines, chosen, _labels(machines, chosen, classes, seed, notes))
    number = np.full(jobs.jobs, -1, dtype=np.int64)
    number[asks] = label
    return _datacenter(name, machines, chosen, label, source), number


def runnable(
    machines: Machines,
    jobs: JobTable,
    notes: ImportNotes,
    words: tuple[str, str] = ("task", "machine"),
) -> JobTable:
    """The jobs that some machine could run."""
    fits = np.asarray(_fits(machines, jobs.request, jobs.allowed[jobs.wants]).any(axis=1))
    if not fits.all():
        job, machine = words
        notes.add(f"left out: {plural(int((~fits).sum()), job)} that no {machine} could run")
    return jobs.where(fits)


def _fits(machines: Machines, request: FloatArray, allowed: BoolArray) -> BoolArray:
    """Whether requests fit the configurations that are allowed, shape (requests, M)."""
    most = machines.capacity * (1 + FIT_TOLERANCE)
    inside = [(request <= capacity).all(axis=1) for capacity in most]
    fits: BoolArray = np.column_stack(inside) & allowed
    return fits


def _labels(
    machines: Machines, jobs: JobTable, classes: int | None, seed: int, notes: ImportNotes
) -> IntArray:
    """Class of each job by k-means, shape (jobs,)."""
    features = _features(machines, jobs)
    label = np.empty(jobs.jobs, dtype=np.int64)
    groups = [np.flatnonzero(jobs.wants == row) for row in np.unique(jobs.wants)]
    number = 0
    of_group: list[tuple[int, float, int]] = []
    for members in groups:
        share = len(members) / jobs.jobs
        most = math.ceil(MOST_CLASSES * share)
        if classes is not None:
            most = max(1, round(classes * share))
        centres, explained = _clusters(
            features[members], 1 if classes is None else most, most, seed
        )
        label[members] = number + _nearest(features[members], centres)
        number += len(centres)
        of_group.append((len(centres), explained, len(members)))
    notes.add(_explained(of_group))
    return label


def _explained(groups: Sequence[tuple[int, float, int]]) -> str:
    """How much the classes explain, in one sentence.

    `groups`: classes, share of the variance and jobs of each group of jobs that may run on the same
    configurations.
    """
    number, jobs = sum(one[0] for one in groups), sum(one[2] for one in groups)
    told = f"{plural(number, 'class')} explain{'s' * (number == 1)} "
    what = "of the variance of requests and log durations"
    if len(groups) == 1:
        return f"{told}{percent(groups[0][1])} {what}"
    mean = sum(share * members for _, share, members in groups) / jobs
    least = min(share for _, share, _ in groups)
    return (
        f"{told}{percent(mean)} {what}, on average over {len(groups)} groups of jobs that may run "
        f"on the same configurations (at least {percent(least)})"
    )


def _features(machines: Machines, jobs: JobTable) -> FloatArray:
    share = jobs.request / _largest(machines)
    features = np.column_stack((share, np.log(np.maximum(jobs.duration, 1e-6))))
    scaled: FloatArray = (features - features.mean(axis=0)) / _scale(features)
    return scaled


def _largest(machines: Machines) -> FloatArray:
    largest = machines.capacity.max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def _scale(features: FloatArray) -> FloatArray:
    """What counts as 1 of each feature: its standard deviation, if that is more than rounding."""
    spread = features.std(axis=0)
    return np.where(spread > 1e-12 * np.abs(features).max(axis=0), spread, 1.0)


def _metric(machines: Machines, jobs: JobTable) -> tuple[float, ...]:
    """Amount of each resource that counts as 1 where classes are made."""
    largest = _largest(machines)
    return tuple((_scale(jobs.request / largest) * largest).tolist())


def _clusters(features: FloatArray, least: int, most: int, seed: int) -> tuple[FloatArray, float]:
    """Centres of the clusters, and the share of the variance that they explain."""
    try:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits  # scikit-learn brings it
    except ImportError:
        raise InputError("job classes need scikit-learn: pip install scikit-learn") from None
    sample = features
    if len(features) > MOST_CLUSTERED_JOBS:
        chosen = np.random.default_rng(seed).choice(
            len(features), MOST_CLUSTERED_JOBS, replace=False
        )
        sample = features[np.sort(chosen)]
    total = float(((sample - sample.mean(axis=0)) ** 2).sum())
    different = len(np.unique(sample, axis=0))
    for k in range(least, most + 1):
        means = KMeans(min(k, different), n_init=4, random_state=seed, algorithm="lloyd")
        step(f"grouping {plural(len(sample), 'job')} into {plural(k, 'class')}")
        # The samples are small: more threads wait for one another longer than they work.
        with threadpool_limits(1, "openmp"):
            means.fit(sample)
        explained = max(0.0, 1.0 - float(means.inertia_) / total) if total > 0 else 1.0
        if explained >= EXPLAINED_VARIANCE or k >= different:
            break
    centres: FloatArray = means.cluster_centers_
    return centres, explained


def _nearest(features: FloatArray, centres: FloatArray) -> IntArray:
    distance = [((features - centre) ** 2).sum(axis=1) for centre in centres]
    nearest: IntArray = np.argmin(distance, axis=0)
    return nearest


def _divided(machines: Machines, jobs: JobTable, label: IntArray) -> IntArray:
    """Divide the classes whose request fits no machine; class of each job, shape (jobs,).

    A mean of requests that all fit one machine fits it, too: such a class is divided by the first
    configuration that each of its jobs fits.
    """
    label = np.unique(label, return_inverse=True)[1]
    request = _mean_request(jobs, label)
    housed = np.asarray(_fits(machines, request, _allowed(jobs, label)).any(axis=1))
    first = _fits(machines, jobs.request, jobs.allowed[jobs.wants]).argmax(axis=1)
    part = np.where(housed[label], 0, first)
    divided: IntArray = np.unique(label * len(machines.names) + part, return_inverse=True)[1]
    return divided


def _allowed(jobs: JobTable, label: IntArray) -> BoolArray:
    """Where the classes may run, shape (classes, M): jobs of one class may run on the same."""
    _, first = np.unique(label, return_index=True)
    allowed: BoolArray = jobs.allowed[jobs.wants[first]]
    return allowed


def _mean_request(jobs: JobTable, label: IntArray) -> FloatArray:
    """Mean request of each class weighted by duration, shape (classes, R).

    Times the mean duration it is what the jobs hold on average. It is exact where all are equal.
    """
    least = np.full((label.max() + 1, jobs.request.shape[1]), np.inf)
    np.minimum.at(least, label, jobs.request)
    above = (jobs.request - least[label]) * jobs.duration[:, None]
    total = np.bincount(label, jobs.duration)
    mean: FloatArray = least + np.column_stack([np.bincount(label, r) / total for r in above.T])
    return mean


def _datacenter(
    name: str, machines: Machines, jobs: JobTable, label: IntArray, source: str
) -> Datacenter:
    count = np.bincount(label)
    hours = np.bincount(label, jobs.duration) / count / 3600
    return Datacenter(
        name=name,
        time_unit="h",
        resources=machines.resources,
        configurations=machines.names,
        count=machines.count,
        capacity=machines.capacity,
        classes=tuple(f"k{k + 1}" for k in range(len(count))),
        share=count / count.sum(),
        mean_time=np.where(_allowed(jobs, label), hours[:, None], np.inf),
        request=_mean_request(jobs, label),
        source=source,
        classifier=Classifier(metric=_metric(machines, jobs)),
    )


def configurations_of(
    resources: tuple[str, ...], machines: Sequence[tuple[str, tuple[float, ...]]]
) -> Machines:
    """Find the distinct configurations of single machines, the most frequent first.

    A configuration is called by its label if the label is unique, else by label and capacity.
    """
    counts: dict[tuple[str, tuple[float, ...]], int] = {}
    for machine in machines:
        counts[machine] = counts.get(machine, 0) + 1
    ranked = sorted(counts, key=lambda machine: (-counts[machine], machine))
    labels = [label for label, _ in ranked]
    names = []
    for label, capacity in ranked:
        amounts = "-".join(f"{amount:g}" for amount in capacity)
        names.append(label if label and labels.count(label) == 1 else f"{label or 'm'}-{amounts}")
    return Machines(
        resources,
        tuple(names),
        np.array([counts[machine] for machine in ranked], dtype=np.int64),
        np.array([capacity for _, capacity in ranked], dtype=float).reshape(-1, len(resources)),
    )
