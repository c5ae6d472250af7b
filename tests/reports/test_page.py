"""The frame of all pages, in a browser."""

from pathlib import Path

from browser import PHONE, browser, opened, sticks_out

from slotwise.reports.explain import explain
from slotwise.reports.page import PALETTE, data_element, in_notebook, page

INJECTED = "<script>document.title = 'injected'</script><p onclick=\"document.title = 'too'\">p</p>"


def test_only_the_scripts_of_a_page_run(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    own = ["document.body.dataset.first = 1", "document.body.dataset.second = 2"]
    path.write_text(page("<b> & c", INJECTED, scripts=own), "utf-8")
    with browser() as chromium:
        tab = chromium.new_page()
        tab.goto(path.as_uri())
        tab.click("p")
        assert tab.title() == "<b> & c"
        assert tab.evaluate("({...document.body.dataset})") == {"first": "1", "second": "2"}


def test_colours_follow_the_dark(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(page("t", "<p>p</p>"), "utf-8")
    with browser() as chromium:
        for dark in (False, True):
            with opened(chromium, path, dark=dark) as tab:
                paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
            wanted = PALETTE["paper"][dark]
            assert paper == f"rgb({', '.join(str(int(wanted[k : k + 2], 16)) for k in (1, 3, 5))})"


def test_data_cannot_end_its_element() -> None:
    assert "</script>x" not in data_element("data", {"name": "</script>x"})


def test_a_notebook_gets_the_page_as_text() -> None:
    shown = in_notebook(page("a", '<p class="b">'), "<label>", 100)
    assert shown.count("<") == 2  # of the frame
    assert "&lt;p class=&quot;b&quot;&gt;" in shown


def test_no_formulation_is_wider_than_a_phone(tmp_path):
    page = tmp_path / "model.html"
    with browser() as chromium:
        for name in ("job-order", "machine-assignment", "fair-share"):
            page.write_text(explain(name).html(), "utf-8")
            with opened(chromium, page, PHONE) as tab:
                assert tab.locator("math").count() > 10
                assert not sticks_out(tab)
