"""Rows of CSV files, and what is said of those that are none."""

from pathlib import Path

import pytest

from slotwise.core.errors import InputError
from slotwise.instances.csv_files import csv_rows


def test_rows_have_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b'\xef\xbb\xbfa\r\n\nb,"c\nd"\n\xc3\xa9')
    assert list(csv_rows(file)) == [(1, ["a"]), (3, ["b", "c\nd"]), (4, ["é"])]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"a\nb\xff\n", "not UTF-8 text .after line 0"), (b"x" * 200_000, "not CSV: field larger")],
    ids=["bytes", "long"],
)
def test_what_is_no_table(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(InputError, match=f"^{file}: {said}"):
        list(csv_rows(file))
