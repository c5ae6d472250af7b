"""The allocation program of [LoTES] in mathematics; docs/formulations/lotes.md explains it."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import ARRIVAL_RATE, ARRIVAL_SHARE, CLASSES, CONFIGURATIONS, MACHINES, SERVICE_RATE

CLASS, CONFIGURATION, RESOURCE = Index.CLASS, Index.CONFIGURATION, Index.RESOURCE

STATEMENT = Formulation(
    name="allocation",
    source="LoTES, section 4.1, equations (1)-(5), and the fit rule (A1)",
    summary=(
        "The machines of each configuration are pooled into one large machine, which serves every "
        "class at some rate. The optimum is an upper bound of the arrival rate. As printed there "
        "is no (A1), and jobs run that fit no single machine. Written with numbers of running jobs "
        "in place of the shares of resources."
    ),
    sets=(
        CONFIGURATIONS,
        CLASSES,
        Symbol("R", "resources l"),
    ),
    parameters=(
        MACHINES,
        Symbol("c_{jl}", "capacity of one of them in resource l"),
        Symbol("r_{kl}", "what a job of class k needs of resource l"),
        ARRIVAL_SHARE,
        SERVICE_RATE,
    ),
    variables=(
        ARRIVAL_RATE,
        Symbol(
            "y_{jk}",
            "jobs of class k that run on all machines of configuration j, (5)",
            (Component("running", (CONFIGURATION, CLASS)),),
            "y_{jk} \\ge 0",
        ),
    ),
    abbreviations=(
        Symbol(
            "\\delta_{jkl} = r_{kl} \\, y_{jk} / (c_{jl} \\, n_j)",
            "share of resource l of configuration j that class k has",
        ),
    ),
    objective=Statement("1", "\\max \\, \\lambda", "", "The arrival rate is as high as possible."),
    statements=(
        Statement(
            "2",
            "\\sum_{j \\in M} \\mu_{jk} \\, y_{jk} \\ge \\alpha_k \\, \\lambda",
            "k \\in K",
            "Every class is served as fast as it arrives. The paper has this row once for each "
            "resource; divided by what a job needs of it, they are the same.",
            (Component("eq2_demand", (CLASS,)),),
        ),
        Statement(
            "3",
            "\\delta_{jkl} \\, c_{jl} / r_{kl} = \\delta_{jk1} \\, c_{j1} / r_{k1}",
            "j \\in M, \\, k \\in K, \\, l \\in R",
            "A job has all its resources on the same configuration. Needs no row: both sides are "
            "jobs per machine.",
        ),
        Statement(
            "4",
            "\\sum_{k \\in K} r_{kl} \\, y_{jk} \\le c_{jl} \\, n_j",
            "j \\in M, \\, l \\in R",
            "No configuration gives more of a resource than its machines have together.",
            (Component("eq4_capacity", (CONFIGURATION, RESOURCE)),),
        ),
        Statement(
            "A1",
            "y_{jk} = 0",
            "j \\in M, \\, k \\in K, \\, \\text{if a job of class k does not fit a machine of "
            "configuration j}",
            "The fit rule, which the paper lacks: what fits no machine does not run.",
            (Component("A1_fits", (CONFIGURATION, CLASS)),),
        ),
    ),
)
