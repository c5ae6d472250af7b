"""The colours of all pages, light and dark."""

from __future__ import annotations

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


def palette_css() -> str:
    """The colours as CSS variables: `--paper`, `--ink` and so on."""
    light, dark = (
        " ".join(f"--{name}: {both[k]};" for name, both in PALETTE.items()) for k in range(2)
    )
    return (
        f":root {{ color-scheme: light dark; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
