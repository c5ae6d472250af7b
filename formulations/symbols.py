"""Symbols that several statements share, where they mean the same."""

from .mathematics import Component, Index, Symbol

JOB, MAP_SLOT, REDUCE_SLOT = Index.JOB, Index.MAP_SLOT, Index.REDUCE_SLOT

SEVERAL_JOBS = Symbol("J", "jobs i, j, u")
SLOTS = Symbol("Q_m, Q_r", "map slots k, reduce slots l, numbered node by node")
FIXED_PAIRS = Symbol(
    "E", "pairs (i, j), job i fixed before j: jobs without maps first, without reduces last"
)
HEAD_AND_TAIL = Symbol(
    "h_i, q_i",
    "head and tail: what the map tasks, the reduce tasks, of job i alone take at least (s)",
)
GREATEST_HEAD_AND_TAIL = Symbol(
    "h, q",
    "greatest head of a job with reduce tasks, greatest tail of one with map tasks (s)",
)
HORIZON = Symbol("H", "horizon: makespan of a known schedule, or of all work in sequence (s)")
MAKESPAN = Symbol("C", "makespan (s)", (Component("makespan"),), "0 \\le C \\le H")
BEFORE = Symbol(
    "\\pi_{ij}",
    "1 if job i precedes job j, for i < j",
    (Component("before", (JOB, JOB)),),
    "binary",
)
MAP_COMPLETION = Symbol(
    "\\theta_i",
    "when the map phase of job i is over, and that of all jobs before it (s)",
    (Component("map_completion", (JOB,)),),
    "0 \\le \\theta_i \\le H",
)
FIRST_JOB = Symbol(
    "f_{il}",
    "1 if job i is the first on reduce slot l",
    (Component("first_job", (JOB, REDUCE_SLOT)),),
    "0 \\le f_{il} \\le 1",
)
LAST_JOB = Symbol(
    "z_{ik}",
    "1 if job i is the last on map slot k",
    (Component("last_job", (JOB, MAP_SLOT)),),
    "0 \\le z_{ik} \\le 1",
)
PRECEDES = Symbol(
    "\\pi_{ij} = 1 - \\pi_{ji}",
    "for i > j, where there is no variable: 1 if job i precedes job j",
    (Component("precedes", (JOB, JOB)),),
)
JOBS = Symbol("J", "jobs i")
READ_SECONDS = Symbol(
    "\\tau_{kl}",
    "time in which slot l reads from the node of map slot k (s/MB); with security 1 / "
    "transfer rate from every node",
)
LONGEST_READ = Symbol(
    "R_{il}", "longest read time of job i on slot l: all outputs at the slowest rate (s)"
)
CONFIGURATIONS = Symbol("M", "machine configurations j")
CLASSES = Symbol("K", "job classes k")
MACHINES = Symbol("n_j", "machines of configuration j")
ARRIVAL_SHARE = Symbol("\\alpha_k", "share of class k in all arrivals")
SERVICE_RATE = Symbol(
    "\\mu_{jk}",
    "rate at which a job of class k is served on configuration j, 1 / mean time; 0 if it "
    "cannot run there",
)
ARRIVAL_RATE = Symbol(
    "\\lambda",
    "arrival rate (jobs per time unit)",
    (Component("arrival_rate"),),
    "\\lambda \\ge 0",
)
