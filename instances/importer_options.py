"""Parameters and units that several importers have."""

from __future__ import annotations

from ..core.parameters import Description, described

BYTES_PER_MB = 1e6

RATES = described(
    "MB/s on a node, within a rack and between racks.",
    parts=(
        ("node", Description("MB/s on a node.", option="node-rate")),
        ("rack", Description("MB/s within a rack.", option="rack-rate")),
        ("remote", Description("MB/s between racks.", option="remote-rate")),
    ),
)
INSTANCE_NAME = described("Name of the instance.")
DATACENTER_NAME = described("Name of the datacenter.")
CLASSES = described("Job classes; default: as many as the jobs need.", least=1)
WINDOW = described("Only jobs that arrive in this time, s.", metavar="FROM TO")
CLUSTERING_SEED = described("Seed of the clustering.", least=0)
