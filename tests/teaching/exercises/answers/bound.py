"""A right bound: LB1, corrected. Slots wait on average for the least heads of their jobs."""


def bound(instance):
    nodes, fastest = instance["cluster"]["nodes"], instance["cluster"]["rates"]["node"]
    maps, reduces = [], []
    for number, job in enumerate(instance["jobs"]):
        reads = [task["input_mb"] / fastest for task in job["map_tasks"]]
        for task, read in zip(job["map_tasks"], reads, strict=True):
            maps.append((number, task["processing"] + read))
        share = job["output_ratio"] * sum(reads) / max(len(job["reduce_tasks"]), 1)
        reduces += [(number, task["processing"] + share) for task in job["reduce_tasks"]]
    map_slots = sum(node["map_slots"] for node in nodes)
    reduce_slots = sum(node["reduce_slots"] for node in nodes)
    return max(side(maps, map_slots, reduces), side(reduces, reduce_slots, maps))


def side(tasks, slots, others):
    """The slots wait, then they work."""
    if not tasks:
        return 0.0
    waits = sorted(waiting(tasks, others))
    return (sum(waits[:slots]) + sum(length for _, length in tasks)) / slots


def waiting(tasks, others):
    """For each task the longest task of the other phase of its job."""
    return [max([length for job, length in others if job == own], default=0.0) for own, _ in tasks]
