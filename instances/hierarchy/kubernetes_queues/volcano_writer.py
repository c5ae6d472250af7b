"""Volcano's queues: hierarchical by the plugin drf, or flat by the plugin proportion."""

from __future__ import annotations

from typing import Any

from ....core.wording import percent
from ...kubernetes import API_NAMES, documents_text
from ..hierarchy import Hierarchy
from ..schedulers.not_written import QUOTAS, not_written, refuse_weight_0
from ..schedulers.queue_tree import kubernetes_names
from ..schedulers.weights import weights_from_one, whole_weights

MOST_WEIGHT = 65535


def volcano_queues(hierarchy: Hierarchy) -> tuple[str, list[str]]:
    """A Queue per leaf.

    A tree becomes the annotations of plugin drf with `enableHierarchy`, where no weight counts less
    than 1; leaves right under the root become weights of plugin proportion.

    Parameters
    ----------
    hierarchy
        Queues and weights.

    Returns
    -------
    str
        The file.
    list of str
        Notes for the operator, one sentence each.

    Raises
    ------
    InputError
        Two names collide.
    """
    refuse_weight_0(hierarchy, "Volcano")
    names = kubernetes_names(hierarchy.paths)
    flat = hierarchy.depth <= 1
    rounded = whole_weights(hierarchy, MOST_WEIGHT) if flat else weights_from_one(hierarchy)
    paths = hierarchy.node_paths
    documents: list[dict[str, Any]] = []
    for name, n in zip(names, hierarchy.leaf.tolist(), strict=True):
        metadata: dict[str, Any] = {"name": name}
        if not flat:
            weights = []
            above = n
            while above:
                weights.append(f"{rounded.weight[above]:g}")
                above = int(hierarchy.parent[above])
            metadata["annotations"] = {
                "volcano.sh/hierarchy": f"root/{paths[n]}",
                "volcano.sh/hierarchy-weights": "/".join(["1", *reversed(weights)]),
            }
        spec = {"weight": int(rounded.weight[n]) if flat else 1, "reclaimable": True}
        documents.append(
            {
                "apiVersion": API_NAMES["volcano"],
                "kind": "Queue",
                "metadata": metadata,
                "spec": spec,
            }
        )
    if flat:
        notes = ["enable the plugin proportion"]
    else:
        notes = [
            "enable the plugin drf with enableHierarchy: true, without proportion in its tier",
            "annotate the queue default too: jobs of a queue without annotation sit under the root",
        ]
    notes.append(f"the weights change no leaf's share by more than {percent(rounded.error)}")
    return documents_text(documents), notes + not_written(hierarchy, QUOTAS)
