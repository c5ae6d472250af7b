"""The linear program over intervals of time; proofs: docs/formulations/spread-bound.md."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import JOBS

JOB, ROW = Index.JOB, Index.ROW

STATEMENT = Formulation(
    name="spread-bound",
    source="slotwise, a relaxation of the problem of LJR section 3",
    summary=(
        "A linear program whose optimum is a lower bound of the makespan of schedules no longer "
        "than a horizon: time is cut into intervals, the map phase of every job ends in one of "
        "them, and early or late ends cost reads that are not local."
    ),
    sets=(
        JOBS,
        Symbol("K", "intervals k = 1, …, n of time, numbered from 0 in the code"),
    ),
    parameters=(
        Symbol(
            "t_k",
            "end of interval k (s), which starts at the end of the one before, the first at 0; the "
            "last one starts at a lower bound of the makespan and ends at the horizon",
        ),
        Symbol("M, R", "map slots, reduce slots"),
        Symbol("A_i", "what the map tasks of job i take at least, added up (s)"),
        Symbol(
            "B_{ik}",
            "what its reduce tasks take at least, added up, if its map phase ends in interval k "
            "and its map tasks read as near as they can (s)",
        ),
        Symbol("I_i", "input of job i (MB)"),
        Symbol(
            "f, g",
            "what reading takes longer off the node, and on top of it off the rack (s/MB)",
        ),
        Symbol(
            "\\alpha_{ik}, \\delta_{ik}",
            "most of the input that map tasks read off the node, off the rack, to the profit of "
            "reduce tasks",
        ),
        Symbol("p_{ik}, s_{ik}", "what reduce tasks save thereby (s)"),
        Symbol("m_i, r_i", "map tasks, reduce tasks of job i, at most as many as slots"),
        Symbol("h_i, q_{ik}", "head, and tail if the map phase ends in interval k (s)"),
        Symbol("H, T", "the M' least tails and the R' least heads, one per task, added up (s)"),
        Symbol("M', R'", "map slots, reduce slots, at most as many as tasks"),
    ),
    variables=(
        Symbol(
            "C",
            "makespan (s), not below the lower bound",
            (Component("makespan"),),
            "t_{n-1} \\le C",
        ),
        Symbol(
            "y_{ik}",
            "1 if the map phase of job i ends in interval k; 0 where it cannot",
            (Component("map_end", (JOB, ROW)),),
            "0 \\le y_{ik} \\le 1",
        ),
        Symbol(
            "x_{ik}",
            "share of its input that is then read off its node",
            (Component("off_node", (JOB, ROW)),),
            "0 \\le x_{ik}",
        ),
        Symbol(
            "z_{ik}",
            "share of its input that is then read off its rack",
            (Component("off_rack", (JOB, ROW)),),
            "0 \\le z_{ik}",
        ),
        Symbol(
            "a_k",
            "work of the map slots in interval k (s)",
            (Component("map_busy", (ROW,)),),
            "0 \\le a_k \\le M \\, (t_k - t_{k-1})",
        ),
        Symbol(
            "b_k",
            "work of the reduce slots in interval k (s)",
            (Component("reduce_busy", (ROW,)),),
            "0 \\le b_k \\le R \\, (t_k - t_{k-1})",
        ),
        Symbol(
            "u_k",
            "map work done by the end of interval k for jobs whose map phases end later (s)",
            (Component("map_ahead", (ROW,)),),
            "0 \\le u_k",
        ),
        Symbol(
            "v_k",
            "reduce work done from the start of interval k on for jobs whose map phases ended "
            "before (s)",
            (Component("reduce_behind", (ROW,)),),
            "0 \\le v_k",
        ),
        Symbol(
            "d_k",
            "map tasks of jobs whose map phases end in interval k or later",
            (Component("maps_open", (ROW,)),),
            "0 \\le d_k",
        ),
        Symbol(
            "e_k",
            "reduce tasks of jobs whose map phases end in interval k or before",
            (Component("reduces_open", (ROW,)),),
            "0 \\le e_k",
        ),
    ),
    abbreviations=(),
    objective=Statement("P0", "\\min \\, C", "", "The bound is the least such makespan."),
    statements=(
        Statement(
            "P1",
            "\\sum_{k \\in K} y_{ik} = 1",
            "i \\in J",
            "The map phase of a job ends in one interval.",
            (Component("P1_one_end", (JOB,)),),
        ),
        Statement(
            "P2",
            "u_k = u_{k-1} + a_k - \\sum_{i \\in J} "
            "(A_i \\, y_{ik} + I_i \\, f \\, x_{ik} + I_i \\, g \\, z_{ik})",
            "k \\in K",
            "The map tasks of a job are done by the end of the interval, none ahead of time 0;",
            (Component("P2_map_work", (ROW,)),),
        ),
        Statement(
            "P2",
            "v_k = v_{k+1} + b_k - \\sum_{i \\in J} "
            "(B_{ik} \\, y_{ik} - p_{ik} \\, x_{ik} - s_{ik} \\, z_{ik})",
            "k \\in K",
            "its reduce tasks are still to be done at its start, none behind the horizon.",
            (Component("P2_reduce_work", (ROW,)),),
        ),
        Statement(
            "P3",
            "x_{ik} \\le \\alpha_{ik} \\, y_{ik}",
            "i \\in J, \\, k \\in K",
            "More input read off the node makes no more reads local than the nodes can hold,",
            (Component("P3_off_node", (JOB, ROW)),),
        ),
        Statement(
            "P3",
            "z_{ik} \\le \\delta_{ik} \\, y_{ik}",
            "i \\in J, \\, k \\in K",
            "nor more within a rack than the racks.",
            (Component("P3_off_rack", (JOB, ROW)),),
        ),
        Statement(
            "P4",
            "d_k = d_{k+1} + \\sum_{i \\in J} m_i \\, y_{ik}",
            "k \\in K",
            "Map tasks are open until the map phase of their job has ended,",
            (Component("P4_maps_open", (ROW,)),),
        ),
        Statement(
            "P4",
            "e_k = e_{k-1} + \\sum_{i \\in J} r_i \\, y_{ik}",
            "k \\in K",
            "reduce tasks from then on.",
            (Component("P4_reduces_open", (ROW,)),),
        ),
        Statement(
            "P5",
            "a_k \\le (t_k - t_{k-1}) \\, d_{k+1} + \\sum_{i \\in J} "
            "m_i \\, \\max(0, \\min(t_k, t_n - q_{ik}) - t_{k-1}) \\, y_{ik}",
            "k \\in K",
            "Unless it is infinite, map slots work on no more tasks at a time than are open,",
            (Component("P5_map_slots", (ROW,)),),
        ),
        Statement(
            "P5",
            "b_k \\le (t_k - t_{k-1}) \\, e_{k-1} + \\sum_{i \\in J} "
            "r_i \\, \\max(0, t_k - \\max(t_{k-1}, h_i)) \\, y_{ik}",
            "k \\in K",
            "and so do reduce slots.",
            (Component("P5_reduce_slots", (ROW,)),),
        ),
        Statement(
            "P6",
            "a_k \\le M \\, (C - t_{k-1})",
            "k = n",
            "In the last interval map slots work until the makespan at most,",
            (Component("P6_maps"),),
        ),
        Statement(
            "P6",
            "b_k \\le R \\, (C - t_{k-1})",
            "k = n",
            "and so do reduce slots.",
            (Component("P6_reduces"),),
        ),
        Statement(
            "P7",
            "M' \\, C \\ge H + \\sum_{k \\in K} a_k",
            "M' > 0",
            "All map work is followed by tails,",
            (Component("P7_maps", (ROW,)),),
        ),
        Statement(
            "P7",
            "R' \\, C \\ge T + \\sum_{k \\in K} b_k",
            "R' > 0",
            "and all reduce work waits for heads.",
            (Component("P7_reduces", (ROW,)),),
        ),
    ),
)
