"""Explanations and their formulas as text, HTML, LaTeX and JSON."""

import json
import re
from html.parser import HTMLParser

import pytest
from explained_models import MODELS, formulas, suited
from hypothesis import given, settings
from hypothesis import strategies as st

from slotwise.formulations.mapreduce.coefficients import Coefficients
from slotwise.formulations.mathematics import as_mathml, as_text
from slotwise.instances.mapreduce.cluster import Cluster
from slotwise.instances.mapreduce.instance import Instance, Job
from slotwise.reports.explain import WIDTH, explain


def test_names_from_the_instance_are_kept_and_escaped(toy: Instance) -> None:
    cluster = Cluster.uniform(1, map_slots=1, reduce_slots=1)
    odd = Instance.from_jobs(
        "50% <odd>_#1", cluster, [Job("a-b_<i>", [1.0], [1.0]), Job("c", [2.0])]
    )
    explanation = explain(odd, "job-order")
    assert "on_map[a-b_<i>.0,n0.0]" in explanation.text()
    assert "on_map[a-b_&lt;i&gt;.0,n0.0]" in explanation.html()
    assert "<i>" not in explanation.html()
    assert r"50\% $<$odd$>$\_\#1" in explanation.latex()


@pytest.mark.parametrize("name", MODELS)
def test_text_fits_the_terminal_and_says_everything(name: str, toy: Instance) -> None:
    explanation = explain(suited(name, toy), name)
    text = explanation.text()
    assert max(map(len, text.splitlines())) <= WIDTH
    joined = " ".join(text.split())
    for statement in explanation.statements:
        assert f"({statement.label})" in joined
        assert as_text(statement.formula) in joined
        assert statement.words in joined


@pytest.mark.parametrize("name", MODELS)
def test_html_is_well_formed_and_loads_nothing(name: str, toy: Instance) -> None:
    page = explain(suited(name, toy), name).html()
    assert not re.search(r"src=|href=.(?!data:,)|url\(|<script|@import", page)
    checker = _Balanced()
    checker.feed(page)
    assert checker.open == []
    assert page.count("<math") > len(explain(name).statements)


class _Balanced(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", MODELS)
def test_latex_has_every_equation_and_balanced_braces(name: str, toy: Instance) -> None:
    explanation = explain(suited(name, toy), name)
    source = explanation.latex()
    for environment in ("document", "align", "description"):
        opened = source.count(f"\\begin{{{environment}}}")
        assert opened == source.count(f"\\end{{{environment}}}") > 0
    plain = re.sub(r"\\[{}]", "", source)
    assert plain.count("{") == plain.count("}")
    assert source.count(r"\tag{") == len(explanation.statements) + 1
    # pdfLaTeX knows no other letters beyond ASCII than those with a command of their own.
    assert source.isascii()


def test_document_is_json_and_complete(toy: Instance) -> None:
    explanation = explain(toy, "job-order")
    document = json.loads(json.dumps(explanation.document()))
    assert document["model"] == "job-order"
    assert [s["label"] for s in document["statements"]] == [s.label for s in explanation.statements]
    assert document["statements"][0]["formula"] == "∑_{k∈Qₘ} xₜₖ = 1"
    assert document["statements"][0]["components"] == ["J1_map_task_on_one_slot"]
    assert document["size"]["components"]["J1_map_task_on_one_slot"]["rows"] == 3
    assert explain("job-order").document()["size"] is None


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("x_{tk}", "xₜₖ"),
        ("u^k_{vv'}", "uᵏᵥᵥ′"),
        ("A^{\\min}_i", "Aᵐⁱⁿᵢ"),
        ("x_{s,k-1}", "xₛ,ₖ₋₁"),
        ("y_{w}", "y_{w}"),
        ("a \\le b - \\min_{i} c_i", "a ≤ b − minᵢ cᵢ"),
        ("\\{0, 1\\}", "{0, 1}"),
        ("\\text{a if b}", "a if b"),
    ],
)
def test_formula_as_text(formula: str, text: str) -> None:
    assert as_text(formula) == text


@pytest.mark.parametrize("formula", ["a_", "\\frac{a}{b}", "a}", "{a", "x ? y"])
def test_a_formula_outside_the_small_language_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match="formula"):
        as_text(formula)


@pytest.mark.parametrize("name", MODELS)
def test_formulas_are_latex_that_a_typesetter_accepts(name: str) -> None:
    from matplotlib.mathtext import MathTextParser

    parser = MathTextParser("path")
    for formula in filter(None, formulas(explain(name))):
        # The same commands under the only names that matplotlib has for them.
        formula = re.sub(r"\\(le|ge|ne)\b", r"\\\1q", formula)
        parser.parse(f"${formula.replace('mathcal M', 'mathcal{M}')}$")


letters = st.sampled_from(["a", "x'", "\\alpha", "12"])
scripted = st.builds("{}_{{{}}}^{{{}}}".format, letters, letters, letters)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(letters, scripted), min_size=1).map(" ".join))
def test_every_letter_of_a_formula_reaches_both_readers(formula: str) -> None:
    count = len(re.findall(r"[ax]'?|\\alpha|12", formula))
    assert len(re.findall(r"<m[in]>", as_mathml(formula))) == count
    text = as_text(formula)
    assert len(re.findall("[aₐᵃ]|[xₓˣ]|α|12|₁₂|¹²", text)) == count


def test_parameters_are_the_models_own(toy: Instance) -> None:
    """The worked example's coefficients, on which the rows above and the docs rest."""
    data = Coefficients(toy)
    assert data.head.tolist() == [12, 7]
    assert data.tail.tolist() == [22, 9]
    assert data.map_area.tolist() == [24, 7]
    assert data.reduce_area.tolist() == [44, 9]
