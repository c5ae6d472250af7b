"""Small Rumen traces, built field by field."""

from slotwise.instances.mapreduce.cluster import Rates

T0 = 1_240_000_000_000
RATES = Rates(node=100, rack=50, remote=25)


def attempt(host, start, finish, result="SUCCESS", **fields):
    """Times in s after T0; None is unknown."""
    ms = {"startTime": start, "finishTime": finish, "shuffleFinished": fields.pop("shuffled", None)}
    times = {key: -1 if s is None else T0 + round(1000 * s) for key, s in ms.items()}
    return {"result": result, "hostName": host, "location": None, **times, **fields}


def read(mb, output=-1):
    return {"hdfsBytesRead": round(mb * 10**6), "mapOutputBytes": output}


def map_task(*attempts, replicas=(), **fields):
    layers = [{"layers": place.split("/")} for place in replicas]
    return {"taskType": "MAP", "preferredLocations": layers, "attempts": list(attempts), **fields}


def reduce_task(*attempts, **fields):
    return {"taskType": "REDUCE", "preferredLocations": [], "attempts": list(attempts), **fields}


def job(number=1, maps=(), reduces=(), submit=0.0, finish=100.0, **fields):
    for kind, tasks in (("m", maps), ("r", reduces)):
        for k, task in enumerate(tasks):
            task.setdefault("taskID", f"task_{number}_{kind}_{k:06}")
    return {
        "jobID": f"job_{number}",
        "outcome": "SUCCESS",
        "submitTime": T0 + round(1000 * submit),
        "finishTime": T0 + round(1000 * finish),
        "mapTasks": list(maps),
        "reduceTasks": list(reduces),
        "otherTasks": [],
        **fields,
    }


TOPOLOGY = {
    "name": "<root>",
    "children": [
        {
            "name": "10\\.0\\.1",
            "children": [
                {"name": "h1\\.example", "children": None},
                {"name": "h2\\.example", "children": None},
            ],
        },
        {"name": "10\\.0\\.2", "children": [{"name": "h3\\.example", "children": None}]},
    ],
}
H1, H2, H3 = "10.0.1/h1.example", "10.0.1/h2.example", "10.0.2/h3.example"
