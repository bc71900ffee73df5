"""The names by which a vendor is told the agent's tools, and the way back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdgate.core.dialects.translation.base import ToolRef
from holdgate.core.dialects.translation.call_ids import digest_of
from holdgate.core.values.neutral import Custom, Hosted, Namespace, Tool

_DIGEST = 8


class ToolNames:
    """Tells each tool by its own name where the target takes it, else by one made from it.

    Two tools never share a name: where what is made is taken, a digest of the own name is added.
    Names of the history that are no tool (any more) are given a name when they are first asked for.
    """

    __slots__ = ("_forbidden", "_longest", "_namespaces", "_owners", "_refs", "_told")

    def __init__(
        self,
        tools: tuple[Tool, ...],
        *,
        forbidden: re.Pattern[str],
        longest: int,
        custom: bool,
        namespaces: bool,
    ) -> None:
        """Name `tools`; those whose name stays come first, so that nobody takes it from them.

        `forbidden` finds one character that the target does not take (`\\A` for the first only);
        `custom`, `namespaces`: whether it knows such tools.
        """
        self._forbidden = forbidden
        self._longest = longest
        self._namespaces = namespaces
        self._told: dict[tuple[str, str], str] = {}
        self._owners: dict[str, tuple[str, str]] = {}
        self._refs: dict[str, ToolRef] = {}
        for ref in sorted(_refs_of(tools), key=self._changes):
            told = self.told(ref.name, ref.namespace)
            if ref.custom and not custom:
                self._refs[told] = ref

    @property
    def refs(self) -> dict[str, ToolRef]:
        """The agent's tools by the names told so far: those that differ or lost their kind."""
        return dict(self._refs)

    def told(self, name: str, namespace: str = "") -> str:
        """Give the name that the vendor is told, for a tool or for a call in the history."""
        key = (name, "" if self._namespaces else namespace)
        told = self._told.get(key)
        if told is None:
            told = self._told[key] = self._free(*key)
            self._owners[told] = key
            if told != name:
                self._refs[told] = ToolRef(name, namespace)
        return told

    def _free(self, name: str, namespace: str) -> str:
        """Give a name that nobody has."""
        made = self._fit(_flat(name, namespace))
        salt = f"{namespace}\0{name}"
        while made in self._owners:
            digest = digest_of(salt, min(_DIGEST, self._longest))
            made = self._fit(f"{made[: max(0, self._longest - len(digest) - 1)]}_{digest}")
            salt += "\0"
        return made

    def _fit(self, name: str) -> str:
        """Give `name` without what is forbidden; a long one ends in a digest of what is cut."""
        fitting = self._forbidden.sub("_", name) or "_"
        if len(fitting) <= self._longest:
            return fitting
        digest = digest_of(name, min(_DIGEST, self._longest))
        return f"{fitting[: max(0, self._longest - len(digest) - 1)]}_{digest}"[-self._longest :]

    def _changes(self, ref: ToolRef) -> bool:
        namespace = "" if self._namespaces else ref.namespace
        return self._fit(_flat(ref.name, namespace)) != ref.name


def _flat(name: str, namespace: str) -> str:
    """Give the name that says both."""
    if not namespace:
        return name
    return namespace + name if namespace.endswith("__") else f"{namespace}__{name}"


def _refs_of(tools: tuple[Tool, ...]) -> Iterator[ToolRef]:
    for tool in tools:
        if isinstance(tool, Namespace):
            for inner in tool.tools:
                yield ToolRef(inner.name, tool.name, isinstance(inner, Custom))
        elif not isinstance(tool, Hosted):
            yield ToolRef(tool.name, "", isinstance(tool, Custom))
