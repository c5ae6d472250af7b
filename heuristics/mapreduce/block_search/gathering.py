"""What the reduce phase saves if a job's map output lies where the job's reduce tasks run.

With the reduce tasks on their slots, all that they read is linear in the nodes of the map tasks.
"""

from __future__ import annotations

import numpy as np

from ....core.arrays import FloatArray, IntArray
from .scaled_instance import BlockProblem


def saved_reading(problem: BlockProblem, group: IntArray, reduce_node: IntArray) -> FloatArray:
    """Reading that a data unit of each job's map output on each node saves.

    `problem`: the instance in integer time units.
    `group`, `reduce_node`: number of the job, in any order of the jobs, and node of each reduce
    task, shape (reduce tasks,).
    Returns time units that the job's reduce tasks together spend less than if the unit lay in a
    rack without any of them; shape (jobs, nodes).
    """
    near, rack, far = problem.rates
    on_node = np.zeros((len(problem.longest), len(problem.rack_of)))
    np.add.at(on_node, (group, reduce_node), 1.0)
    inside = np.zeros((len(on_node), len(problem.rack_begin) - 1))
    np.add.at(inside.T, problem.rack_of, on_node.T)
    inside *= far - rack
    on_node *= rack - near
    on_node += inside[:, problem.rack_of]
    return on_node
