"""The integer program of [LJR], beside the print: docs/formulations/sequence.md."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import LONGEST_READ, READ_SECONDS

MAP_TASK, REDUCE_TASK = Index.MAP_TASK, Index.REDUCE_TASK
MAP_SLOT, REDUCE_SLOT = Index.MAP_SLOT, Index.REDUCE_SLOT


def _both(name: str, *over: str) -> tuple[Component, ...]:
    """A component per phase; `over` is made of the words `task` and `slot`."""
    return tuple(
        Component(name.format(phase), tuple(Index(f"{phase} {what}") for what in over))
        for phase in ("map", "reduce")
    )


STATEMENT = Formulation(
    name="sequence",
    source="LJR (Li, Jiang, Ruiz 2016), section 2, equations (1)-(12)",
    summary=(
        "The printed integer program: each slot holds a chain of tasks from v_h to v_t, and a "
        "task's completion follows that of its immediate predecessor. Starred equations go beyond "
        "the print."
    ),
    sets=(
        Symbol("V^m_i, V^r_i", "map tasks and reduce tasks of job i"),
        Symbol(
            "T_m, T_r", "all map tasks, all reduce tasks; a is m or r; v, v' are tasks of a phase"
        ),
        Symbol("Q_m, Q_r", "map slots, reduce slots k, l"),
        Symbol(
            "h, t", "dummy tasks before the first and after the last of a slot (v_h, v_t in LJR)"
        ),
    ),
    parameters=(
        Symbol("p^a_v", "processing time of task v (s)"),
        Symbol(
            "s^m_{vk}",
            "setup time of map task v on slot k (s); with security 0 where its data is, else input "
            "/ transfer rate, plus input / encryption rate if the level asks for encryption",
        ),
        Symbol("d_v", "output of map task v for each single reduce task of its job (MB)"),
        READ_SECONDS,
        LONGEST_READ,
        Symbol("\\mathcal M", "big-M: the sum of all processing and longest setup times (s)"),
    ),
    variables=(
        Symbol("C", "makespan (s)", (Component("makespan"),), "0 \\le C \\le \\mathcal M"),
        Symbol(
            "u^k_{vv'}",
            "1 if task v is the immediate predecessor of v' on slot k",
            _both("{}_follows", "slot", "task", "task"),
            "binary",
        ),
        Symbol(
            "s^a_v",
            "setup time of task v (s)",
            _both("{}_setup", "task"),
            "0 \\le s^a_v \\le \\mathcal M",
        ),
        Symbol(
            "c^a_v",
            "completion time of task v (s)",
            _both("{}_completion", "task"),
            "0 \\le c^a_v \\le \\mathcal M",
        ),
    ),
    abbreviations=(
        Symbol(
            "e_{vk} = \\sum_{v' \\in T_a \\cup \\{t\\}} u^k_{vv'}",
            "1 if task v is executed on slot k",
        ),
    ),
    objective=Statement("1", "\\min \\, C", "", "The makespan is as short as possible."),
    statements=(
        Statement(
            "1",
            "C \\ge c^r_v",
            "v \\in T_r",
            "The makespan is the last completion of a reduce task.",
            (Component("eq1_makespan", (REDUCE_TASK,)),),
        ),
        Statement(
            "1*",
            "C \\ge c^m_v",
            "v \\in V^m_i, \\, V^r_i = \\emptyset",
            "A job without reduce tasks counts with its map tasks; in print it does not count.",
            (Component("eq1_makespan_without_reduce", (MAP_TASK,)),),
        ),
        Statement(
            "2",
            "c^m_v \\ge s^m_v + p^m_v",
            "v \\in T_m",
            "A map task is not over before its setup and processing.",
            (Component("eq2_map_completion", (MAP_TASK,)),),
        ),
        Statement(
            "3",
            "c^r_v \\ge s^r_v + p^r_v + c^m_{v'}",
            "v \\in V^r_i, \\, v' \\in V^m_i",
            "A reduce task starts, setup included, after every map task of its job.",
            (Component("eq3_reduce_completion", (REDUCE_TASK, MAP_TASK)),),
        ),
        Statement(
            "3*",
            "c^r_v \\ge s^r_v + p^r_v",
            "v \\in V^r_i, \\, V^m_i = \\emptyset",
            "A job without map tasks starts its reduce tasks at 0; in print nothing holds them.",
            (Component("eq3_reduce_completion_without_map", (REDUCE_TASK,)),),
        ),
        Statement(
            "4",
            "s^m_v = \\sum_{k \\in Q_m} s^m_{vk} \\, e_{vk}",
            "v \\in T_m",
            "The setup time of a map task is that of its slot.",
            (Component("eq4_map_setup", (MAP_TASK,)),),
        ),
        Statement(
            "4*",
            "s^r_v \\ge \\sum_{v' \\in V^m_i} \\sum_{k \\in Q_m} \\tau_{kl} \\, d_{v'} \\, e_{v'k} "
            "- R_{il} \\, (1 - e_{vl})",
            "v \\in V^r_i, \\, V^m_i \\ne \\emptyset, \\, l \\in Q_r",
            "A reduce task reads from where its job's map tasks ran (LJR section 4.4); in print "
            "its setup time is a parameter of the slot.",
            (Component("eq4_reduce_setup", (REDUCE_TASK, REDUCE_SLOT)),),
        ),
        Statement(
            "5",
            "c^a_{v'} - c^a_v \\ge s^a_{v'} + p^a_{v'} + "
            "\\mathcal M \\, (\\sum_{k \\in Q_a} u^k_{vv'} - 1)",
            "v, v' \\in T_a, \\, v \\ne v'",
            "A task follows its immediate predecessor without overlap; binding only where u is 1.",
            _both("eq5_{}_precedence", "task", "task"),
        ),
        Statement(
            "6",
            "\\sum_{k \\in Q_a} \\sum_{v \\in T_a \\cup \\{h\\}} u^k_{vv'} = 1",
            "v' \\in T_a",
            "Every task has one immediate predecessor, on one slot.",
            _both("eq6_{}_one_predecessor", "task"),
        ),
        Statement(
            "7",
            "\\sum_{k \\in Q_a} \\sum_{v' \\in T_a \\cup \\{t\\}} u^k_{vv'} = 1",
            "v \\in T_a",
            "Every task has one immediate successor, on one slot.",
            _both("eq7_{}_one_successor", "task"),
        ),
        Statement(
            "8",
            "\\sum_{v' \\in T_a \\cup \\{t\\}} u^k_{hv'} = 1",
            "k \\in Q_a",
            "Every slot has one first task; t itself if the slot stays empty.",
            _both("eq8_{}_one_first", "slot"),
        ),
        Statement(
            "9",
            "\\sum_{v \\in T_a \\cup \\{h\\}} u^k_{vt} = 1",
            "k \\in Q_a",
            "Every slot has one last task.",
            _both("eq9_{}_one_last", "slot"),
        ),
        Statement(
            "10",
            "\\sum_{v \\in T_a \\cup \\{h\\}} u^k_{vv'} "
            "= \\sum_{v \\in T_a \\cup \\{t\\}} u^k_{v'v}",
            "k \\in Q_a, \\, v' \\in T_a",
            "A task that has a predecessor on a slot has its successor there.",
            _both("eq10_{}_flow", "slot", "task"),
        ),
        Statement(
            "11",
            "u^k_{vv} = 0",
            "v \\in T_a, \\, k \\in Q_a",
            "No task follows itself: the variable is not created.",
        ),
        Statement(
            "12",
            "u^k_{vv'} \\in \\{0, 1\\}",
            "v, v' \\in T_a \\cup \\{h, t\\}, \\, k \\in Q_a",
            "The domain of the variables u; none leads into h or out of t. u is 0 for every v "
            "where the priority of v' forbids slot k or the slot is lost.",
        ),
    ),
)
