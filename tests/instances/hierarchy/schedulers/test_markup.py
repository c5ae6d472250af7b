"""XML and YAML are read as their libraries read them, within bounds."""

import pytest

from slotwise.core.errors import InputError
from slotwise.instances.hierarchy.schedulers.markup import load_documents, read_xml


def refused(file, read):
    with pytest.raises(InputError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}: ")
    return str(error.value)


LAUGHS = "a0: &a0 [x, x]\n" + "".join(
    f"a{k + 1}: &a{k + 1} [*a{k}, *a{k}, *a{k}, *a{k}, *a{k}, *a{k}]\n" for k in range(40)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{k + 1}: &a{k + 1} {{<<: [*a{k}, *a{k}, *a{k}]}}\n" for k in range(40)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: " + 101 * "[" + 101 * "]", "line 1: nested more than 100 deep"),
        ("a: " + 100_000 * "[", "nested more than 100 deep"),
        ("".join(k * " " + "a:\n" for k in range(200)), "line 101: nested more than 100 deep"),
        (100_000 * "- ", "nested more than 100 deep"),
        (LAUGHS, "more than 1,000,000 values"),
        (MERGES, "more than 1,000,000 values"),
        ("a: &a [1, *a]", "line 1: alias 'a' holds itself"),
        ("a: &a\n  b: {<<: *a}", "line 2: alias 'a' holds itself"),
        ("a: *b", "not YAML"),
        ("a: " + "9" * 5000, "not YAML"),
        ("a: 2026-99-99", "not YAML"),
        ("a: !!bool x", "not YAML"),
        ("a: !!int ''", "not YAML"),
        ("a: !!timestamp x", "not YAML"),
        ("a: !!python/object:os.system x", "not YAML"),
        ("\0", "not YAML"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_yaml_without_bounds(tmp_path, text, message):
    file = tmp_path / "file.yaml"
    file.write_text(text)
    assert message in refused(file, load_documents)


def test_yaml_with_aliases(tmp_path):
    file = tmp_path / "file.yaml"
    file.write_text("a: &a {x: 1}\nb: [*a, *a]\nc: {<<: *a, y: 2}\n---\na: &a 2\nb: *a\n")
    one, two = load_documents(file)
    assert one == {"a": {"x": 1}, "b": [{"x": 1}, {"x": 1}], "c": {"x": 1, "y": 2}}
    assert two == {"a": 2, "b": 2}


LAUGHING = '<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{k + 1} "{10 * f"&a{k};"}">' for k in range(9))


def declared(entities, inside=""):
    return f'<?xml version="1.0"?><!DOCTYPE a [{entities}]><a>{inside}</a>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (101 * "<a>" + 101 * "</a>", "nested more than 100 levels deep"),
        (100_000 * "<a>\n", "nested more than 100 levels deep"),
        (declared('<!ENTITY x SYSTEM "file:///etc/hostname">', "&x;"), "not XML: undefined entity"),
        (declared(LAUGHING, "&a9;"), "not XML: limit on input amplification"),
        ("<a>&x;</a>", "not XML: undefined entity"),
        ("<a>", "not XML: no element found"),
        ('<?xml version="1.0" encoding="hex"?><a/>', "not XML"),
        ('<?xml version="1.0" encoding="utf-7"?><a/>', "not XML"),
        ('<?xml version="1.0" encoding="none"?><a/>', "not XML"),
        ('<?xml version="1.0" encoding="undefined"?><a/>', "not XML"),
        ("<b/>", "need the root element <a>, got <b>"),
        ("", "not XML"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_xml_without_bounds(tmp_path, text, message):
    file = tmp_path / "file.xml"
    file.write_text(text)
    assert message in refused(file, lambda path: read_xml(path, "a"))


def test_xml_as_the_standard_library_reads_it(tmp_path):
    file = tmp_path / "file.xml"
    file.write_text("<?xml version='1.0'?><!-- c --><a k='v'>x &amp; y<b>1</b>tail<b/></a>")
    root = read_xml(file, "a")
    assert root.attrib == {"k": "v"}
    assert root.text == "x & y"
    assert [(child.tag, child.text, child.tail) for child in root] == [
        ("b", "1", "tail"),
        ("b", None, None),
    ]
    file.write_bytes('<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'.encode("iso-8859-1"))
    assert read_xml(file, "a").text == "é"
