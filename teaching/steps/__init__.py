"""Step pages: what a heuristic decides, one decision after another, and why.

A recorder is a plain and slow second statement of a method. It gives the same schedule, allocation
or simulation as the method itself, bit for bit.
"""

RECORDERS: dict[str, str] = {
    "EASS": "teaching.steps.recorders.list_scheduling:eass",
    "EFSS": "teaching.steps.recorders.list_scheduling:efss",
    "EFSS-L": "teaching.steps.recorders.list_scheduling:efss_local",
    "TBS": "teaching.steps.recorders.task_based:tbs",
    "TBS-L": "teaching.steps.recorders.task_based:tbs_local",
    "HMHS": "teaching.steps.recorders.hmhs.min_min:hmhs",
    "R-HMHS": "teaching.steps.recorders.hmhs.min_min:r_hmhs",
    "Min-Min": "teaching.steps.recorders.hmhs.min_min:min_min",
    "FIFO": "teaching.steps.recorders.hmhs.fifo:fifo",
    "FIFO-Pri": "teaching.steps.recorders.hmhs.fifo:fifo_pri",
    "SMSO": "teaching.steps.recorders.smso.smso:smso",
    "SMSO-Johnson": "teaching.steps.recorders.smso.smso:smso_johnson",
    "SMSO as printed": "teaching.steps.recorders.smso.as_printed:smso_as_printed",
    "lotes": "teaching.steps.recorders.dispatching.record:lotes",
    "lotes-unrestricted": "teaching.steps.recorders.dispatching.record:lotes_unrestricted",
    "bid-price": "teaching.steps.recorders.dispatching.record:bid_price",
    "first-fit": "teaching.steps.recorders.dispatching.record:first_fit",
    "best-fit": "teaching.steps.recorders.dispatching.record:best_fit",
    "tetris": "teaching.steps.recorders.dispatching.record:tetris",
    "exact": "teaching.steps.recorders.fair_shares.record:exact",
    "mch": "teaching.steps.recorders.fair_shares.record:mch",
    "ch": "teaching.steps.recorders.fair_shares.record:ch",
    "drf": "teaching.steps.recorders.fair_shares.record:drf",
}
"""Function that records each method, `module:function` below this package, by the method's name."""
