"""A small valid file of every format and importer, which campaigns damage."""

import json
from pathlib import Path

from rumen_jobs import TOPOLOGY, attempt, job, map_task, read, reduce_task

TEXTS = {
    "events.json": json.dumps(
        {
            "format": "slotwise/hierarchy-events/1",
            "events": [
                {"time": 0, "arrive": ["eng/dev"]},
                {"time": 7.5, "leave": ["eng/dev"], "arrive": ["ads"]},
            ],
        }
    ),
    "hierarchy.json": json.dumps(
        {
            "format": "slotwise/hierarchy/1",
            "name": "mine",
            "capacity": {"cpu": 200, "memory": 200},
            "root": {
                "name": "root",
                "children": [
                    {
                        "name": "eng",
                        "weight": 2,
                        "children": [
                            {"name": "dev", "demand": {"cpu": 1, "memory": 2}, "tasks": 2000},
                            {"name": "test", "weight": 0.5, "demand": {"cpu": 1}},
                        ],
                    },
                    {"name": "ads", "demand": {"memory": 4}},
                ],
            },
        }
    ),
    "demands.json": json.dumps({"eng/dev": {"demand": {"cpu": 1}, "tasks": 9}}),
    "topology.json": json.dumps(TOPOLOGY),
    "swim.tsv": "".join(
        f"job{k}\t{9 * k}\t9\t{k * 10**8}\t{k * 5 * 10**7}\t{k * 10**7}\n" for k in range(6)
    ),
    "nodes.csv": (
        "sn,cpu_milli,memory_mib,gpu,model\n"
        "a,32000,65536,0,\nb,8000,16384,2,T4\nc,8000,16384,2,T4\ne,16000,32768,1,P100\n"
    ),
    "pods.csv": (
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
        "creation_time,deletion_time,scheduled_time\n"
        "p0,1000,1024,0,0,,LS,Running,50,3700,100\np1,3000,3072,0,0,,LS,Running,20,3800,200\n"
        "p2,2000,4096,1,500,T4,BE,Failed,30,7230,30\np3,2000,4096,1,500,,BE,Pending,30,,\n"
        "p4,1000,4096,1,1000,P100|T4,BE,Running,40,400,40\n"
    ),
    "pai.csv": (
        "7399a758eb02bae1a3621236,CPU,96,512,0\n75c536d5ba60528b3ef3ae40,T4,96,512,2\n"
        "6265a99de1a50cc6f1b03602,V100,96,384,8\n"
    ),
    "machines.csv": "0,5,0,HofLGzk1Or,0.5,0.25\n0,6,0,HofLGzk1Or,1,1\n0,7,0,GtXakjpd0C,0.25,0.5\n",
    "tasks.csv": (
        "600000000,,1,0,,0,u,2,9,0.1,0.05,0.001,0\n600500000,,1,0,7,1,u,2,9,0.1,0.05,0.001,0\n"
        "660500000,,1,0,7,4,u,2,9,0.1,0.05,0.001,0\n610000000,,1,1,,0,u,2,9,0.2,0.05,0.001,0\n"
        "611000000,,1,1,7,1,u,2,9,0.2,0.05,0.001,0\n620000000,,1,1,7,4,u,2,9,0.2,0.05,0.001,0\n"
        "0,2,2,0,,0,u,2,9,0.1,0.05,0.001,0\n9223372036854775807,,4,0,7,1,u,2,9,0.1,0.05,0.001,0\n"
    ),
    "fair.xml": (
        '<?xml version="1.0"?><allocations>\n'
        "<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>\n"
        '<queue name="eng"><weight>3.0</weight><minResources>1024 mb, 1 vcores</minResources>\n'
        '<queue name="dev"><maxResources>memory-mb=4096, vcores=4</maxResources></queue>\n'
        '<queue name="prod"><weight>2.0</weight><maxRunningApps>5</maxRunningApps></queue>\n'
        '</queue>\n<pool name="sci"><weight>1.0</weight></pool>\n'
        "<queuePlacementPolicy><rule name='default'/></queuePlacementPolicy>\n</allocations>\n"
    ),
    "capacity.xml": (
        "<configuration>\n"
        + "".join(
            f"<property><name>yarn.scheduler.capacity.{name}</name>"
            f"<value>{value}</value></property>\n"
            for name, value in (
                ("root.queues", "eng,sci"),
                ("root.eng.capacity", "75"),
                ("root.sci.capacity", "25"),
                ("root.eng.queues", "dev,prod"),
                ("root.eng.dev.capacity", "1w"),
                ("root.eng.prod.capacity", "2w"),
                ("root.eng.prod.maximum-capacity", "50"),
            )
        )
        + "</configuration>\n"
    ),
    "kueue.yaml": """apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: top}
spec:
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 200}, {name: memory, nominalQuota: 400m}]
---
kind: Cohort
metadata: {name: eng}
spec: {parentName: top, fairSharing: {weight: "3"}}
---
kind: ClusterQueue
metadata: {name: eng-dev}
spec:
  cohortName: eng
  fairSharing: {weight: "500m"}
  preemption: {reclaimWithinCohort: Any}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default
      resources: [{name: cpu, nominalQuota: 5, borrowingLimit: 3, lendingLimit: 1}]
---
kind: ClusterQueue
metadata: {name: sci}
spec: {cohort: top}
---
kind: ClusterQueue
metadata: {name: alone}
spec: {}
""",
}


def make(folder: Path) -> None:
    """Write a valid file of every kind to `folder`."""
    import slotwise
    from slotwise.instances.datacenter.generators import lotes
    from slotwise.instances.mapreduce.generators import hmhs, smso
    from slotwise.instances.mapreduce.generators.ljr import small

    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    trace = job(
        maps=[
            map_task(attempt("/r/h", 1, 5, **read(3, 10**6)), replicas=["r/h", "r/g"]),
            map_task(attempt("h", 1, 2, "FAILED"), replicas=["s/k"]),
        ],
        reduces=[reduce_task(attempt("/r/g", 2, 9, shuffled=6, reduceShuffleBytes=10**6))],
    )
    (folder / "trace.json").write_text(json.dumps(trace))
    plain = small(2, 2, seed=1, max_maps=2, max_reduces=2)
    slotwise.write(plain, folder / "plain.json")
    slotwise.write(
        hmhs.generate(2, seed=1, map_machines=2, reduce_machines=2, maps=(1, 2), reduces=(1, 2)),
        folder / "factors.json",
    )
    slotwise.write(
        smso.generate(
            2, 2, seed=3, gamma=0.3, outages="slots", maps_range=(1, 2), reduces_range=(1, 2)
        ),
        folder / "security.json",
    )
    history = slotwise.read_rumen(folder / "trace.json").made
    slotwise.write(history, folder / "history.json")
    result = slotwise.heuristic(plain, "EFSS")
    (folder / "result.json").write_text(json.dumps(result.document()))
    slotwise.write(result.certificate, folder / "certificate.json")
    slotwise.write_schedule(plain, result.schedule, folder / "schedule.json")
    datacenter = lotes.generate(3, 2, 2, 20, seed=1)
    slotwise.write_datacenter(datacenter, folder / "datacenter.json")
    slotwise.write_guidance(slotwise.guide(datacenter), folder / "guidance.json")
    tree = slotwise.read_hierarchy(folder / "hierarchy.json")
    allocation = slotwise.fair(tree, "exact")
    (folder / "allocation.json").write_text(json.dumps(allocation.document()))
    jobs = "arrival,duration,class,r0,r1\n" + "".join(
        f"{k},{5 + k},k{k % 3},0.1,0.05\n" for k in range(40)
    )
    (folder / "jobs.csv").write_text(jobs)
    gpu = json.loads((folder / "datacenter.json").read_text())
    gpu = json.loads(json.dumps(gpu).replace('"r0"', '"cpu"').replace('"r1"', '"memory"'))
    gpu["resources"].append("gpu")
    (folder / "gpu.json").write_text(json.dumps(gpu))
