"""Hadoop's XML files: reading with one-line errors, writing with an indent."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ..errors import InputError
from ..files import read_bytes


def read_xml(path: str | Path, root: str) -> Element:
    """The root element of a file. Raises `InputError` unless it is called `root`."""
    try:
        element = ElementTree.fromstring(read_bytes(path))
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: not XML: {error}") from None
    if element.tag != root:
        raise InputError(f"{path}: need the root element <{root}>, got <{element.tag}>")
    return element


def xml_text(root: Element, comment: str = "") -> str:
    """The document, indented; `comment` stands before the root."""
    ElementTree.indent(root)
    lines = ['<?xml version="1.0"?>']
    if comment:
        lines.append(f"<!-- {comment.replace('--', '- -')} -->")
    return "\n".join([*lines, ElementTree.tostring(root, encoding="unicode"), ""])
