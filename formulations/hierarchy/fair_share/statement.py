"""The fair-share linear program in mathematics; docs/heuristics/fairness.md explains it."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol

LEAF, GROUP, RESOURCE = Index.LEAF, Index.GROUP, Index.RESOURCE

STATEMENT = Formulation(
    name="fair-share",
    source="slotwise, docs/heuristics/fairness.md; M_n after MCH (You et al. 2019), equation (2)",
    summary=(
        "One stage of hierarchical max-min fairness: the level at the root is raised as far as "
        "the capacities allow. The next stage leaves out the leaves that need a full resource, "
        "which the duals of (F4) name, and no leaf loses anything."
    ),
    sets=(
        Symbol("N, n", "leaves i and groups n of the tree; r is the root"),
        Symbol("U", "leaves that still rise: they have tasks and need no full resource"),
        Symbol("p(i), p(n)", "the group that a leaf or group belongs to"),
        Symbol("j", "resources"),
    ),
    parameters=(
        Symbol("\\omega_i, \\omega_n", "weight among the siblings"),
        Symbol("s_{ij}", "demand of leaf i for resource j over its dominant demand (0 to 1)"),
        Symbol("f_i", "dominant share that leaf i has already"),
        Symbol(
            "M_n",
            "dominant share that group n takes up per level of its children: the largest entry of "
            "the sum of weight times normalised demand over its children with rising leaves",
        ),
    ),
    variables=(
        Symbol("x_i", "dominant share of leaf i", (Component("share", (LEAF,)),), "x_i \\ge 0"),
        Symbol(
            "L_n",
            "level of the children of group n: dominant share over weight",
            (Component("level", (GROUP,)),),
            "L_n \\ge 0",
        ),
    ),
    abbreviations=(),
    objective=Statement("F", "\\max \\, L_r", "", "The level below the root is as high as can be."),
    statements=(
        Statement(
            "F1",
            "x_i \\ge \\omega_i L_{p(i)}",
            "i \\in U",
            "A rising leaf has what the level of its group asks for.",
            (Component("F1_leaf_level", (LEAF,)),),
        ),
        Statement(
            "F2",
            "M_n L_n = \\omega_n L_{p(n)}",
            "n \\ne r",
            "A group's dominant share rises with that of its siblings.",
            (Component("F2_group_level", (GROUP,)),),
        ),
        Statement(
            "F3",
            "x_i \\ge f_i",
            "i \\in N",
            "No leaf falls below what it has.",
            (Component("F3_floor", (LEAF,)),),
        ),
        Statement(
            "F4",
            "\\sum_i s_{ij} x_i \\le 1",
            "j",
            "No resource is overloaded; a positive dual means that it stops the stage.",
            (Component("F4_capacity", (RESOURCE,)),),
        ),
    ),
)
