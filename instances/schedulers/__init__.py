"""Fair-share trees of real schedulers: readers of their files, and writers."""

from __future__ import annotations

from ..registry import Entry, Registry

READERS: tuple[Entry, ...] = (
    Entry(
        "yarn",
        "instances.schedulers.yarn_fair:read_yarn_fair",
        "Apache Hadoop YARN Fair Scheduler: fair-scheduler.xml",
        "queues and weights",
    ),
    Entry(
        "yarn-capacity",
        "instances.schedulers.yarn_capacity:read_yarn_capacity",
        "Apache Hadoop YARN Capacity Scheduler: capacity-scheduler.xml",
        "queues and weights, or percentages",
    ),
    Entry(
        "kueue",
        "instances.schedulers.kueue:read_kueue",
        "Kueue: Cohort and ClusterQueue manifests",
        "cohorts, cluster queues, weights and quotas",
    ),
    Entry(
        "slurm",
        "instances.schedulers.slurm:read_slurm",
        "Slurm: sacctmgr dump",
        "accounts, users and shares",
    ),
)

WRITERS = Registry(
    "scheduler",
    "slotwise.exporters",
    (
        Entry(
            "kueue",
            "instances.schedulers.kueue:kueue_manifests",
            "Kueue v1beta2",
            "a Cohort per group, a ClusterQueue per leaf, all quota on the root",
        ),
        Entry(
            "slurm",
            "instances.schedulers.slurm:slurm_accounts",
            "Slurm: sacctmgr load",
            "an account per group and leaf, whole shares",
        ),
        Entry(
            "yarn",
            "instances.schedulers.yarn_fair:yarn_fair_queues",
            "Apache Hadoop YARN Fair Scheduler",
            "fair-scheduler.xml",
        ),
        Entry(
            "yarn-capacity",
            "instances.schedulers.yarn_capacity:yarn_capacity_queues",
            "Apache Hadoop YARN Capacity Scheduler, weight mode",
            "capacity-scheduler.xml",
        ),
        Entry(
            "volcano",
            "instances.schedulers.volcano:volcano_queues",
            "Volcano, plugin drf with enableHierarchy; flat: plugin proportion",
            "a Queue per leaf",
        ),
    ),
)
