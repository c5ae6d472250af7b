"""Tests between methods on the same instances, each instance a block [Demsar2006]."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.arrays import FloatArray
from ...core.errors import InputError
from ...core.wording import plural
from ...reports.plots import BLUE

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

LEVEL = 0.05
DIGITS = 9
"""Values of a block that agree to so many decimals of the largest, or of 1, are ties."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """How several methods compare on the same instances.

    Parameters
    ----------
    methods
        The methods, the one with the least mean rank first.
    values
        A row for each instance, a column for each method in that order; small is good.
    ranks
        Ranks within each row, from 1; ties share their mean.
    friedman
        Statistic and p-value of Friedman's test that all methods are alike; None of two methods.
    critical_difference
        Nemenyi's: mean ranks that differ by less do not differ significantly.
    nemenyi
        Nemenyi's p-value of each pair of methods.
    wilcoxon
        p-value of each pair by Wilcoxon's signed ranks, after Holm's correction for all pairs.
    level
        The level of significance.
    value
        What was compared, the name of a column.
    left_out
        Number of instances on which some method has no value.
    """

    methods: tuple[str, ...]
    values: FloatArray
    ranks: FloatArray
    friedman: tuple[float, float] | None
    critical_difference: float
    nemenyi: FloatArray
    wilcoxon: FloatArray
    level: float
    value: str
    left_out: int = 0

    @property
    def instances(self) -> int:
        """How many blocks there are."""
        return len(self.values)

    @property
    def mean_rank(self) -> FloatArray:
        """The mean rank of each method."""
        mean: FloatArray = self.ranks.mean(axis=0)
        return mean

    def table(self) -> dict[str, list[Any]]:
        """The columns of `to_dataframe`."""
        least = self.values.min(axis=1, keepdims=True)
        return {
            "method": list(self.methods),
            "mean rank": self.mean_rank.tolist(),
            f"mean {self.value}": self.values.mean(axis=0).tolist(),
            f"median {self.value}": np.median(self.values, axis=0).tolist(),
            f"worst {self.value}": self.values.max(axis=0).tolist(),
            "best on": np.isclose(self.values, least, rtol=0, atol=10.0**-DIGITS).sum(0).tolist(),
            "p, Wilcoxon": [None, *self.wilcoxon[0, 1:].tolist()],
            "p, Nemenyi": [None, *self.nemenyi[0, 1:].tolist()],
        }

    def printed(self) -> dict[str, list[Any]]:
        """The columns as papers print them: gaps in %, small p-values as such."""
        found: dict[str, list[Any]] = {}
        for name, column in self.table().items():
            if name.startswith("p, "):
                found[name] = [None if p is None else spelled_p(p) for p in column]
            elif name == "mean rank":
                found[name] = [f"{rank:.2f}" for rank in column]
            elif self.value == "gap" and name.endswith(" gap"):
                found[f"{name}, %"] = [f"{100 * gap:.2f}" for gap in column]
            else:
                found[name] = column
        return found

    def to_dataframe(self) -> pd.DataFrame:
        """One row for each method, the best first.

        Returns
        -------
        pandas.DataFrame
            Columns `method`, `mean rank`, mean, median and worst value, `best on` (number of
            instances), `p, Wilcoxon` and `p, Nemenyi`: against the first method.
        """
        import pandas as pd

        return pd.DataFrame(self.table())

    def pairs(self) -> pd.DataFrame:
        """All pairs of methods with their p-values.

        Returns
        -------
        pandas.DataFrame
            Columns `method`, `with`, `rank difference`, `p, Wilcoxon`, `p, Nemenyi`, and for each
            test whether the pair differs at the level.
        """
        import pandas as pd

        at = list(combinations(range(len(self.methods)), 2))
        first, second = [i for i, _ in at], [j for _, j in at]
        by_wilcoxon, by_nemenyi = self.wilcoxon[first, second], self.nemenyi[first, second]
        return pd.DataFrame(
            {
                "method": [self.methods[i] for i in first],
                "with": [self.methods[j] for j in second],
                "rank difference": self.mean_rank[second] - self.mean_rank[first],
                "p, Wilcoxon": by_wilcoxon,
                "differ, Wilcoxon": by_wilcoxon < self.level,
                "p, Nemenyi": by_nemenyi,
                "differ, Nemenyi": by_nemenyi < self.level,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the critical-difference diagram: bars join methods that do not differ [Demsar2006].

        Parameters
        ----------
        ax
            Where to; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        import pandas as pd
        from matplotlib.figure import Figure
        from scikit_posthocs import critical_difference_diagram

        names = list(self.methods)
        if ax is None:
            high = 1.1 + 0.22 * len(names)
            ax = Figure(figsize=(6.4, high), layout="constrained").add_subplot()
        critical_difference_diagram(
            pd.Series(self.mean_rank, index=names),
            pd.DataFrame(self.nemenyi, index=names, columns=names),
            ax=ax,
            alpha=self.level,
            label_fmt_left="{label} ({rank:.2f})  ",
            label_fmt_right="  ({rank:.2f}) {label}",
            color_palette=dict.fromkeys(names, BLUE),
            text_h_margin=0.02,
        )
        ax.set_title(
            f"Mean rank by {self.value} on {self.instances} instances; critical difference "
            f"{self.critical_difference:.2f} at {100 * self.level:g} %",
            fontsize=9,
        )
        return ax

    def document(self) -> dict[str, Any]:
        """What `slotwise rank --json` prints."""
        return {
            "value": self.value,
            "instances": self.instances,
            "left_out": self.left_out,
            "level": self.level,
            "friedman": None
            if self.friedman is None
            else {"statistic": self.friedman[0], "p": self.friedman[1]},
            "critical_difference": self.critical_difference,
            "methods": [
                dict(zip(self.table(), row, strict=True))
                for row in zip(*self.table().values(), strict=True)
            ],
            "pairs": self.pairs().to_dict("records"),
        }

    def __str__(self) -> str:
        """The result in a sentence."""
        on = f"{plural(len(self.methods), 'method')} on {plural(self.instances, 'instance')}"
        if self.friedman is None:
            return f"{on}: Wilcoxon's p {self.wilcoxon[0, 1]:.3g}"
        statistic, p = self.friedman
        verdict = "differ" if p < self.level else "are not told apart"
        return f"{on}: they {verdict}, Friedman {statistic:.4g}, p {p:.3g}"

    def __repr__(self) -> str:
        return f"Ranking({self})"


def ranking_of(
    names: Sequence[str], values: FloatArray, *, level: float, value: str, left_out: int = 0
) -> Ranking:
    """Test methods on the same instances.

    `values`: a row for each instance, a column for each method; small is good.
    Raises `InputError` if there are too few of them, or a library is missing.
    """
    check_library()
    import pandas as pd
    from scikit_posthocs import posthoc_nemenyi_friedman
    from scipy.stats import friedmanchisquare, rankdata

    if not 0 < level < 1:
        raise InputError(f"level: need a number between 0 and 1, got {level:g}")
    n, k = values.shape
    if k < 2 or n < 2:
        raise InputError(
            f"a test needs at least two methods and two instances on which all of them have a "
            f"{value}, here are {plural(k, 'method')} and {plural(n, 'instance')}"
        )
    scale = np.maximum(1.0, np.abs(values).max(axis=1, keepdims=True))
    ranks = rankdata(np.round(values / scale, DIGITS), axis=1)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    values, ranks = values[:, order], ranks[:, order]
    friedman = None
    if k > 2:
        with np.errstate(invalid="ignore"):  # of ranks that are all alike
            statistic, p = friedmanchisquare(*ranks.T)
        friedman = (0.0, 1.0) if math.isnan(p) else (float(statistic), float(p))
    nemenyi = posthoc_nemenyi_friedman(pd.DataFrame(ranks)).to_numpy(float)
    return Ranking(
        methods=tuple(names[i] for i in order),
        values=values,
        ranks=ranks,
        friedman=friedman,
        critical_difference=critical_difference(k, n, level),
        nemenyi=nemenyi,
        wilcoxon=_wilcoxon(values / scale),
        level=level,
        value=value,
        left_out=left_out,
    )


def critical_difference(methods: int, instances: int, level: float) -> float:
    """Nemenyi's critical difference of mean ranks."""
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - level, methods, math.inf)) / math.sqrt(2)
    return q * math.sqrt(methods * (methods + 1) / (6 * instances))


def spelled_p(p: float) -> str:
    """A p-value with three decimals."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _wilcoxon(values: FloatArray) -> FloatArray:
    """Wilcoxon's p-values of all pairs, corrected by Holm; 1 on the diagonal."""
    from scipy.stats import wilcoxon
    from statsmodels.stats.multitest import multipletests

    k = values.shape[1]
    pairs = list(combinations(range(k), 2))
    found = []
    for i, j in pairs:
        difference = np.round(values[:, i] - values[:, j], DIGITS)
        found.append(float(wilcoxon(difference).pvalue) if difference.any() else 1.0)
    corrected = multipletests(found, method="holm")[1]
    matrix = np.ones((k, k))
    for (i, j), p in zip(pairs, corrected, strict=True):
        matrix[i, j] = matrix[j, i] = p
    return matrix


def check_library() -> None:
    """Raise `InputError` if the libraries of the tests are not installed."""
    for module, name in (("pandas", "pandas"), ("scikit_posthocs", "scikit-posthocs")):
        if find_spec(module) is None:
            raise InputError(
                f"tests between methods need {name}, which is not installed: "
                "pip install 'slotwise[experiments]'"
            )
