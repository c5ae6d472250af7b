"""A right heuristic: every task, job by job, to the slot where it ends first."""


def heuristic(instance):
    nodes = instance["cluster"]["nodes"]
    free = {
        phase: {(n["name"], s): 0.0 for n in nodes for s in range(n[f"{phase}_slots"])}
        for phase in ("map", "reduce")
    }
    rows = []
    for job in instance["jobs"]:
        ends, ran = [], []
        for k, task in enumerate(job["map_tasks"]):
            node, slot, start, setup = place(
                free["map"], 0.0, lambda name, task=task: map_setup(instance, task, name)
            )
            end = start + setup + task["processing"]
            free["map"][node, slot] = end
            ends.append(end)
            ran.append((node, task["input_mb"]))
            rows.append(row(job, "map", k, node, slot, start))
        reduces = len(job["reduce_tasks"])
        ready = max(ends, default=0.0)
        share = job["output_ratio"] / max(reduces, 1)
        for k, task in enumerate(job["reduce_tasks"]):
            node, slot, start, setup = place(
                free["reduce"],
                ready,
                lambda name, ran=ran, share=share: sum(
                    share * size / rate(instance, at, name) for at, size in ran
                ),
            )
            free["reduce"][node, slot] = start + setup + task["processing"]
            rows.append(row(job, "reduce", k, node, slot, start))
    return rows


def place(free, ready, setup_on):
    best = None
    for (node, slot), since in free.items():
        start, setup = max(since, ready), setup_on(node)
        if best is None or start + setup < best[0]:
            best = (start + setup, node, slot, start, setup)
    return best[1:]


def row(job, phase, task, node, slot, start):
    return {
        "job": job["name"],
        "phase": phase,
        "task": task,
        "node": node,
        "slot": slot,
        "start": start,
    }


def map_setup(instance, task, node):
    if not task["input_mb"]:
        return 0.0
    return task["input_mb"] / max(rate(instance, holder, node) for holder in task["replicas"])


def rate(instance, a, b):
    rates = instance["cluster"]["rates"]
    rack = {node["name"]: node["rack"] for node in instance["cluster"]["nodes"]}
    if a == b:
        return rates["node"]
    return rates["rack"] if rack[a] == rack[b] else rates["remote"]
