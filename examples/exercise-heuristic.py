"""Exercise `heuristic`: write a schedule, one row for each task.

    slotwise grade FILE --exercise heuristic

`instance` is a slotwise/mapreduce/1 document as plain data:

    instance["cluster"]["nodes"]   name, rack, map_slots, reduce_slots
    instance["cluster"]["rates"]   MB/s: node (same node), rack (same rack), remote
    instance["jobs"]               name, output_ratio, map_tasks, reduce_tasks
    a map task                     processing (s), input_mb, replicas (names of nodes)
    a reduce task                  processing (s)

A task takes its setup and then its processing. A map task reads its input at the best rate to a
replica. A reduce task reads its share of the output of every map task of its job from where that
ran, and starts after all of them have ended. A slot runs one task at a time.

What is here is right and as slow as can be: everything on one slot. Do better.
"""


def heuristic(instance):
    nodes = instance["cluster"]["nodes"]
    rows, now = [], 0.0
    for phase in ("map", "reduce"):
        node = next((n["name"] for n in nodes if n[f"{phase}_slots"]), None)
        for job in instance["jobs"]:
            for task, data in enumerate(job[f"{phase}_tasks"]):
                rows.append(
                    {
                        "job": job["name"],
                        "phase": phase,
                        "task": task,
                        "node": node,
                        "slot": 0,  # counts from 0 on each node, maps and reduces apart
                        "start": now,
                    }
                )
                now += longest_setup(instance, job, data) + data["processing"]
    return rows


def longest_setup(instance, job, task):
    """No setup takes longer than reading everything at the slowest rate (s)."""
    slowest = min(instance["cluster"]["rates"].values())
    if "input_mb" in task:
        return task["input_mb"] / slowest
    output = sum(job["output_ratio"] * t["input_mb"] for t in job["map_tasks"])
    return output / len(job["reduce_tasks"]) / slowest
