"""Discovery: which dialects a bare URL speaks, decided from what its usual places answered.

A vendor's error tells as much as its answer: "no such model" in a dialect's own shape comes from
something that speaks it, a page that says "not found" does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal
from urllib.parse import urlsplit

from holdgate.core.dialects.reading import Json, load, member
from holdgate.core.dialects.table import DIALECTS
from holdgate.core.relay.answers import Answer
from holdgate.core.values.names import DIALECT_NAMES, DialectName

# "perhaps": something that wants a key, has no room or fails stands there; it may be anything.
Speaks = Literal["yes", "perhaps", "no"]

# What people copy from a vendor's page along with the base; the longest first.
_ENDINGS: Final = (
    "/v1/chat/completions", "/v1beta/models", "/v1/messages", "/v1/responses", "/v1/models",
    "/chat/completions", "/responses", "/messages", "/models",
)  # fmt: skip
_VERSION = re.compile(r"/v\d+(?:alpha|beta)?\d*\Z")
# How servers say that they know no such path, also where the path names a model.
_NO_PATH = re.compile(
    r"cannot (?:get|post)\b|invalid url|unknown (?:request )?(?:path|route|url|endpoint)"
    r"|no such (?:path|route|endpoint|api)|unexpected endpoint|unrecognized request url"
    r"|(?:path|route|page|file|endpoint|url|resource)\b[^.]{0,80}\b(?:not found|does not exist)"
    r"|no static resource|\A\W*(?:404 )?(?:page )?not found\W*\Z|not supported (?:path|endpoint)",
    re.IGNORECASE,
)
# What answers look like: members of which one is enough.
_ANSWERS: Final[Mapping[DialectName, tuple[str, ...]]] = {
    "chat": ("choices",),
    "responses": ("output",),
    "messages": ("content", "stop_reason"),
    "gemini": ("candidates", "promptFeedback", "usageMetadata"),
}
# "There is nothing here" and "not in this way".
_ABSENT: Final = (404, 405, 410, 501)


def bases(url: str) -> Mapping[DialectName, tuple[str, ...]]:
    """Give the base URLs to try for each dialect, the likelier first.

    `url` is what a person has: with or without a version, or a whole endpoint. The forms are those
    of config.toml: Messages and Gemini take a root, OpenAI's two what stands before their path.
    """
    given = _trimmed(url)
    root = _VERSION.sub("", given)
    plain = root.removesuffix("/anthropic")
    openai = (given, root) if given != root and "/v1beta" not in given else (f"{root}/v1", root)
    if plain != root:
        openai = (f"{plain}/v1", plain)
    messages = (root,) if plain != root else (root, f"{root}/anthropic")
    return {
        "chat": _once(openai),
        "responses": _once(openai),
        "messages": _once(messages),
        "gemini": _once((plain,)),
    }


def list_places(url: str) -> tuple[tuple[DialectName, str], ...]:
    """Give where lists of models usually are, as dialect and base; each but once.

    An address counts again where the key stands in another header.
    """
    found: dict[tuple[str, str], tuple[DialectName, str]] = {}
    for dialect in DIALECT_NAMES:
        table = DIALECTS[dialect]
        for base in bases(url)[dialect]:
            found.setdefault((table.models_url(base), table.key_place), (dialect, base))
    return tuple(found.values())


def speaks(dialect: DialectName, answer: Answer) -> Speaks:
    """Tell by the answer to a tiny request whether a dialect is spoken there."""
    if answer.status is None or answer.is_page or answer.redirects:
        return "no"
    found = load(answer.body.strip().removeprefix(b"[").removesuffix(b"]"))
    if found is None:
        return "no"
    words = _words(dialect, answer)
    if answer.status < 300:
        return _by_answer(dialect, found, words)
    return _by_error(dialect, answer.status, found, words)


def passes(dialect: DialectName, answer: Answer) -> bool:
    """Tell whether a tiny request was answered as it should be."""
    found = load(answer.body)
    return answer.status == 200 and found is not None and _answers(dialect, found)


def chosen(tried: Iterable[tuple[DialectName, str, Speaks]]) -> dict[DialectName, str]:
    """Give for each dialect that is spoken the first base at which it is."""
    found: dict[DialectName, str] = {}
    for dialect, base, how in tried:
        if how == "yes":
            found.setdefault(dialect, base)
    return found


def _by_answer(dialect: DialectName, found: Json, words: str) -> Speaks:
    if _answers(dialect, found):
        return "yes"
    # MiniMax tells errors with a good status; LM Studio tells so that it knows no such path.
    failed = any(found.get(name) for name in ("error", "base_resp"))
    return "perhaps" if failed and not _NO_PATH.search(words) else "no"


def _by_error(dialect: DialectName, status: int, found: Json, words: str) -> Speaks:
    own = _own_shape(dialect, found)
    if _NO_PATH.search(words):
        return "no"
    if status in _ABSENT:
        # A model may be unknown to what knows the dialect well.
        return "yes" if status == 404 and own and "model" in words.lower() else "no"
    if status in (400, 413, 422):
        return "yes"
    return "yes" if own and dialect in ("messages", "gemini") else "perhaps"


def _answers(dialect: DialectName, found: Json) -> bool:
    return any(found.get(name) is not None for name in _ANSWERS[dialect])


def _own_shape(dialect: DialectName, found: Json) -> bool:
    """Tell whether an error has the shape of a dialect; OpenAI's has many variants."""
    is_anthropic = found.get("type") == "error"
    is_google = isinstance(member(found, "error", "status"), str)
    match dialect:
        case "messages":
            return is_anthropic
        case "gemini":
            return is_google
        case _:
            return not is_anthropic and not is_google


def _words(dialect: DialectName, answer: Answer) -> str:
    return DIALECTS[dialect].error_words(answer.body) or DIALECTS["chat"].error_words(answer.body)


def _trimmed(url: str) -> str:
    parts = urlsplit(url.strip())
    bare = parts._replace(query="", fragment="").geturl().rstrip("/")
    for ending in _ENDINGS:
        if bare.endswith(ending):
            kept = "/v1" if ending.startswith("/v1/") else "/v1beta" if "beta" in ending else ""
            return bare.removesuffix(ending) + kept
    return bare


def _once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
