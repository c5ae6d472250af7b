"""The program for unrelated machines; proofs: docs/formulations/unrelated-machines.md."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import FIRST_JOB, GREATEST_HEAD_AND_TAIL, HEAD_AND_TAIL, JOBS, LAST_JOB, SLOTS

JOB, MAP_SLOT, REDUCE_SLOT, ROW = Index.JOB, Index.MAP_SLOT, Index.REDUCE_SLOT, Index.ROW

STATEMENT = Formulation(
    name="unrelated-machines",
    source="slotwise, a relaxation of the problem of HMHS section 2",
    summary=(
        "A linear program whose optimum is a lower bound of the makespan: the work of every job is "
        "spread over the slots, each of which is fast for some jobs and slow for others, and every "
        "slot waits for its first job or is followed by the reduce tasks of its last."
    ),
    sets=(
        JOBS,
        Symbol("J_m, J_r", "jobs with map tasks, with reduce tasks"),
        SLOTS,
    ),
    parameters=(
        Symbol("a_{ik}, b_{il}", "processing time of all map, reduce tasks of job i there (s)"),
        Symbol("S, R", "sum over the map, reduce tasks of the least setup of each (s)"),
        Symbol(
            "m_i, r_i",
            "processing time of all map, reduce tasks of job i as multiples of its shortest one",
        ),
        HEAD_AND_TAIL,
        GREATEST_HEAD_AND_TAIL,
    ),
    variables=(
        Symbol("C", "makespan (s)", (Component("makespan"),), "0 \\le C"),
        Symbol(
            "x_{ik}",
            "share of job i's map processing on slot k; at most what a horizon allows",
            (Component("map_share", (JOB, MAP_SLOT)),),
            "0 \\le x_{ik} \\le 1",
        ),
        Symbol(
            "y_{il}",
            "share of job i's reduce processing on slot l; at most what a horizon allows",
            (Component("reduce_share", (JOB, REDUCE_SLOT)),),
            "0 \\le y_{il} \\le 1",
        ),
        Symbol(
            "s_k", "setups on map slot k (s)", (Component("map_setup", (MAP_SLOT,)),), "0 \\le s_k"
        ),
        Symbol(
            "\\rho_l",
            "setups on reduce slot l (s)",
            (Component("reduce_setup", (REDUCE_SLOT,)),),
            "0 \\le \\rho_l",
        ),
        FIRST_JOB,
        LAST_JOB,
    ),
    abbreviations=(),
    objective=Statement("U0", "\\min \\, C", "", "The bound is the least such makespan."),
    statements=(
        Statement(
            "U1",
            "\\sum_{k \\in Q_m} x_{ik} = 1",
            "i \\in J_m",
            "The map tasks of a job are spread over the map slots,",
            (Component("U1_map_spread", (JOB,)),),
        ),
        Statement(
            "U1",
            "\\sum_{k \\in Q_m} s_k \\ge S",
            "J_m \\ne \\emptyset",
            "with all their setups,",
            (Component("U1_map_setups", (ROW,)),),
        ),
        Statement(
            "U1",
            "\\sum_{l \\in Q_r} y_{il} = 1",
            "i \\in J_r",
            "the reduce tasks over the reduce slots,",
            (Component("U1_reduce_spread", (JOB,)),),
        ),
        Statement(
            "U1",
            "\\sum_{l \\in Q_r} \\rho_l \\ge R",
            "J_r \\ne \\emptyset",
            "with theirs.",
            (Component("U1_reduce_setups", (ROW,)),),
        ),
        Statement(
            "U2",
            "C \\ge h - \\sum_{i \\in J_r} (h - h_i) \\, f_{il} "
            "+ \\sum_{i \\in J_r} b_{il} \\, y_{il} + \\rho_l",
            "l \\in Q_r",
            "A reduce slot idles for the head of its first job, then does its work. Without tasks "
            "it has no first job, but no schedule is shorter than the greatest head.",
            (Component("U2_reduce_slot", (REDUCE_SLOT,)),),
        ),
        Statement(
            "U3",
            "C \\ge q - \\sum_{i \\in J_m} (q - q_i) \\, z_{ik} "
            "+ \\sum_{i \\in J_m} a_{ik} \\, x_{ik} + s_k",
            "k \\in Q_m",
            "When a map slot has done its work, the tail of its last job is still to come.",
            (Component("U3_map_slot", (MAP_SLOT,)),),
        ),
        Statement(
            "U4",
            "\\sum_{i \\in J_r} f_{il} \\le 1",
            "l \\in Q_r",
            "A reduce slot has one first job,",
            (Component("U4_one_first_job", (REDUCE_SLOT,)),),
        ),
        Statement(
            "U4",
            "f_{il} \\le r_i \\, y_{il}",
            "i \\in J_r, \\, l \\in Q_r",
            "which has at least its shortest task there;",
            (Component("U4_first_job_is_there", (JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "U4",
            "\\sum_{i \\in J_m} z_{ik} \\le 1",
            "k \\in Q_m",
            "a map slot one last job,",
            (Component("U4_one_last_job", (MAP_SLOT,)),),
        ),
        Statement(
            "U4",
            "z_{ik} \\le m_i \\, x_{ik}",
            "i \\in J_m, \\, k \\in Q_m",
            "likewise.",
            (Component("U4_last_job_is_there", (JOB, MAP_SLOT)),),
        ),
        Statement(
            "U5",
            "C \\ge h_i + q_i",
            "i \\in J",
            "One job alone takes its head and its tail.",
            (Component("U5_one_job", (JOB,)),),
        ),
    ),
)
