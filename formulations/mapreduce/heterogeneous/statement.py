"""The heterogeneous model in mathematics; proofs: docs/formulations/heterogeneous.md."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import (
    BEFORE,
    FIRST_JOB,
    FIXED_PAIRS,
    GREATEST_HEAD_AND_TAIL,
    HEAD_AND_TAIL,
    HORIZON,
    LAST_JOB,
    MAKESPAN,
    MAP_COMPLETION,
    PRECEDES,
    SEVERAL_JOBS,
    SLOTS,
)

JOB, MAP_TASK, REDUCE_TASK = Index.JOB, Index.MAP_TASK, Index.REDUCE_TASK
MAP_SLOT, REDUCE_SLOT = Index.MAP_SLOT, Index.REDUCE_SLOT

STATEMENT = Formulation(
    name="heterogeneous",
    source="slotwise, on the problem of HMHS section 2",
    summary=(
        "How many of a job's equal tasks run on each slot, and one order of the jobs, which every "
        "map slot and every reduce slot follows. Numbers of tasks before a job take the place of "
        "big-M. For reduce tasks whose setups do not depend on where the map tasks ran."
    ),
    sets=(
        SEVERAL_JOBS,
        SLOTS,
        Symbol(
            "K^m, K^r",
            "classes t of equal map tasks, v of equal reduce tasks, known by their first task",
        ),
        Symbol("K^m_i, K^r_i", "those of job i; j(t), j(v) is the job of a class"),
        FIXED_PAIRS,
    ),
    parameters=(
        Symbol("n_t, n_v", "how many tasks a class has"),
        Symbol("a_{tk}", "setup and processing time of a map task of class t on slot k (s)"),
        Symbol("b_{vl}", "read and processing time of a reduce task of class v on slot l (s)"),
        HEAD_AND_TAIL,
        GREATEST_HEAD_AND_TAIL,
        HORIZON,
    ),
    variables=(
        MAKESPAN,
        Symbol(
            "x_{tk}",
            "tasks of class t on map slot k, 0 where they may not run",
            (Component("map_count", (MAP_TASK, MAP_SLOT)),),
            "x_{tk} \\in \\{0, 1, \\text{...}, n_t\\}",
        ),
        Symbol(
            "y_{vl}",
            "tasks of class v on reduce slot l, 0 where they may not run",
            (Component("reduce_count", (REDUCE_TASK, REDUCE_SLOT)),),
            "y_{vl} \\in \\{0, 1, \\text{...}, n_v\\}",
        ),
        BEFORE,
        MAP_COMPLETION,
        Symbol(
            "\\alpha_{tik}",
            "tasks of class t on map slot k if their job precedes i; 0 is enough otherwise",
            (Component("map_count_before", (MAP_TASK, JOB, MAP_SLOT)),),
            "0 \\le \\alpha_{tik} \\le n_t",
        ),
        Symbol(
            "\\omega_{vil}",
            "tasks of class v on reduce slot l if their job follows i; 0 is enough otherwise",
            (Component("reduce_count_after", (REDUCE_TASK, JOB, REDUCE_SLOT)),),
            "0 \\le \\omega_{vil} \\le n_v",
        ),
        FIRST_JOB,
        LAST_JOB,
    ),
    abbreviations=(PRECEDES,),
    objective=Statement("H0", "\\min \\, C", "", "The makespan is as short as possible."),
    statements=(
        Statement(
            "H1",
            "\\sum_{k \\in Q_m} x_{tk} = n_t",
            "t \\in K^m",
            "Every map task runs on some slot.",
            (Component("H1_map_tasks_placed", (MAP_TASK,)),),
        ),
        Statement(
            "H2",
            "\\sum_{l \\in Q_r} y_{vl} = n_v",
            "v \\in K^r",
            "Every reduce task runs on some slot.",
            (Component("H2_reduce_tasks_placed", (REDUCE_TASK,)),),
        ),
        Statement(
            "H3",
            "\\pi_{ij} + \\pi_{ju} + \\pi_{ui} \\le 2",
            "i, j, u \\in J, \\, i < j, \\, i < u, \\, j \\ne u",
            "The order has no cycle of three jobs, hence none at all.",
            (Component("H3_no_cycle", (JOB, JOB, JOB)),),
        ),
        Statement(
            "H4",
            "\\pi_{ij} = 1",
            "(i, j) \\in E",
            "Jobs without map tasks go first, jobs without reduce tasks last.",
            (Component("H4_fixed_order", (JOB, JOB)),),
        ),
        Statement(
            "H5",
            "\\sum_{k \\in Q_m} \\alpha_{tik} \\ge n_t \\, \\pi_{j(t),i}",
            "i \\in J, \\, t \\in K^m, \\, j(t) \\ne i",
            "If its job precedes i, all map tasks of a class come before i;",
            (Component("H5_map_all_before", (MAP_TASK, JOB)),),
        ),
        Statement(
            "H6",
            "\\alpha_{tik} \\le x_{tk}",
            "i \\in J, \\, t \\in K^m, \\, j(t) \\ne i, \\, k \\in Q_m",
            "they are where they run.",
            (Component("H6_map_where_they_are", (MAP_TASK, JOB, MAP_SLOT)),),
        ),
        Statement(
            "H7",
            "\\sum_{l \\in Q_r} \\omega_{vil} \\ge n_v \\, \\pi_{i,j(v)}",
            "i \\in J, \\, v \\in K^r, \\, j(v) \\ne i",
            "If its job follows i, all reduce tasks of a class come after i;",
            (Component("H7_reduce_all_after", (REDUCE_TASK, JOB)),),
        ),
        Statement(
            "H8",
            "\\omega_{vil} \\le y_{vl}",
            "i \\in J, \\, v \\in K^r, \\, j(v) \\ne i, \\, l \\in Q_r",
            "they are where they run.",
            (Component("H8_reduce_where_they_are", (REDUCE_TASK, JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "H9",
            "\\theta_i \\ge \\sum_{t \\in K^m_i} a_{tk} \\, x_{tk} "
            "+ \\sum_{j \\ne i} \\sum_{t \\in K^m_j} a_{tk} \\, \\alpha_{tik}",
            "i \\in J, \\, k \\in Q_m",
            "A job's map phase is over when every map slot has worked off the jobs up to it.",
            (Component("H9_map_completion", (JOB, MAP_SLOT)),),
        ),
        Statement(
            "H10",
            "C \\ge \\theta_i",
            "i \\in J",
            "No map phase ends after the makespan.",
            (Component("H10_makespan", (JOB,)),),
        ),
        Statement(
            "H11",
            "C \\ge \\theta_i + \\sum_{v \\in K^r_i} b_{vl} \\, y_{vl} "
            "+ \\sum_{j \\ne i} \\sum_{v \\in K^r_j} b_{vl} \\, \\omega_{vil}",
            "i \\in J, \\, l \\in Q_r",
            "After a job's map phase every reduce slot still has that job and all later to do.",
            (Component("H11_makespan", (JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "H12",
            "f_{il} \\le \\sum_{v \\in K^r_i} y_{vl}",
            "i \\in J, \\, l \\in Q_r",
            "Cut (heads): the first job on a reduce slot has a task there;",
            (Component("H12_first_job_is_there", (JOB, REDUCE_SLOT)),),
        ),
        Statement(
            "H12",
            "\\sum_{i \\in J} f_{il} \\le 1",
            "l \\in Q_r",
            "there is one;",
            (Component("H12_one_first_job", (REDUCE_SLOT,)),),
        ),
        Statement(
            "H12",
            "C \\ge h - \\sum_{i \\in J} (h - h_i) \\, f_{il} "
            "+ \\sum_{v \\in K^r} b_{vl} \\, y_{vl}",
            "l \\in Q_r",
            "the slot idles for its head before all its work. No schedule is shorter than the "
            "greatest head, so a slot without tasks needs no first job.",
            (Component("H12_reduce_slot", (REDUCE_SLOT,)),),
        ),
        Statement(
            "H12",
            "z_{ik} \\le \\sum_{t \\in K^m_i} x_{tk}",
            "i \\in J, \\, k \\in Q_m",
            "Cut (heads): the last job on a map slot has a task there;",
            (Component("H12_last_job_is_there", (JOB, MAP_SLOT)),),
        ),
        Statement(
            "H12",
            "\\sum_{i \\in J} z_{ik} \\le 1",
            "k \\in Q_m",
            "there is one;",
            (Component("H12_one_last_job", (MAP_SLOT,)),),
        ),
        Statement(
            "H12",
            "C \\ge q - \\sum_{i \\in J} (q - q_i) \\, z_{ik} "
            "+ \\sum_{t \\in K^m} a_{tk} \\, x_{tk}",
            "k \\in Q_m",
            "its tail is still to come when the slot's work is done.",
            (Component("H12_map_slot", (MAP_SLOT,)),),
        ),
        Statement(
            "H13",
            "\\theta_i \\ge h_i",
            "i \\in J",
            "Cut (spans): a map phase lasts as long as the job's map tasks alone;",
            (Component("H13_head", (JOB,)),),
        ),
        Statement(
            "H13",
            "C \\ge \\theta_i + q_i",
            "i \\in J",
            "after it its reduce tasks are still to come.",
            (Component("H13_tail", (JOB,)),),
        ),
    ),
)
