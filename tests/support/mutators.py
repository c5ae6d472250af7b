"""Damage done to files at random: to their bytes, to their lines, and to what is in their JSON."""

import copy
import gzip
import json
import random
import re

NUMBERS = (
    0, -1, 1, 2, 0.5, -0.0, 1e-300, 1e-12, 1e12, 1e19, 1e300, 1e308, 10**9, 2**31, 2**53 + 1,
    2**63 - 1, 2**63, 10**30, 10**400, float("nan"), float("inf"), -float("inf"),
)  # fmt: skip
TEXTS = (
    "", " ", "x", "0", "-1", "nan", "1e999", "①", "٣", "x" * 300, "é" * 200, "a/b", "a.b", "../x",
    "\n", "\t", "\x00", "\x1b[31mred\x1b[0m", "\u202eab", "\ud800", "\u2028", "[bold]x[/nope]",
    "{0}", "%s", "<b>&", "'", '"', "\\", "true", "None", "default", "root", "<root>",
)  # fmt: skip
VALUES = (None, True, False, [], {}, [[]], [None], {"": 0}, {"name": "x"}, [1, "2"])
TOKENS = (
    *map(str, NUMBERS[:-4]), *TEXTS, "9" * 5000, "1e400", "500m", "0w", "infw", "-5%",
    "!!bool maybe", "!!int ''", "2001-99-99", "&a [*a]", "*a", "{{}: 1}", "[" * 300,
)  # fmt: skip
PIECES = (
    b"\x00", b"\x1b", b"\xff\xfe", b"\xef\xbb\xbf", b"\x7f", b"\r", b"\xc3", b"[" * 100_000,
    b"<a>" * 2000, b"{" * 2000, b"{a: " * 2000, b"- " * 2000,
)  # fmt: skip
ENCODINGS = ("hex", "utf-7", "utf-16", "rot13", "idna", "undefined", "latin-1", "no-such", "utf-32")
BOMB = "".join(f"b{k}: &b{k} [{', '.join([f'*b{k - 1}' if k else 'x'] * 9)}]\n" for k in range(9))


def damaged(content: bytes, rng: random.Random) -> bytes:
    """One to three kinds of damage to a file of any format."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        kind = rng.choice((_document, _document, _document, _lines, _lines, _token, _bytes))
        content = kind(content, rng)
    if rng.random() < 0.1:
        zipped = gzip.compress(content, mtime=0)
        place = rng.randrange(len(zipped))
        flipped = zipped[:place] + bytes([zipped[place] ^ 0x55]) + zipped[place + 1 :]
        content = rng.choice((zipped, zipped[:place], flipped, gzip.compress(zipped)))
    return content


def _document(content: bytes, rng: random.Random) -> bytes:
    """Fields of a JSON document deleted, renamed, doubled, nested, or with other values."""
    try:
        document = copy.deepcopy(json.loads(content))
        for path in rng.choices(list(_places(document)), k=rng.choice((1, 1, 2, 4))):
            _change(document, path, rng)
        return json.dumps(document).encode("utf-8", "surrogatepass")
    except (ValueError, LookupError, TypeError, RecursionError):
        return _token(content, rng)  # no JSON, or an earlier change took the place away


def _places(value, path=()):
    if isinstance(value, dict):
        items = value.items()
    else:
        items = enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from _places(child, (*path, key))


def _change(document, path, rng):
    *above, key = path
    here = document
    for step in above:
        here = here[step]
    old, what = here[key], rng.randrange(8)
    if what == 0 and not isinstance(old, str):
        del here[key]
    elif what == 1 and isinstance(here, dict):
        here[rng.choice(TEXTS)] = here.pop(key)
    elif what == 1:
        here.extend([old] * rng.choice((1, 1, 50)))
    elif what == 2:
        for _ in range(rng.choice((3, 50, 400))):
            old = [old] if rng.random() < 0.5 else {"a": old}
        here[key] = old
    elif what == 3:
        here[key] = rng.choice(VALUES)
    elif what == 4 and isinstance(old, list):
        rng.shuffle(old)
    elif what == 4 and isinstance(old, dict):
        old.clear()
    else:
        here[key] = rng.choice(TEXTS if isinstance(old, str) else NUMBERS)


def _lines(content: bytes, rng: random.Random) -> bytes:
    """Lines deleted, doubled, exchanged, cut or put together."""
    lines = content.splitlines(keepends=True)
    if len(lines) < 2:
        return _token(content, rng)
    k, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(5)
    if what == 0:
        del lines[k]
    elif what == 1:
        lines.insert(other, lines[k] * rng.choice((1, 30)))
    elif what == 2:
        lines[k], lines[other] = lines[other], lines[k]
    elif what == 3:
        lines[k] = lines[k].rstrip(b"\r\n") + rng.choice((b"", b"\r", b"\x85", b"\x0b"))
    else:
        lines = lines[:k]
    return b"".join(lines)


def _token(content: bytes, rng: random.Random) -> bytes:
    """A word or number replaced; XML gets another encoding, YAML a bomb of aliases."""
    if content.lstrip().startswith(b"<") and rng.random() < 0.2:
        version = f'<?xml version="1.0" encoding="{rng.choice(ENCODINGS)}"?>'
        return version.encode() + re.sub(rb"<\?xml[^>]*\?>", b"", content)
    if rng.random() < 0.02:
        return BOMB.encode() + content
    found = list(re.finditer(rb"[\w.+-]+", content)) or [re.match(rb"", content)]
    match = rng.choice(found)
    new = rng.choice(TOKENS).encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        new = rng.choice(found).group()
    return content[: match.start()] + new + content[match.end() :]


def _bytes(content: bytes, rng: random.Random) -> bytes:
    """Pieces cut, doubled or put in, the whole in another encoding or something else."""
    begin = rng.randint(0, len(content))
    end = min(len(content), begin + rng.choice((1, 2, 5, 50, 5000)))
    text = content.decode("utf-8", "replace")
    return rng.choice(
        (
            content[:begin],
            content[:begin] + content[end:],
            content[:begin] + bytes(byte ^ 4 for byte in content[begin:end]) + content[end:],
            content[:end] + content[begin:end] * rng.choice((1, 20)) + content[end:],
            content[:begin] + rng.choice(PIECES) + content[begin:],
            rng.choice((b"", b"\n", b"{}", b"[]", b"null", b"3", b"\x1f\x8b", b"PK\x03\x04")),
            text.encode(rng.choice(("utf-16", "utf-32", "utf-8-sig")), "replace"),
            content * 20,
            rng.randbytes(rng.choice((1, 40, 4000))),
        )
    )
