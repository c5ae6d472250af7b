"""The page of a formulation in a browser."""

from browser import PHONE, browser, opened, sticks_out

from slotwise.reports.explain import explain


def test_no_formulation_is_wider_than_a_phone(tmp_path):
    page = tmp_path / "model.html"
    with browser() as chromium:
        for name in ("job-order", "machine-assignment", "fair-share"):
            page.write_text(explain(name).html(), "utf-8")
            with opened(chromium, page, PHONE) as tab:
                assert tab.locator("math").count() > 10
                assert not sticks_out(tab)
