"""The live dispatcher joined into one file, for programs that have no slotwise."""

from __future__ import annotations

import ast
from importlib.resources import files
from pathlib import PurePosixPath
from textwrap import indent

LAST = "live/dispatcher"
"""The module that needs all others."""

NOTE = """
Made by `slotwise list examples dispatcher.py` from several modules: make it again, do not edit it.
It imports nothing but the standard library."""

Imports = list[ast.Import | ast.ImportFrom]


def single_file() -> str:
    """Return the text of the file.

    Each module stands behind those that it imports, below its docstring as a comment.
    """
    imports: Imports = []
    texts: dict[str, str] = {}
    about = _join(LAST, imports, texts)
    last = texts.pop(LAST)
    head = f'"""{about}\n{NOTE}\n"""\n\n{_merged(imports)}'
    return f"{head}\n" + "\n\n".join([*texts.values(), last]) + "\n"


def _join(name: str, imports: Imports, texts: dict[str, str]) -> str:
    """Add the imports and the text of a module, and of those that it needs. Returns its docstring.

    It begins with docstring and imports.
    """
    source = files(__package__).joinpath(f"{name}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    about, end = ast.get_docstring(tree) or "", tree.body[0].end_lineno
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            end = node.end_lineno
            if isinstance(node, ast.Import) or not node.level:
                imports.append(node)
                continue
            folder = PurePosixPath(name).parents[node.level - 1]
            needed = str(folder / (node.module or "").replace(".", "/"))
            if needed not in texts:
                _join(needed, imports, texts)
    text = "\n".join(source.splitlines()[end:]).rstrip()
    comment = indent(about, "# ", lambda _: True).replace("# \n", "#\n")
    texts[name] = text if name == LAST else f"\n{comment}\n{text}"
    return about


def _merged(imports: Imports) -> str:
    """The imports, each once."""
    whole: set[str] = set()
    parts: dict[str, set[str]] = {}
    for node in imports:
        names = {alias.name for alias in node.names}
        if isinstance(node, ast.Import):
            whole |= names
        else:
            parts.setdefault(node.module or "", set()).update(names)
    lines = [f"from __future__ import {', '.join(parts.pop('__future__'))}", ""]
    lines += [f"import {name}" for name in sorted(whole)]
    lines += [f"from {name} import {', '.join(sorted(parts[name]))}" for name in sorted(parts)]
    return "\n".join(lines)
