"""Hadoop's XML files: reading with one-line errors, writing with an indent."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers.expat import ExpatError, ParserCreate

from ..advice import kind_hint
from ..errors import InputError
from .inputs import MOST_DEPTH, MOST_VALUES, read_bytes


def read_xml(path: str | Path, root: str) -> Element:
    """Read an XML file.

    `root`: name that its root element must have.
    Raises `InputError` if it is not XML or has another root.
    """
    content = read_bytes(path)
    try:
        element = _parsed(content, path)
    except InputError:
        raise
    except (ExpatError, ValueError, LookupError) as error:  # the latter two for an odd encoding
        other = "" if f"<{root}".encode() in content else kind_hint(content)
        raise InputError(f"{path}: not XML: {error}{other}") from None
    if element.tag != root:
        got = f"got <{element.tag}>{kind_hint(content)}"
        raise InputError(f"{path}: need the root element <{root}>, {got}")
    return element


def _parsed(content: bytes, path: str | Path) -> Element:
    """The tree of a document whose depth and size are bounded and that declares no entities.

    Entities can name other files, and repeat one another until memory is full.
    """
    builder = ElementTree.TreeBuilder()
    parser = ParserCreate()
    depth = elements = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, elements
        depth, elements = depth + 1, elements + 1
        if depth > MOST_DEPTH:
            line = parser.CurrentLineNumber
            raise InputError(f"{path}: line {line}: nested more than {MOST_DEPTH} levels deep")
        if elements > MOST_VALUES:
            raise InputError(f"{path}: more than {MOST_VALUES:,} elements")
        builder.start(name, attributes)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name)

    def entity(name: str, *_: object) -> None:
        line = parser.CurrentLineNumber
        raise InputError(f"{path}: line {line}: declares the entity {name!r}, which is not read")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = entity
    parser.Parse(content, True)
    return builder.close()


def xml_text(root: Element) -> str:
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
