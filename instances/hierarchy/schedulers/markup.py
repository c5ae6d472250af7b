"""XML and YAML as schedulers write them, with bounds on depth and on what is repeated."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ....core.advice import kind_hint
from ....core.errors import InputError
from ....core.files.inputs import read_bytes

MOST_DEPTH = 100
"""Deepest nesting; scheduler files have some ten levels."""

MOST_VALUES = 1_000_000
"""Most values of a YAML or elements of an XML file."""

TEMPLATE_PATTERN = re.compile(rb"\{\{-?\s*[\w.$(]")
"""What Helm and Go put where the values go."""


def read_xml(path: str | Path, root: str) -> Element:
    """Read an XML file whose root element is called `root`. Raises `InputError`."""
    content = read_bytes(path)
    depth = elements = 0
    document = ElementTree.iterparse(io.BytesIO(content), ("start", "end"))
    try:
        for event, _ in document:
            depth += 1 if event == "start" else -1
            elements += event == "start"
            if depth > MOST_DEPTH:
                raise InputError(f"{path}: nested more than {MOST_DEPTH} levels deep")
            if elements > MOST_VALUES:
                raise InputError(f"{path}: more than {MOST_VALUES:,} elements")
    except InputError:
        raise
    except (ElementTree.ParseError, ValueError, LookupError) as error:  # the latter: odd encodings
        other = "" if f"<{root}".encode() in content else kind_hint(content)
        raise InputError(f"{path}: not XML: {error}{other}") from None
    element: Element = document.root  # type: ignore[attr-defined]  # it is documented
    if element.tag != root:
        got = f"got <{element.tag}>{kind_hint(content)}"
        raise InputError(f"{path}: need the root element <{root}>, {got}")
    return element


def xml_text(root: Element) -> str:
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def load_documents(path: str | Path) -> list[Any]:
    """All documents of a YAML file. Raises `InputError`."""
    import yaml

    content = read_bytes(path)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_bounded(yaml.parse(content, Loader=loader), path)
        return list(yaml.load_all(content, Loader=loader))
    except InputError:
        raise
    # A tag that does not fit its value (`!!int x`, `!!bool x`) is no YAMLError.
    except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError) as error:
        if TEMPLATE_PATTERN.search(content):
            raise InputError(
                f"{path}: a template ({{{{ … }}}}), not YAML yet: render it first, with "
                "`helm template` or what it is made for"
            ) from None
        # libyaml has a bound of its own, which its scanner meets before the event is seen here.
        if "maximum nesting depth" in str(error):
            raise InputError(f"{path}: nested more than {MOST_DEPTH} deep") from None
        raise InputError(f"{path}: not YAML: {error}{kind_hint(content, 'kueue')}") from None


def _check_bounded(events: Iterable[Any], path: str | Path) -> None:
    """Raise `InputError` for documents too deep, too large, or without end.

    An alias counts as much as what it repeats: ten lines can stand for billions of values.
    """
    import yaml

    sizes: dict[str | None, int | None] = {}
    """Of what has an anchor; None while it is open."""
    open_collections: list[tuple[str | None, int]] = []
    values = 0
    for event in events:
        place = f"{path}: line {event.start_mark.line + 1}"
        if isinstance(event, yaml.DocumentStartEvent):
            sizes = {}
        elif isinstance(event, yaml.AliasEvent):
            repeated = sizes.get(event.anchor, 0)
            if repeated is None:
                raise InputError(f"{place}: alias {event.anchor!r} holds itself")
            values += repeated
        elif isinstance(event, yaml.ScalarEvent):
            values += 1
            sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            open_collections.append((event.anchor, values))
            values += 1
            sizes[event.anchor] = None
            if len(open_collections) > MOST_DEPTH:
                raise InputError(f"{place}: nested more than {MOST_DEPTH} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_collections.pop()
            sizes[anchor] = values - before
        if values > MOST_VALUES:
            raise InputError(f"{path}: more than {MOST_VALUES:,} values, aliases written out")
