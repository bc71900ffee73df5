"""Files: entries kept as files, each with a record of what else must go when it goes."""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from holdgate.core.autostart.entries import switched_off
from holdgate.core.autostart.plans import FilePlan, Found, Plan
from holdgate.core.editing.files import replace_file

# The last line of each entry, a comment: by it an entry of ours is told from one of somebody else.
_RECORD = re.compile(r"^(?:# |<!-- )holdgate-autostart: (\{.*\})(?: -->)?\n?", re.MULTILINE)
_MODE = 0o644


@dataclass(frozen=True, slots=True)
class _Record:
    tray: bool
    made: tuple[str, ...]  # folders that were not there before, outermost first


class Files:
    """The shelf of the systems whose entries are files."""

    def find(self, plan: Plan) -> Found | None:
        """Say what is there."""
        plan = _file_plan(plan)
        try:
            text = Path(plan.file).read_bytes().decode(errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            return None
        record = _record_of(text)
        active = (plan.link is None or _leads_to(plan.link, plan.file)) and not switched_off(text)
        return Found(_RECORD.sub("", text), record.tray if record else None, active)

    def put(self, plan: Plan) -> tuple[str, ...]:
        """Write the file and the link, and the folders that are missing."""
        plan = _file_plan(plan)
        wrote = []
        if self.find(plan) != Found(plan.text, plan.tray, True):
            parents = [plan.file.parent, *([plan.link.parent] if plan.link else [])]
            made = [*_made_before(plan.file), *_missing(parents)]
            for parent in parents:
                Path(parent).mkdir(parents=True, exist_ok=True)
            _write(plan, _Record(plan.tray, tuple(made)))
            wrote.append(str(plan.file))
            if plan.link and not _leads_to(plan.link, plan.file):
                Path(plan.link).unlink(missing_ok=True)
                Path(plan.link).symlink_to(plan.file)
                wrote.append(str(plan.link))
        return tuple(wrote)

    def take(self, plan: Plan) -> tuple[str, ...]:
        """Remove the link, the file, and the folders that were made for them and are empty."""
        plan = _file_plan(plan)
        found = self.find(plan)
        if found is not None and found.tray is None:
            return ()
        removed, made = [], _made_before(plan.file)
        if plan.link and _leads_to(plan.link, plan.file):
            Path(plan.link).unlink()
            removed.append(str(plan.link))
        if found:
            Path(plan.file).unlink()
            removed.append(str(plan.file))
        for folder in reversed(made):
            with contextlib.suppress(OSError):  # somebody else uses it by now
                Path(folder).rmdir()
        return tuple(removed)

    def places(self, plan: Plan) -> tuple[str, ...]:
        """Give the paths of the file and of the link."""
        plan = _file_plan(plan)
        return tuple(str(path) for path in (plan.file, plan.link) if path)


def _file_plan(plan: Plan) -> FilePlan:
    assert isinstance(plan, FilePlan)
    return plan


def _leads_to(link: PurePath, file: PurePath) -> bool:
    path = Path(link)
    return path.is_symlink() and Path(path.parent, path.readlink()) == Path(file)


def _missing(folders: list[PurePath]) -> list[str]:
    """Give which of the folders, and of those that they are in, are not there; outermost first."""
    wanted = {each: None for folder in folders for each in (*reversed(folder.parents), folder)}
    return [str(each) for each in wanted if not Path(each).exists()]


def _made_before(file: PurePath) -> tuple[str, ...]:
    try:
        record = _record_of(Path(file).read_bytes().decode(errors="replace"))
    except OSError:
        return ()
    return record.made if record else ()


def _record_of(text: str) -> _Record | None:
    found = _RECORD.search(text)
    if found is None:
        return None
    try:
        record = json.loads(found[1])
        return _Record(bool(record["tray"]), tuple(map(str, record["made"])))
    except (ValueError, KeyError, TypeError):
        return None


def _write(plan: FilePlan, record: _Record) -> None:
    # Two hyphens would end a comment of XML.
    said = json.dumps({"tray": record.tray, "made": record.made}).replace("--", "-\\u002d")
    comment = "<!-- {} -->\n" if plan.file.suffix == ".plist" else "# {}\n"
    text = plan.text + comment.format(f"holdgate-autostart: {said}")
    replace_file(Path(plan.file), text.encode(), _MODE)
