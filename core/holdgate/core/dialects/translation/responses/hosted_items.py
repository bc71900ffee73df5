"""What tools that the vendor ran itself have left in a conversation, in words for another model."""

from __future__ import annotations

from holdgate.core.dialects.reading import Json, member, texts


def told_as_text(item: Json) -> str | None:
    """Give the words of an item in which there is something to read, else None."""
    match item.get("type"):
        case "mcp_call":
            called = f"{texts(item.get('server_label'))}.{texts(item.get('name'))}"
            error = item.get("error")
            said = texts(item.get("output")) or texts(error) or texts(member(error, "message"))
            return f"[{called}({texts(item.get('arguments'))})]\n{said}"
        case "code_interpreter_call":
            logs = _each(item.get("outputs"), "logs")
            return "\n".join(["[code]", texts(item.get("code")), "[output]", *logs])
        case "file_search_call":
            found = _each(item.get("results"), "text")
            return "\n".join(["[found in files]", *found]) if found else None
        case "agent_message":
            return "\n".join(_each(item.get("content"), "text")) or None
    return None


def _each(holders: object, name: str) -> list[str]:
    if not isinstance(holders, list):
        return []
    return list(filter(None, (texts(member(holder, name)) for holder in holders)))
