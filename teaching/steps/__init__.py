"""Step pages: what a heuristic decides, one decision after another, and why.

A recorder is a plain and slow second statement of a method. It gives the same schedule, allocation
or simulation as the method itself, bit for bit.
"""

RECORDERS: dict[str, str] = {
    "EASS": "teaching.steps.mapreduce.list_scheduling:eass",
    "EFSS": "teaching.steps.mapreduce.list_scheduling:efss",
    "EFSS-L": "teaching.steps.mapreduce.list_scheduling:efss_local",
    "TBS": "teaching.steps.mapreduce.list_scheduling:tbs",
    "TBS-L": "teaching.steps.mapreduce.list_scheduling:tbs_local",
    "HMHS": "teaching.steps.mapreduce.hmhs:hmhs",
    "R-HMHS": "teaching.steps.mapreduce.hmhs:r_hmhs",
    "Min-Min": "teaching.steps.mapreduce.hmhs:min_min",
    "FIFO": "teaching.steps.mapreduce.hmhs:fifo",
    "FIFO-Pri": "teaching.steps.mapreduce.hmhs:fifo_pri",
    "SMSO": "teaching.steps.mapreduce.smso:smso",
    "SMSO-Johnson": "teaching.steps.mapreduce.smso:smso_johnson",
    "SMSO as printed": "teaching.steps.mapreduce.smso_as_printed:smso_as_printed",
    "lotes": "teaching.steps.datacenter.record:lotes",
    "lotes-unrestricted": "teaching.steps.datacenter.record:lotes_unrestricted",
    "bid-price": "teaching.steps.datacenter.record:bid_price",
    "first-fit": "teaching.steps.datacenter.record:first_fit",
    "best-fit": "teaching.steps.datacenter.record:best_fit",
    "tetris": "teaching.steps.datacenter.record:tetris",
    "exact": "teaching.steps.hierarchy.record:exact",
    "mch": "teaching.steps.hierarchy.record:mch",
    "ch": "teaching.steps.hierarchy.record:ch",
    "drf": "teaching.steps.hierarchy.record:drf",
}
"""Function that records each method, `module:function` below this package, by the method's name."""
