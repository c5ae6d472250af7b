"""Amounts as people write them."""

import pytest

from slotwise.core.errors import InputError
from slotwise.core.files.quantities import parse_size


@pytest.mark.parametrize(
    ("text", "size"),
    [("5", 5), ("5B", 5), ("1.5 kB", 1500), ("2M", 2 * 10**6), ("8gb", 8 * 10**9), ("1T", 10**12)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text, "x") == size


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1 PB", "1e9", "nan", "9" * 99, "0.1"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(InputError, match="--memory: need a size such as 500MB"):
        parse_size(text, "--memory")
