"""Fixtures of the tests of Rumen traces."""

import json

import pytest
from rumen_jobs import RATES, TOPOLOGY

from slotwise.instances.mapreduce.importers.rumen import read_rumen


@pytest.fixture
def topology(tmp_path):
    path = tmp_path / "topology.json"
    path.write_text(json.dumps(TOPOLOGY))
    return path


@pytest.fixture
def load(tmp_path):
    """Write jobs as Rumen does and import them; gives the instance and its notes as one text."""

    def load(*jobs, topology=None, **options):
        path = tmp_path / "small.trace.json"
        path.write_text("\n".join(json.dumps(job, indent=2) for job in jobs))
        imported = read_rumen(path, topology, **{"rates": RATES} | options)
        instance, notes = imported.made, imported.notes
        return instance, "\n".join(notes)

    return load
