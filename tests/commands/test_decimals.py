"""Figures in the terminal's tables stand at their decimal points."""

from rich.console import Console, Group
from rich.table import Table

from slotwise.commands.rendering import with_points_aligned


def lines_of(cells: list[str]) -> list[str]:
    table = Table("name")
    table.add_column("gap", justify="right")
    for cell in cells:
        table.add_row("x", cell, style="bold")
    terminal = Console(width=60)
    with terminal.capture() as captured:
        terminal.print(with_points_aligned(Group(table)))
    return [line.split("│")[2] for line in captured.get().splitlines() if "│ x" in line]


def test_points_are_below_each_other_and_units_keep_their_numbers() -> None:
    lines = lines_of(["11.31 %", "0.625 %", "< 0.0001 %", "0 %", "–", ""])
    assert [line.strip() for line in lines] == ["11.31 %", "0.625 %", "< 0.0001 %", "0 %", "–", ""]
    assert {line.index(".") for line in lines[:3]} == {lines[0].index(".")}
    assert lines[3].index("0") == lines[0].index(".") - 1
    assert len({len(line) for line in lines}) == 1


def test_whole_numbers_stay_at_the_right() -> None:
    assert lines_of(["7", "1200", "30"]) == ["    7 ", " 1200 ", "   30 "]
