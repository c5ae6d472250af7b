"""Damage done to files at random: to their bytes, to their lines, and to what is in their JSON."""

import copy
import gzip
import json
import random
import re

EXTREME_NUMBERS = (
    0, -1, 1, 2, 0.5, -0.0, 1e-300, 1e-12, 1e12, 1e19, 1e300, 1e308, 10**9, 2**31, 2**53 + 1,
    2**63 - 1, 2**63, 10**30, 10**400, float("nan"), float("inf"), -float("inf"),
)  # fmt: skip
EXTREME_TEXTS = (
    "", " ", "x", "0", "-1", "nan", "1e999", "①", "٣", "x" * 300, "é" * 200, "a/b", "a.b", "../x",
    "\n", "\t", "\x00", "\x1b[31mred\x1b[0m", "\u202eab", "\ud800", "\u2028", "[bold]x[/nope]",
    "{0}", "%s", "<b>&", "'", '"', "\\", "true", "None", "default", "root", "<root>",
)  # fmt: skip
OTHER_VALUES = (None, True, False, [], {}, [[]], [None], {"": 0}, {"name": "x"}, [1, "2"])
TOKENS = (
    *(str(number) for number in EXTREME_NUMBERS if number != 10**400),
    *EXTREME_TEXTS,
    "9" * 400,
    "9" * 5000,
    "1e400",
    "500m",
    "0w",
    "infw",
    "-5%",
    "!!bool maybe",
    "!!int ''",
    "2001-99-99",
    "&a [*a]",
    "*a",
    "{{}: 1}",
    "[" * 300,
)
ENCODINGS = (
    "hex", "utf-7", "utf-16", "rot13", "idna", "punycode", "undefined", "latin-1", "ascii",
    "unicode_escape", "zlib", "no-such", "", "cp1252", "utf-32", "shift_jis", "mbcs",
)  # fmt: skip
BOMB = "".join(f"b{k}: &b{k} [{', '.join([f'*b{k - 1}' if k else 'x'] * 9)}]\n" for k in range(9))


def damaged(content: bytes, rng: random.Random) -> bytes:
    """One to three kinds of damage to a file of any format."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.choice((_document, _document, _document, _lines, _lines, _token, _bytes))
        content = kind(content, rng)
    if rng.random() < 0.1:
        content = _compressed(content, rng)
    return content


def _document(content: bytes, rng: random.Random) -> bytes:
    """Fields of a JSON document deleted, renamed, doubled, nested, or with other values."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return _token(content, rng)
    places = list(_places(document))
    if not places:
        return _token(content, rng)
    document = copy.deepcopy(document)
    for path in rng.choices(places, k=rng.choice((1, 1, 2, 4))):
        _change(document, path, rng)
    try:
        return json.dumps(document).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return content


def _places(value, path=()):
    if isinstance(value, dict):
        items = value.items()
    else:
        items = enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from _places(child, (*path, key))


def _change(document, path, rng):
    here = document
    try:
        for step in path[:-1]:
            here = here[step]
        old = here[path[-1]]
    except (KeyError, IndexError, TypeError):
        return  # an earlier change took the place away
    what = rng.randrange(9)
    if what == 0 and not isinstance(old, str):
        del here[path[-1]]
    elif what == 1 and isinstance(here, dict):
        here[rng.choice(EXTREME_TEXTS)] = here.pop(path[-1])
    elif what == 1 and isinstance(here, list):
        here.extend([here[path[-1]]] * rng.choice((1, 1, 50)))
    elif what == 2:
        here[path[-1]] = _nested(rng)
    elif what == 3:
        here[path[-1]] = rng.choice(OTHER_VALUES)
    elif what == 4 and isinstance(old, list):
        rng.shuffle(old)
    elif what == 5 and isinstance(old, dict | list):
        old.clear()
    elif isinstance(old, str):
        here[path[-1]] = rng.choice(EXTREME_TEXTS)
    else:
        here[path[-1]] = rng.choice(EXTREME_NUMBERS)


def _nested(rng):
    value = rng.choice((1, "x", None))
    for _ in range(rng.choice((3, 50, 400))):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return value


def _lines(content: bytes, rng: random.Random) -> bytes:
    """Lines deleted, doubled, exchanged, cut or put together."""
    lines = content.splitlines(keepends=True)
    if len(lines) < 2:
        return _token(content, rng)
    k, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(6)
    if what == 0:
        del lines[k]
    elif what == 1:
        lines.insert(other, lines[k])
    elif what == 2:
        lines[k], lines[other] = lines[other], lines[k]
    elif what == 3:
        lines[k] = lines[k].rstrip(b"\r\n") + rng.choice((b"", b"\r", b"\x85", b"\x0b"))
    elif what == 4:
        lines[k] = lines[k] * rng.choice((2, 30))
    else:
        lines = lines[:k]
    return b"".join(lines)


def _token(content: bytes, rng: random.Random) -> bytes:
    """A word or number replaced; XML gets another encoding, YAML a bomb of aliases."""
    if content.lstrip().startswith(b"<") and rng.random() < 0.2:
        declared = re.sub(rb"<\?xml[^>]*\?>", b"", content)
        version = f'<?xml version="1.0" encoding="{rng.choice(ENCODINGS)}"?>'
        return version.encode() + declared
    if rng.random() < 0.02:
        return BOMB.encode() + content
    found = list(re.finditer(rb"[\w.+-]+", content))
    if not found:
        return rng.choice(TOKENS).encode("utf-8", "surrogatepass") + content
    match = rng.choice(found)
    new = rng.choice(TOKENS).encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        new = rng.choice(found).group()
    return content[: match.start()] + new + content[match.end() :]


def _bytes(content: bytes, rng: random.Random) -> bytes:
    """Bits flipped, pieces cut, doubled or put in, the whole in another encoding."""
    begin = rng.randint(0, len(content))
    end = min(len(content), begin + rng.choice((1, 2, 5, 50, 5000)))
    what = rng.randrange(10)
    if what == 0 and content:
        place = rng.randrange(len(content))
        flipped = bytes([content[place] ^ (1 << rng.randrange(8))])
        return content[:place] + flipped + content[place + 1 :]
    if what == 1:
        return content[:begin]
    if what == 2:
        return content[:begin] + content[end:]
    if what == 3:
        return content[:end] + content[begin:end] * rng.choice((1, 20)) + content[end:]
    if what == 4:
        put_in = rng.choice(
            (b"\x00", b"\x1b", b"\xff\xfe", b"\xef\xbb\xbf", b"\x7f", b"\r", b"\xc3")
        )
        return content[:begin] + put_in + content[begin:]
    if what == 5:
        put_in = rng.choice((b"[", b"<a>", b"{", b"{a: ", b"- ")) * rng.choice((3, 2000, 100_000))
        return content[:begin] + put_in + content[begin:]
    if what == 6:
        return rng.choice((b"", b"\n", b"{}", b"[]", b"null", b"3", b"\x1f\x8b", b"PK\x03\x04"))
    if what == 7:
        text = content.decode("utf-8", "replace")
        return text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig")), "replace")
    if what == 8:
        return content * rng.choice((2, 20))
    return rng.randbytes(rng.choice((1, 40, 4000)))


def _compressed(content: bytes, rng: random.Random) -> bytes:
    """As gzip, whole or damaged, also twice."""
    zipped = gzip.compress(content, mtime=0)
    what = rng.randrange(4)
    if what == 0:
        return zipped[: rng.randrange(len(zipped))]
    if what == 1:
        place = rng.randrange(len(zipped))
        return zipped[:place] + bytes([zipped[place] ^ 0x55]) + zipped[place + 1 :]
    return gzip.compress(zipped) if what == 2 else zipped
