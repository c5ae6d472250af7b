"""The frame of all pages: one HTML file with all that it needs, which asks no host for anything."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from ..core.errors import printable
from ..core.wording import SPACE

PALETTE: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#14181d"),
    "ink": ("#1d232b", "#e4e8ec"),
    "soft": ("#59636f", "#a3adb8"),
    "line": ("#d5dae0", "#3a424b"),
    "tint": ("#f3f5f7", "#1e242b"),
    "link": ("#00558c", "#7cc4f5"),
    "good": ("#00664b", "#6fdcb4"),
    "good-tint": ("#e3f4ee", "#12332a"),
    "bad": ("#a3162b", "#ff9aa8"),
    "bad-tint": ("#fde9ec", "#421820"),
    "warn": ("#8a3b00", "#ffb37a"),
    "map": ("#f5f6f8", "#1e2228"),
    "reduce": ("#dfe7f2", "#1d2b41"),
    "lost": ("#b8bcc2", "#4a4f57"),
    "c0": ("#0072b2", "#5cb8f0"),
    "c1": ("#c24e00", "#ff9a57"),
    "c2": ("#007a5a", "#3fcf9f"),
    "c3": ("#a23f86", "#ea96cd"),
    "c4": ("#8a6500", "#e3bb3c"),
    "c5": ("#5a5ad0", "#a9a9ff"),
    "c6": ("#4a4f57", "#c3cad2"),
    "c7": ("#b3263c", "#ff8c9c"),
}
"""On light and on dark paper; `map`, `reduce` and `lost` are grounds of slots, `c0` to `c7` tell
series apart."""

LIGHT = {name: light for name, (light, _) in PALETTE.items()}


def page(
    title: str, body: str, *, styles: str = "", scripts: Sequence[str] = (), wasm: bool = False
) -> str:
    """A page with the styles that all share.

    `title`: as plain text.
    `styles`: CSS rules of this kind of page.
    `scripts`: JavaScript that runs after the body, no other does.
    `wasm`: whether they compile WebAssembly, in workers that they make.
    """
    assert not any("</script" in script for script in scripts), "a script would end its element"
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    allowed += ["'wasm-unsafe-eval'"] if wasm else []
    none = "'none'"
    policy = (
        f"default-src {none}; base-uri {none}; form-action {none}; img-src data:; "
        f"style-src 'unsafe-inline'; script-src {' '.join(allowed or [none])}"
        f"{'; worker-src blob:' if wasm else ''}"
    )
    light, dark = (
        " ".join(f"--{name}: {both[k]};" for name, both in PALETTE.items()) for k in range(2)
    )
    colours = (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
    sheet = f"{colours}{web_file(__package__, 'web/page.css')}{styles}"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{safe(title)}</title>\n<style>\n{sheet}</style>\n</head>\n"
        f"<body>\n{body}\n{''.join(f'<script>{script}</script>' for script in scripts)}\n"
        "</body>\n</html>\n"
    )


def safe(text: str) -> str:
    """Text as HTML that shows it as it is; control characters and half characters escaped."""
    return html.escape(printable(text, keep=f"\n\t{SPACE}"))


def data_element(name: str, document: Any) -> str:
    """JSON for a page's scripts, in an element of this id that no text in it can end."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def in_notebook(content: str, label: str, height: int) -> str:
    """A page within a notebook's cell, apart from the notebook's own styles and scripts."""
    return (
        f'<iframe srcdoc="{html.escape(content)}" title="{safe(label)}" '
        f'style="width: 100%; height: {height}px; border: 1px solid #8888"></iframe>'
    )


def web_file(package: str, path: str) -> str:
    """Text of a style or script that lies in a package."""
    return files(package).joinpath(path).read_text("utf-8")
