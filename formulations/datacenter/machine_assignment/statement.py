"""The machine assignment program of [LoTES]: docs/formulations/lotes.md."""

from ...mathematics import Component, Formulation, Index, Statement, Symbol
from ...symbols import ARRIVAL_RATE, ARRIVAL_SHARE, CLASSES, CONFIGURATIONS, MACHINES, SERVICE_RATE

CLASS, CONFIGURATION, BIN = Index.CLASS, Index.CONFIGURATION, Index.ROW

STATEMENT = Formulation(
    name="machine-assignment",
    source="LoTES, section 4.2, equations (6)-(10)",
    summary=(
        "Every machine emulates a bin, a set of jobs that fits it. Over all non-dominated bins the "
        "optimum is an upper bound of the arrival rate of any plan; with whole numbers of machines "
        "it is the best plan. With a target rate, λ is fixed and machines are minimised. Written "
        "with numbers of running jobs in place of amounts of resources."
    ),
    sets=(
        CONFIGURATIONS,
        CLASSES,
        Symbol("B_j", "bins i of configuration j"),
    ),
    parameters=(
        MACHINES,
        Symbol("N_{ijk}", "jobs of class k in bin i of configuration j"),
        ARRIVAL_SHARE,
        SERVICE_RATE,
    ),
    variables=(
        ARRIVAL_RATE,
        Symbol(
            "x_{ij}",
            "machines of configuration j that emulate bin i, (10)",
            (Component("machines", (CONFIGURATION, BIN)),),
            "x_{ij} \\ge 0",
        ),
        Symbol(
            "\\Delta_{jk}",
            "jobs of class k that run on all machines of configuration j",
            (Component("running", (CONFIGURATION, CLASS)),),
        ),
    ),
    abbreviations=(
        Symbol(
            "\\Delta_{jkl} = r_{kl} \\, \\Delta_{jk}",
            "the paper's variable: resource l of configuration j that class k has",
        ),
    ),
    objective=Statement("6", "\\max \\, \\lambda", "", "The arrival rate is as high as possible."),
    statements=(
        Statement(
            "7",
            "\\sum_{j \\in M} \\mu_{jk} \\, \\Delta_{jk} \\ge \\alpha_k \\, \\lambda",
            "k \\in K",
            "Every class is served as fast as it arrives.",
            (Component("eq7_demand", (CLASS,)),),
        ),
        Statement(
            "8",
            "\\sum_{i \\in B_j} N_{ijk} \\, x_{ij} = \\Delta_{jk}",
            "j \\in M, \\, k \\in K",
            "What runs on a configuration is what is in the bins of its machines.",
            (Component("eq8_running", (CONFIGURATION, CLASS)),),
        ),
        Statement(
            "9",
            "\\sum_{i \\in B_j} x_{ij} = n_j",
            "j \\in M",
            "Every machine emulates one bin; with a target rate, at most one.",
            (Component("eq9_one_bin_each", (CONFIGURATION,)),),
        ),
    ),
)
