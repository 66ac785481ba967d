"""Tables for the terminal, aligned as kubectl aligns them."""

from collections.abc import Mapping, Sequence

import click


def render_table(rows: Sequence[Sequence[str]], colours: Mapping[str, str]) -> list[str]:
    """Format rows, the first of which is the header. Cells that are keys of `colours` are coloured."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [_line(row, widths, colours) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], colours: Mapping[str, str]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
    padded[-1] = padded[-1].rstrip()
    return "   ".join(
        click.style(text, fg=colours[cell]) if cell in colours else text for cell, text in zip(row, padded, strict=True)
    )
