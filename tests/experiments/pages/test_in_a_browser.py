"""Pages of campaigns in a browser without network: nothing sticks out."""

import run_tables
from browser import DESK, PHONE, browser, opened

import slotwise

SCRIPT = """() => {
  const wide = document.documentElement.clientWidth;
  const out = [...document.querySelectorAll("body *")].filter(
    one => !one.closest(".scroll, pre, svg") && one.getBoundingClientRect().right > wide + 0.5
  ).map(one => one.outerHTML.slice(0, 90));
  const clipped = [...document.querySelectorAll(".chart")].flatMap(chart => {
    const box = chart.getBoundingClientRect();
    return [...chart.querySelectorAll("text")].filter(text => {
      const own = text.getBoundingClientRect();
      return own.left < box.left - 0.5 || own.right > box.right + 0.5 ||
        own.bottom > box.bottom + 0.5;
    }).map(text => text.textContent);
  });
  return {out, clipped, pictures: document.querySelectorAll(".chart").length};
}"""


def test_nothing_sticks_out_on_a_phone_or_a_desk(tmp_path):
    rows = [
        {"instance": f"i{k}", "method": f"a method of a long name {m}", "best_bound": 9.0,
         "makespan": 10.0 + k * m / 9, "seconds": 10.0 ** (m - k), "nodes": k % 3,
         "shape": f"shape number {k % 7}", "load": 0.8 + k % 2 / 10}
        for k in range(9) for m in range(8)
    ]  # fmt: skip
    rows += [
        {"instance": "j", "kind": "policy", "status": "done", "method": name, "load": load,
         "mean_wait": 123456.789, "shape": "x" * 60}
        for load in (0.8, 0.9) for name in ("lotes", "tetris")
    ]  # fmt: skip
    rows.append({"instance": "i" * 300, "status": "error", "error": "e" * 200, "method": "m" * 200})
    table = run_tables.frame(rows, of_instance=["nodes", "shape", "load"])
    manifest = {"study": "s" * 200, "machine": {"host": "h" * 200}}
    folder = run_tables.write(tmp_path / "a.runs", table, manifest=manifest)
    page = tmp_path / "page.html"
    page.write_text(slotwise.report(folder).html, "utf-8")
    with browser() as chromium:
        for width in (PHONE, DESK):
            with opened(chromium, page, width) as tab:
                seen = tab.evaluate(SCRIPT)
            assert seen["pictures"] == 8
            assert seen["out"] == []
            assert seen["clipped"] == []
