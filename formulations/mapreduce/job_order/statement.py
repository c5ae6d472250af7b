"""The job-order model in mathematics; docs/formulations/job-order.md has the proofs."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import (
    BEFORE,
    FIRST_JOB,
    FIXED_PAIRS,
    HORIZON,
    LAST_JOB,
    LONGEST_READ,
    MAKESPAN,
    MAP_COMPLETION,
    PRECEDES,
    READ_SECONDS,
    SEVERAL_JOBS,
    SLOTS,
)

JOB, MAP_TASK, REDUCE_TASK = Index.JOB, Index.MAP_TASK, Index.REDUCE_TASK
MAP_SLOT, REDUCE_SLOT = Index.MAP_SLOT, Index.REDUCE_SLOT

STATEMENT = Formulation(
    name="job-order",
    source="slotwise, on the problem of LJR section 2",
    summary=(
        "Assignment variables and one order of the jobs, which every map slot and every reduce "
        "slot follows. The makespan is a longest path through assignments and order."
    ),
    sets=(
        SEVERAL_JOBS,
        Symbol("V^m_i, V^r_i", "map tasks t and reduce tasks v of job i"),
        Symbol("T_m, T_r", "all map tasks, all reduce tasks"),
        SLOTS,
        Symbol(
            "Q'_m, Q'_r",
            "slots whose predecessor in number is on the same node, as fast for every task and "
            "open to the same tasks",
        ),
        FIXED_PAIRS,
        Symbol(
            "F", "sets S of jobs: all pairs and J itself, triples up to 12 jobs, all sets up to 6"
        ),
    ),
    parameters=(
        Symbol(
            "a_{tk}",
            "setup and processing time of map task t on slot k (s); with security the setup is 0 "
            "where its data is, else input / transfer rate, plus input / encryption rate if the "
            "level asks for encryption",
        ),
        Symbol("p_{vl}", "processing time of reduce task v on slot l (s)"),
        Symbol("d_t", "output of map task t for each single reduce task of its job (MB)"),
        READ_SECONDS,
        Symbol("r_i", "read time of a reduce task of job i if all is local (s)"),
        Symbol(
            "a_t, b_v",
            "least time of a task: min over the k it may run on of its time there, min over l of "
            "p_vl plus r (s)",
        ),
        Symbol(
            "A^{\\min}_i, B^{\\min}_i",
            "least map and reduce work of job i: sum of its tasks' least times (s)",
        ),
        Symbol(
            "A^{\\max}_{ik}, B^{\\max}_{il}", "all work of job i on one slot, slowest reads (s)"
        ),
        Symbol(
            "h_i, q_i", "head and tail: least time of job i's map phase, of its reduce phase (s)"
        ),
        Symbol(
            "h(S), q(S)",
            "least makespan of the map tasks, of the reduce tasks, of the jobs in S alone, each "
            "task at its least time on any slot (s)",
        ),
        HORIZON,
        LONGEST_READ,
        Symbol("M_{ik} = \\min(A^{\\max}_{ik}, H - q_i)", "most map work of job i on slot k (s)"),
        Symbol(
            "N_{il} = \\min(B^{\\max}_{il}, H - h_i)", "most reduce work of job i on slot l (s)"
        ),
    ),
    variables=(
        MAKESPAN,
        Symbol(
            "x_{tk}",
            "1 if map task t is on slot k",
            (Component("on_map", (MAP_TASK, MAP_SLOT)),),
            "binary",
        ),
        Symbol(
            "y_{vl}",
            "1 if reduce task v is on slot l",
            (Component("on_reduce", (REDUCE_TASK, REDUCE_SLOT)),),
            "binary",
        ),
        BEFORE,
        MAP_COMPLETION,
        Symbol(
            "\\rho_{vl}",
            "time that reduce task v reads if it is on slot l, else 0 (s)",
            (Component("read", (REDUCE_TASK, REDUCE_SLOT)),),
            "0 \\le \\rho_{vl} \\le H",
        ),
        Symbol(
            "\\alpha_{jik}",
            "work of job j on map slot k if j precedes i, else 0 (s)",
            (Component("map_work_before", (JOB, JOB, MAP_SLOT)),),
            "0 \\le \\alpha_{jik} \\le H",
        ),
        Symbol(
            "\\omega_{jil}",
            "work of job j on reduce slot l if j follows i, else 0 (s)",
            (Component("reduce_work_after", (JOB, JOB, REDUCE_SLOT)),),
            "0 \\le \\omega_{jil} \\le H",
        ),
        FIRST_JOB,
        LAST_JOB,
    ),
    abbreviations=(
        PRECEDES,
        Symbol(
            "A_{ik} = \\sum_{t \\in V^m_i} a_{tk} \\, x_{tk}",
            "work of job i on map slot k (s)",
            (Component("map_work", (JOB, MAP_SLOT)),),
        ),
        Symbol(
            "B_{il} = \\sum_{v \\in V^r_i} (p_{vl} \\, y_{vl} + \\rho_{vl})",
            "work of job i on reduce slot l (s)",
            (Component("reduce_work", (JOB, REDUCE_SLOT)),),
        ),
    ),
    objective=Statement("J0", "\\min \\, C", "", "The makespan is as short as possible."),
    statements=(
        Statement(
            "J1",
            "\\sum_{k \\in Q_m} x_{tk} = 1",
            "t \\in T_m",
            "Every map task runs on exactly one slot; x is 0 where its priority forbids the slot "
            "or the slot is lost.",
            (Component("J1_map_task_on_one_slot", (MAP_TASK,)),),
        ),
        Statement(
            "J2",
            "\\sum_{l \\in Q_r} y_{vl} = 1",
            "v \\in T_r",
            "Every reduce task runs on exactly one slot; y is 0 where the slot is lost.",
            (Component("J2_reduce_task_on_one_slot", (REDUCE_TASK,)),),
        ),
        Statement(
            "J3",
            "x_{tk} \\le \\sum_{s \\in T_m, s < t} x_{s,k-1}",
            "t \\in T_m, \\, k \\in Q'_m",
            "Slots of a node are alike: a task is on one only if a task of lower number is on the "
            "slot before.",
            (Component("J3_map_slot_symmetry", (MAP_TASK, MAP_SLOT)),),
        ),
        Statement(
            "J4",
            "y_{vl} \\le \\sum_{s \\in T_r, s < v} y_{s,l-1}",
            "v \\in T_r, \\, l \\in Q'_r",
            "The same for reduce slots.",
            (Component("J4_reduce_slot_symmetry", (REDUCE_TASK, REDUCE_SLOT)),),
        ),
        Statement(
            "J5",
            "\\pi_{ij} + \\pi_{ju} + \\pi_{ui} \\le 2",
            "i, j, u \\in J, \\, i < j, \\, i < u, \\, j \\ne u",
            "The order has no cycle of three jobs, hence none at all.",
            (Component("J5_no_cycle", (JOB, JOB, JOB)),),
        ),
        Statement(
            "J6",
            "\\pi_{ij} = 1",
            "(i, j) \\in E",
            "Jobs without map tasks go first, jobs without reduce tasks last.",
            (Component("J6_fixed_order", (JOB, JOB)),),
        ),
        Statement(
            "J7",
            "\\rho_{vl} \\ge \\sum_{t \\in V^m_i} \\sum_{k \\in Q_m} \\tau_{kl} \\, d_t \\, x_{tk} "
            "- R_{il} \\, (1 - y_{vl})",
            "i \\in J, \\, r_i > 0, \\, v \\in V^r_i, \\, l \\in Q_r",
            "A reduce task reads its share of every map output of its job, at the rate between the "
            "two nodes (LJR section 4.4).",
            (Component("J7_read", (REDUCE_TASK, REDUCE_SLOT)),),
        ),
        Statement(
            "J8",
            "\\rho_{vl} \\ge r_i \\, y_{vl}",
            "i \\in J, \\, r_i > 0, \\, v \\in V^r_i, \\, l \\in Q_r",
            "No read is shorter than an all-local one.",
            (Component("J8_local_read", (REDUCE_TASK, REDUCE_SLOT)),),
        ),
        Statement(
            "J9",
            "\\alpha_{jik} \\ge A_{jk} - M_{jk} \\, (1 - \\pi_{ji})",
            "i, j \\in J, \\, i \\ne j, \\, k \\in Q_m",
            "If job j precedes job i, its work on map slot k comes before i is over.",
            (Component("J9_map_work_before", (JOB, JOB, MAP_SLOT)),),
        ),
        Statement(
            "J10",
            "\\theta_i \\ge A_{ik} + \\sum_{j \\ne i} \\alpha_{jik}",
            "i \\in J, \\, k \\in Q_m",
            "A job's map phase is over when every map slot has worked off the jobs up to it.",
            (Component("J10_map_completion", (JOB, MAP_SLOT)),),
        ),
        Statement(
            "J10b",
            "C \\ge \\theta_i",
            "i \\in J",
            "No map phase ends after the makespan.",
            (Component("J10b_makespan", (JOB,)),),
        ),
        Statement(
            "J11",
            "\\omega_{jil} \\ge B_{jl} - N_{jl} \\, (1 - \\pi_{ij})",
            "i, j \\in J, \\, i \\ne j, \\, l \\in Q_r",
            "If job j follows job i, its work on reduce slot l comes after i's map phase.",
            (Component("J11_reduce_work_after", (JOB, JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "J12",
            "C \\ge \\theta_i + B_{il} + \\sum_{j \\ne i} \\omega_{jil}",
            "i \\in J, \\, l \\in Q_r",
            "After a job's map phase every reduce slot still has that job and all later to do.",
            (Component("J12_makespan", (JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "J13",
            "\\sum_{k \\in Q_m} \\alpha_{jik} \\ge A^{\\min}_j \\, \\pi_{ji}",
            "i, j \\in J, \\, i \\ne j",
            "Cut (area): a job that precedes i leaves at least its least work before i.",
            (Component("J13_map_area", (JOB, JOB)),),
        ),
        Statement(
            "J13",
            "\\sum_{l \\in Q_r} \\omega_{jil} \\ge B^{\\min}_j \\, \\pi_{ij}",
            "i, j \\in J, \\, i \\ne j",
            "Cut (area): a job that follows i leaves at least its least reduce work after i.",
            (Component("J13_reduce_area", (JOB, JOB)),),
        ),
        Statement(
            "J14",
            "\\sum_{i \\in J} f_{il} \\ge y_{vl}",
            "v \\in T_r, \\, l \\in Q_r",
            "Cut (heads): a reduce slot in use has a first job,",
            (Component("J14_some_first_job", (REDUCE_TASK, REDUCE_SLOT)),),
        ),
        Statement(
            "J14",
            "f_{il} \\le \\sum_{v \\in V^r_i} y_{vl}",
            "i \\in J, \\, l \\in Q_r",
            "which has a task there,",
            (Component("J14_first_job_is_there", (JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "J14",
            "C \\ge \\sum_{i \\in J} (h_i \\, f_{il} + B_{il})",
            "l \\in Q_r",
            "and for whose head the slot idles before its work.",
            (Component("J14_reduce_slot_makespan", (REDUCE_SLOT,)),),
        ),
        Statement(
            "J15",
            "\\sum_{i \\in J} z_{ik} \\ge x_{tk}",
            "t \\in T_m, \\, k \\in Q_m",
            "Cut (heads): a map slot in use has a last job,",
            (Component("J15_some_last_job", (MAP_TASK, MAP_SLOT)),),
        ),
        Statement(
            "J15",
            "z_{ik} \\le \\sum_{t \\in V^m_i} x_{tk}",
            "i \\in J, \\, k \\in Q_m",
            "which has a task there,",
            (Component("J15_last_job_is_there", (JOB, MAP_SLOT)),),
        ),
        Statement(
            "J15",
            "C \\ge \\sum_{i \\in J} (q_i \\, z_{ik} + A_{ik})",
            "k \\in Q_m",
            "and whose tail is still to come when the slot's work is done.",
            (Component("J15_map_slot_makespan", (MAP_SLOT,)),),
        ),
        Statement(
            "J16",
            "\\sum_{v \\in T_r} b_v \\, y_{vl} \\le H - \\min_{i: V^r_i \\ne \\emptyset} h_i",
            "l \\in Q_r",
            "Cut (horizon): the work of a reduce slot fits between the least head and the horizon.",
            (Component("J16_reduce_knapsack", (REDUCE_SLOT,)),),
        ),
        Statement(
            "J16",
            "\\sum_{t \\in T_m} a_{tk} \\, x_{tk} \\le H - \\min_{i: V^m_i \\ne \\emptyset} q_i",
            "k \\in Q_m",
            "Cut (horizon): the work of a map slot fits before the least tail.",
            (Component("J16_map_knapsack", (MAP_SLOT,)),),
        ),
        Statement(
            "J17",
            "\\theta_i \\ge \\sum_{k \\in Q_m} a_{tk} \\, x_{tk}",
            "i \\in J, \\, t \\in V^m_i",
            "Cut (spans): a map phase lasts as long as each of its tasks where that task is.",
            (Component("J17_map_task", (MAP_TASK,)),),
        ),
        Statement(
            "J17",
            "C \\ge \\theta_i + \\sum_{l \\in Q_r} (p_{vl} \\, y_{vl} + \\rho_{vl})",
            "i \\in J, \\, v \\in V^r_i",
            "Cut (spans): after a job's map phase each of its reduce tasks is still to come.",
            (Component("J17_reduce_task", (REDUCE_TASK,)),),
        ),
        Statement(
            "J18",
            "\\theta_i \\ge h_i",
            "i \\in J",
            "Cut (spans): a map phase lasts as long as its work spread over all slots.",
            (Component("J18_head", (JOB,)),),
        ),
        Statement(
            "J18",
            "C \\ge \\theta_i + q_i",
            "i \\in J",
            "Cut (spans): after a job's map phase its reduce work, spread over all slots, is still "
            "to come.",
            (Component("J18_tail", (JOB,)),),
        ),
        Statement(
            "J19",
            "\\theta_i \\ge h(S) - (h(S) - h_i) \\, \\sum_{j \\in S, j \\ne i} (1 - \\pi_{ji})",
            "S \\in F, \\, i \\in S",
            "Cut (sets): if job i is the last of a set, its map phase ends no sooner than the set "
            "alone could end its maps.",
            (Component("J19_map_set", (Index.ROW,)),),
        ),
        Statement(
            "J19",
            "C \\ge \\theta_i + q(S) - (q(S) - q_i) \\, \\sum_{j \\in S, j \\ne i} (1 - \\pi_{ij})",
            "S \\in F, \\, i \\in S",
            "Cut (sets): if job i is the first of a set, all reduces of the set come after its map "
            "phase.",
            (Component("J19_reduce_set", (Index.ROW,)),),
        ),
    ),
)
