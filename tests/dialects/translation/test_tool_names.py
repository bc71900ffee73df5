from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.dialects.translation.base import ToolRef
from holdgate.core.dialects.translation.tool_names import ToolNames
from holdgate.core.values.neutral import Custom, Function, Namespace, Tool
from tests.dialects.translation.conversations import CALENDAR, LONG_NAME, NOTE, PATCH, READ, SEARCH

FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")
NAMES = st.text("ab._-é", max_size=8) | st.text(max_size=80)


def named(
    *tools: Tool, custom: bool = False, namespaces: bool = False, longest: int = 64
) -> ToolNames:
    return ToolNames(
        tools, forbidden=FORBIDDEN, longest=longest, custom=custom, namespaces=namespaces
    )


def test_a_good_name_is_kept() -> None:
    names = named(READ, SEARCH)
    assert names.told("read_file") == "read_file"
    assert names.refs == {}


def test_bad_characters_are_changed() -> None:
    names = named(Function("files.read"))
    assert names.told("files.read") == "files_read"
    assert names.refs == {"files_read": ToolRef("files.read")}


def test_a_first_character_may_be_forbidden_alone() -> None:
    forbidden = re.compile(r"\A[^a-zA-Z_]|[^a-zA-Z0-9_]")
    names = ToolNames((), forbidden=forbidden, longest=64, custom=False, namespaces=False)
    assert names.told("2.to3") == "__to3"


def test_a_long_name_is_cut_and_known_again() -> None:
    names = named(LONG_NAME)
    told = names.told(LONG_NAME.name)
    assert len(told) == 64
    assert told.startswith("mcp__a_server_with_a_long_name__and_a_tool_")
    assert names.refs == {told: ToolRef(LONG_NAME.name)}
    assert named(LONG_NAME, READ, NOTE).told(LONG_NAME.name) == told


def test_who_keeps_its_name_goes_first() -> None:
    names = named(Function("a.b"), Function("a b"), Function("a_b"))
    assert names.told("a_b") == "a_b"
    told = {names.told("a.b"), names.told("a b")}
    assert len(told) == 2
    assert all(re.fullmatch(r"a_b_[0-9a-z]{8}", name) for name in told)
    assert names.refs == {
        names.told("a.b"): ToolRef("a.b"),
        names.told("a b"): ToolRef("a b"),
    }


def test_custom_tools_are_known_again_where_they_are_functions() -> None:
    assert named(PATCH).refs == {"apply_patch": ToolRef("apply_patch", custom=True)}
    assert named(PATCH, custom=True).refs == {}


def test_namespaces_are_told_in_the_name() -> None:
    names = named(READ, CALENDAR)
    assert names.told("read_file") == "read_file"
    assert names.told("read_file", "calendar") == "calendar__read_file"
    assert names.refs == {
        "calendar__read_file": ToolRef("read_file", "calendar"),
        "calendar__note": ToolRef("note", "calendar", custom=True),
    }
    assert named(Namespace("mcp__a__", (READ,))).refs == {
        "mcp__a__read_file": ToolRef("read_file", "mcp__a__")
    }


def test_namespaces_stay_where_they_are_known() -> None:
    names = named(READ, CALENDAR, namespaces=True, custom=True)
    assert names.told("read_file", "calendar") == "read_file"
    assert names.refs == {}


def test_names_of_the_history_get_what_is_free() -> None:
    names = named(Function("a.b"))
    assert re.fullmatch(r"a_b_[0-9a-z]{8}", names.told("a_b"))
    assert names.told("gone") == "gone"
    assert names.told("gone.too") == "gone_too"
    assert names.refs["gone_too"] == ToolRef("gone.too")
    assert "gone" not in names.refs


@given(st.lists(st.tuples(NAMES, st.sampled_from(["", "ns", "n.s"]))), st.integers(16, 64))
def test_names_fit_and_are_told_apart(tools: list[tuple[str, str]], longest: int) -> None:
    half = len(tools) // 2
    told_as_tools = [
        Namespace(space, (Function(name),)) if space else Custom(name)
        for name, space in tools[:half]
    ]
    names = named(*told_as_tools, longest=longest)
    told = {tool: names.told(*tool) for tool in tools}
    assert len(set(told.values())) == len(told)
    for (name, space), vendor in told.items():
        assert 1 <= len(vendor) <= longest
        assert FORBIDDEN.search(vendor) is None
        ref = names.refs.get(vendor, ToolRef(vendor))
        assert (ref.name, ref.namespace) == (name, space)
    again = named(*told_as_tools, longest=longest)
    assert {tool: again.told(*tool) for tool in tools} == told
