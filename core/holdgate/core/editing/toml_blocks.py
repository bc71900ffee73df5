"""Lines of a TOML text put in and taken out: keys below their header, and tables with theirs."""

from __future__ import annotations

from holdgate.core.editing.base import CannotChange, KeyPath
from holdgate.core.editing.toml_places import TomlPlaces
from holdgate.core.editing.toml_style import TomlStyle
from holdgate.core.editing.toml_tree import Pair


def with_pair(places: TomlPlaces, style: TomlStyle, table: KeyPath, key: str, value: object) -> str:
    """Put a key below the last one of a table that is there already. Raises CannotChange."""
    header = places.header_line(table)
    if not table:
        return _with_top_pair(places, style, (key,), value)
    if header is not None:
        inside = [places.lines[places.line(p.child.start)] for p in places.pairs_of(table)]
        first = inside[0] if inside else ""
        indent = first[: len(first) - len(first.lstrip())]
        line = indent + style.pair((key,), value)
        return _with_lines(places, places.end_of_block(table, header), line)
    dotted = [each for each in places.tree.pairs if _is_dotted_into(each, table)]
    if dotted:
        above = len(dotted[-1].table)
        keys = (*(str(each) for each in table[above:]), key)
        return _with_lines(places, places.pair_lines(dotted[-1])[1], style.pair(keys, value))
    # Only headers of tables below it name it. A header of its own would outlast the key.
    names = tuple(each for each in table if isinstance(each, str))
    if names != table:
        raise CannotChange("a table inside of a list of tables cannot be made here")
    return _with_top_pair(places, style, (*names, key), value)


def with_table(
    places: TomlPlaces,
    style: TomlStyle,
    header: tuple[str, ...],
    data: dict[str, object],
    *,
    array: bool,
) -> str:
    """Put a table at the end of the text, below a blank line. Raises CannotChange."""
    lines = style.table(header, data, array=array)
    return _with_lines(places, len(places.lines), (style.newline if places.lines else "") + lines)


def without_pair(places: TomlPlaces, pair: Pair) -> str:
    """Take out a key with its lines, and the blank line that `with_pair` has put below it."""
    start, end = places.pair_lines(pair)
    alone = not pair.table and len(places.pairs_of(())) == 1
    if alone and (start == 0 or places.is_blank(start - 1)) and places.is_blank(end):
        end += 1
    return _without_lines(places, [(start, end)])


def without_tables(places: TomlPlaces, path: KeyPath) -> str:
    """Take out all that is written of a table: headers with what is below them, and dotted keys."""
    headers = [each.path for each in places.tree.headers if each.path[: len(path)] == path]
    dotted = [each for each in places.tree.pairs if _is_dotted_into(each, path)]
    blocks = [_block(places, each) for each in headers]
    return _without_lines(places, blocks + [places.pair_lines(each) for each in dotted])


def _block(places: TomlPlaces, table: KeyPath) -> tuple[int, int]:
    """Give the lines of a table with one gap: that below it, for the last table that above it."""
    start = places.header_line(table) or 0
    end = places.end_of_block(table, start)
    while places.is_blank(end):
        end += 1
    if end == len(places.lines) and places.is_blank(start - 1):
        start -= 1
    return start, end


def _with_top_pair(
    places: TomlPlaces, style: TomlStyle, keys: tuple[str, ...], value: object
) -> str:
    """Put a key of the top level above the first header and its comments."""
    line = style.pair(keys, value)
    if places.pairs_of(()):
        return _with_lines(places, places.end_of_block((), -1), line)
    at = places.stop(-1)
    if at == len(places.lines):
        return _with_lines(places, at, line)
    while at > 0 and places.is_comment(at - 1):
        at -= 1
    return _with_lines(places, at, line + style.newline)


def _is_dotted_into(pair: Pair, table: KeyPath) -> bool:
    return len(pair.table) < len(table) < len(pair.path) and pair.path[: len(table)] == table


def _with_lines(places: TomlPlaces, at: int, put: str) -> str:
    """Put lines before a line; a text without a last line end stays one."""
    above, below = "".join(places.lines[:at]), "".join(places.lines[at:])
    if above and not above.endswith("\n"):
        newline = "\r\n" if put.endswith("\r\n") else "\n"
        return above + newline + put.removesuffix(newline)
    return above + put + below


def _without_lines(places: TomlPlaces, ranges: list[tuple[int, int]]) -> str:
    gone = {line for start, end in ranges for line in range(start, end)}
    text = "".join(line for at, line in enumerate(places.lines) if at not in gone)
    if len(places.lines) - 1 in gone and not places.lines[-1].endswith("\n"):
        text = text.removesuffix("\n").removesuffix("\r")
    return text
