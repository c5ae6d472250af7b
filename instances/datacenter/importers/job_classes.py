"""Job classes of a trace by k-means on requests and durations ([LoTES], section 5.1)."""

from __future__ import annotations

import math
from collections import Counter
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
from ..job_file import JobTable

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
    labels: tuple[str, ...] = ()
    """Of which names are made, such as models; of each configuration."""


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
    words: tuple[str, str, str] = ("task", "machine", "submitted"),
    window: tuple[float, float] | None = None,
) -> JobTable:
    """The jobs that some machine could run, and that arrive in the window.

    `words`: what a job and a machine are called, and how jobs arrive.
    """
    job, machine, arrive = words
    fits = np.asarray(_fits(machines, jobs.request, jobs.allowed[jobs.wants]).any(axis=1))
    if not fits.all():
        notes.add(f"left out: {plural(int((~fits).sum()), job)} that no {machine} could run")
    jobs = jobs.where(fits)
    if window is not None:
        jobs = jobs.within(*window)
        notes.add(f"{plural(jobs.jobs, job)} {arrive} from {window[0]:g} to {window[1]:g} s")
    return jobs


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
    features = np.column_stack(
        (jobs.request / _largest(machines), np.log(np.maximum(jobs.duration, 1e-6)))
    )
    features = (features - features.mean(axis=0)) / _scale(features)
    label = np.empty(jobs.jobs, dtype=np.int64)
    groups = [np.flatnonzero(jobs.wants == row) for row in np.unique(jobs.wants)]
    number, shares = 0, []
    for members in groups:
        part = len(members) / jobs.jobs
        least, most = 1, math.ceil(MOST_CLASSES * part)
        if classes is not None:
            least = most = max(1, round(classes * part))
        centres, explained = _clusters(features[members], least, most, seed)
        distance = [((features[members] - centre) ** 2).sum(axis=1) for centre in centres]
        label[members] = number + np.argmin(distance, axis=0)
        number += len(centres)
        shares.append(explained)
    told = f"{plural(number, 'class')} explain{'s' * (number == 1)} "
    what = "of the variance of requests and log durations"
    if len(groups) == 1:
        notes.add(f"{told}{percent(shares[0])} {what}")
        return label
    mean = sum(share * len(members) for share, members in zip(shares, groups, strict=True))
    notes.add(
        f"{told}{percent(mean / jobs.jobs)} {what}, on average over {len(groups)} groups of jobs "
        f"that may run on the same configurations (at least {percent(min(shares))})"
    )
    return label


def _largest(machines: Machines) -> FloatArray:
    largest = machines.capacity.max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def _scale(features: FloatArray) -> FloatArray:
    """What counts as 1 of each feature: its standard deviation, if that is more than rounding."""
    spread = features.std(axis=0)
    return np.where(spread > 1e-12 * np.abs(features).max(axis=0), spread, 1.0)


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
    largest = _largest(machines)
    # The amount of each resource that counts as 1 where classes are made.
    metric = tuple((_scale(jobs.request / largest) * largest).tolist())
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
        classifier=Classifier(metric=metric),
    )


def configurations_of(
    resources: tuple[str, ...], machines: Sequence[tuple[str, tuple[float, ...]]]
) -> Machines:
    """Find the distinct configurations of single machines, the most frequent first.

    A configuration is called by its label if the label is unique, else by label and capacity.
    """
    counts = Counter(machines)
    ranked = sorted(counts, key=lambda machine: (-counts[machine], machine))
    labels = Counter(label for label, _ in ranked)
    names = []
    for label, capacity in ranked:
        amounts = "-".join(f"{amount:g}" for amount in capacity)
        names.append(label if label and labels[label] == 1 else f"{label or 'm'}-{amounts}")
    return Machines(
        resources,
        tuple(names),
        np.array([counts[machine] for machine in ranked], dtype=np.int64),
        np.array([capacity for _, capacity in ranked], dtype=float).reshape(-1, len(resources)),
        tuple(label for label, _ in ranked),
    )
