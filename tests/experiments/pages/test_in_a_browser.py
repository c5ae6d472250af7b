"""Pages of campaigns in a browser without network: nothing sticks out, keys hide their lines."""

import html
import json
import re
import shutil
import subprocess

import pytest
import run_tables

import slotwise

NAMES = ("chromium", "chromium-browser", "google-chrome")

SCRIPT = """
addEventListener("load", () => {
  const seen = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, wide = frame.clientWidth;
    const out = [...page.querySelectorAll("body *")].filter(one => !one.closest(".scroll, pre, svg")
      && one.getBoundingClientRect().right > wide + 0.5).map(one => one.outerHTML.slice(0, 90));
    const clipped = [...page.querySelectorAll(".chart")].flatMap(chart => {
      const box = chart.getBoundingClientRect();
      return [...chart.querySelectorAll("text")].filter(text => {
        const own = text.getBoundingClientRect();
        return own.left < box.left - 0.5 || own.right > box.right + 0.5 ||
          own.bottom > box.bottom + 0.5;
      }).map(text => text.textContent);
    });
    const crossed = [...page.querySelectorAll(".chart")].flatMap(chart => {
      const boxes = [...chart.querySelectorAll("text:not([transform])")].map(
        text => [text.textContent, text.getBoundingClientRect()]);
      return boxes.flatMap(([one, a], k) => boxes.slice(k + 1).filter(([, b]) =>
        a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom
      ).map(([other]) => one + " | " + other));
    });
    const key = page.querySelector(".key"), figure = key.closest("figure");
    const lines = () => figure.querySelectorAll(".chart g[data-series]:not(.off)").length;
    const before = lines();
    key.click();
    const hidden = lines();
    key.click();
    const pictures = page.querySelectorAll(".chart").length;
    seen[wide] = {out, clipped, crossed, lines: [before, hidden, lines()], pictures};
  }
  document.body.textContent = JSON.stringify(seen);
});
"""


def looked_at(page, folder, widths):
    """What a browser says of the page in frames of such widths."""
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        pytest.skip(f"no browser to open the page in: none of {', '.join(NAMES)} is installed")
    frames = "".join(
        f'<iframe style="width:{wide}px;height:900px;border:0" srcdoc="{html.escape(page)}">'
        "</iframe>"
        for wide in widths
    )
    outside = folder / "frames.html"
    outside.write_text(f"<!doctype html><body>{frames}<script>{SCRIPT}</script></body>", "utf-8")
    done = subprocess.run(
        [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0",
            "--window-size=1400,900", "--virtual-time-budget=5000", "--dump-dom",
            outside.as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    body = re.search(r"<body>(.*)</body>", done.stdout, re.DOTALL)[1]
    return json.loads(html.unescape(body))


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
    seen = looked_at(slotwise.report(folder).html, tmp_path, (390, 1280))
    for wide in ("390", "1280"):
        assert seen[wide]["pictures"] == 8
        assert seen[wide]["out"] == []
        assert seen[wide]["clipped"] == []
        assert seen[wide]["crossed"] == []
        assert seen[wide]["lines"] == [8, 7, 8]
