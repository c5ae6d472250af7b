"""YAML documents with bounds on their depth and on what their aliases repeat."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..advice import kind_hint
from ..errors import InputError
from .inputs import MOST_DEPTH, MOST_VALUES, read_bytes

TEMPLATE_PATTERN = re.compile(rb"\{\{-?\s*[\w.$(]")
"""What Helm and Go put where the values go."""


def load_documents(path: str | Path) -> list[Any]:
    """All documents of a YAML file.

    Raises `InputError` the file is not YAML, too deep or too large.
    """
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

    anchors: dict[str, int | None] = {}
    open_collections: list[tuple[str | None, int]] = []
    values = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            anchors = {}
        elif isinstance(event, yaml.AliasEvent):
            repeated = anchors.get(str(event.anchor), 0)
            if repeated is None:
                raise InputError(f"{_place(event, path)}: alias {event.anchor!r} holds itself")
            values += repeated
        elif isinstance(event, yaml.ScalarEvent):
            values += 1
            if event.anchor is not None:
                anchors[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            open_collections.append((event.anchor, values))
            values += 1
            if event.anchor is not None:
                anchors[event.anchor] = None
            if len(open_collections) > MOST_DEPTH:
                raise InputError(f"{_place(event, path)}: nested more than {MOST_DEPTH} deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_collections.pop()
            if anchor is not None:
                anchors[anchor] = values - before
        if values > MOST_VALUES:
            raise InputError(f"{path}: more than {MOST_VALUES:,} values, aliases written out")


def _place(event: Any, path: str | Path) -> str:
    return f"{path}: line {event.start_mark.line + 1}"
