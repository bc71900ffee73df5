"""Paths: every spelling of every path, and what nobody serves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.server.paths import Endpoint, dialect_of, is_control, is_page, resolve
from holdgate.core.values.errors import Fault, FaultKind
from holdgate.core.values.names import DialectName

PREFIXES = ("", "/v1", "/v1/v1")
GEMINI_PREFIXES = (
    "", "/v1", "/v1beta", "/v1/v1", "/v1beta/v1beta", "/v1/v1beta", "/v1beta/v1",
)  # fmt: skip
POSTED = (
    ("/chat/completions", Endpoint("generate", "chat")),
    ("/responses", Endpoint("generate", "responses")),
    ("/messages", Endpoint("generate", "messages")),
    ("/messages/count_tokens", Endpoint("count_tokens", "messages")),
    ("/embeddings", Endpoint("embeddings", "chat")),
)


def fault(method: str, path: str, query: str = "", upgrade: str = "") -> Fault:
    with pytest.raises(Fault) as caught:
        resolve(method, path, query, upgrade=upgrade)
    return caught.value


@pytest.mark.parametrize("ending", ["", "/", "?beta=true", "/?beta=true"])
@pytest.mark.parametrize("prefix", ["", "/v1", "/v1/v1", "//v1"])
@pytest.mark.parametrize(("path", "expected"), POSTED)
def test_posted_paths_with_any_prefix(
    path: str, expected: Endpoint, prefix: str, ending: str
) -> None:
    assert resolve("POST", prefix + path + ending) == expected
    assert resolve("POST", prefix + path, "beta=true") == expected


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("path", [path for path, _ in POSTED])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_another_method_on_a_posted_path_is_405(method: str, path: str, prefix: str) -> None:
    wrong = fault(method, prefix + path)
    assert (wrong.kind, wrong.status) == (FaultKind.METHOD, 405)
    assert wrong.headers == (("Allow", "POST"),)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_a_websocket_is_refused_so_that_clients_go_on_over_http(prefix: str) -> None:
    wrong = fault("GET", prefix + "/responses", upgrade="WebSocket")
    assert (wrong.kind, wrong.status) == (FaultKind.UPGRADE, 426)
    assert fault("GET", prefix + "/messages", upgrade="websocket").kind is FaultKind.METHOD
    assert fault("GET", prefix + "/responses", upgrade="h2c").kind is FaultKind.METHOD


@pytest.mark.parametrize("prefix", GEMINI_PREFIXES)
@pytest.mark.parametrize(
    ("verb", "kind", "stream"),
    [
        ("generateContent", "generate", False),
        ("streamGenerateContent", "generate", True),
        ("countTokens", "count_tokens", False),
    ],
)
@pytest.mark.parametrize(
    ("written", "model"),
    [
        ("gemini-3-pro", "gemini-3-pro"),
        ("deepseek/deepseek-chat", "deepseek/deepseek-chat"),
        ("deepseek%2Fdeepseek-chat", "deepseek/deepseek-chat"),
        ("ollama/qwen3:8b", "ollama/qwen3:8b"),
        ("ollama%2fqwen3%3A8b", "ollama/qwen3:8b"),
        ("models/gemini-3-pro", "gemini-3-pro"),
        ("m%C3%B6bius", "möbius"),
        ("a%252e%252e", "a%2e%2e"),
    ],
)
def test_gemini_methods(
    prefix: str, verb: str, kind: str, stream: bool, written: str, model: str
) -> None:
    for colon in (":", "%3A", "%3a"):
        found = resolve("POST", f"{prefix}/models/{written}{colon}{verb}", "key=1&alt=sse")
        assert (found.kind, found.dialect, found.model) == (kind, "gemini", model)
        assert (found.stream, found.alt_sse) == (stream, True)


@pytest.mark.parametrize(
    ("query", "alt_sse"),
    [
        ("alt=sse", True),
        ("?alt=sse", True),
        ("$alt=sse", True),
        ("%24alt=sse&key=x", True),
        ("", False),
        ("alt=json", False),
        ("key=alt", False),
        ("salt=sse", False),
    ],
)
def test_alt_sse(query: str, alt_sse: bool) -> None:
    path = "/v1beta/models/m:streamGenerateContent"
    assert resolve("POST", path, query).alt_sse is alt_sse


@pytest.mark.parametrize(
    "written",
    [
        "..", "%2e%2e", "a/..", "..%2fa", "../a", "a/./b", "a//b", "/a", "a%2F", "%20", "a%00b",
        "a%0Ab", "a%0d%0ab", "a%7f", "a%5Cb", "a\\b", "a%3Fb", "a%23b", "a#b", "%E2%80%A8",
        "%C2%85", "%ff", "models/", "models/..",
    ],
)  # fmt: skip
def test_a_model_that_can_be_none(written: str) -> None:
    posted = fault("POST", f"/v1beta/models/{written}:generateContent")
    assert (posted.kind, posted.status) == (FaultKind.REQUEST, 400)
    if not written.endswith("/") and "%3F" not in written:
        assert fault("GET", f"/v1/models/{written}").kind is FaultKind.REQUEST


def test_an_empty_model_is_no_model() -> None:
    assert fault("POST", "/v1beta/models/:generateContent").kind is FaultKind.REQUEST


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("prefix", GEMINI_PREFIXES)
def test_the_lists(method: str, prefix: str) -> None:
    dialect: DialectName = "gemini" if "beta" in prefix else "chat"
    for ending in ("", "/"):
        found = resolve(method, f"{prefix}/models{ending}", "limit=1000")
        assert found == Endpoint("models", dialect)
    for written, model in (
        ("gpt-6", "gpt-6"),
        ("relay/claude-sonnet-5", "relay/claude-sonnet-5"),
        ("relay%2Fclaude-sonnet-5/", "relay/claude-sonnet-5"),
        ("ollama/qwen3:8b", "ollama/qwen3:8b"),
        ("models/gemini-3-pro", "gemini-3-pro"),
    ):
        found = resolve(method, f"{prefix}/models/{written}")
        assert found == Endpoint("model", dialect, model)


def test_other_methods_on_models() -> None:
    for path in ("/v1/models", "/v1beta/models", "/v1/models/gpt-6"):
        for method in ("POST", "DELETE", "OPTIONS"):
            wrong = fault(method, path)
            assert wrong.kind is FaultKind.METHOD
            assert wrong.headers == (("Allow", "GET, HEAD"),)
    wrong = fault("GET", "/v1beta/models/m:generateContent")
    assert (wrong.kind, wrong.headers) == (FaultKind.METHOD, (("Allow", "POST"),))


@pytest.mark.parametrize("verb", ["embedContent", "predict", "generatecontent", "8b"])
def test_a_gemini_method_that_is_not_served_is_404(verb: str) -> None:
    wrong = fault("POST", f"/v1beta/models/m:{verb}")
    assert wrong.kind is FaultKind.NOT_FOUND
    assert ":streamGenerateContent" in wrong.message


@pytest.mark.parametrize("path", ["/", "/healthz", "/healthz/"])
def test_health(path: str) -> None:
    for method in ("GET", "HEAD"):
        assert resolve(method, path) == Endpoint("health", "chat")
    for method in ("POST", "OPTIONS"):
        assert fault(method, path).headers == (("Allow", "GET, HEAD"),)


@pytest.mark.parametrize(
    "path", ["/api", "/api/status", "/api/requests/7/cancel", "/api/?x=1", "/api?x=1"]
)
def test_control(path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        assert resolve(method, path).kind == "control"
    assert is_control(path)


@pytest.mark.parametrize("path", ["//api/keys", "/api.html", "/%61pi/keys", "/v1/api/keys", "api"])
def test_no_other_spelling_is_control(path: str) -> None:
    assert not is_control(path)
    assert fault("GET", path).kind is FaultKind.NOT_FOUND


@pytest.mark.parametrize(
    "path",
    [
        "", "*", "/v1", "/v1beta", "/v2/messages", "/v1/v1/v1/messages", "/v1beta/messages",
        "/v1/completions", "/v1/responses/resp_1", "/v1/messages/batches", "/apis", "/metrics",
        "/v1/v1/v1/models", "/v1beta/v1beta/v1beta/models/m:generateContent", "/favicon.ico",
        "/v1/%6Dessages", "/v1/../api/status", "http://127.0.0.1/v1/messages",
    ],
)  # fmt: skip
def test_an_unknown_path_is_404_and_names_the_served_ones(path: str) -> None:
    for method in ("GET", "POST", "OPTIONS"):
        wrong = fault(method, path, "key=secret")
        assert (wrong.kind, wrong.status) == (FaultKind.NOT_FOUND, 404)
        assert "/v1/chat/completions" in wrong.message
        assert "secret" not in wrong.message


def test_a_long_path_is_not_repeated_whole() -> None:
    assert len(fault("GET", "/" + "x" * 5000).message) < 600
    assert len(fault("POST", f"/models/{'x' * 5000}%00:countTokens").message) < 600


@pytest.mark.parametrize(
    ("path", "names", "dialect"),
    [
        ("/v1/messages", set(), "messages"),
        ("/messages/count_tokens", set(), "messages"),
        ("/v1/responses?x=1", set(), "responses"),
        ("/v1/chat/completions", {"anthropic-version"}, "chat"),
        ("/v1/models", set(), "chat"),
        ("/v1/models", {"anthropic-version"}, "messages"),
        ("/v1/complete", {"anthropic-version"}, "messages"),
        ("/v1beta/files", set(), "gemini"),
        ("/v1beta", set(), "gemini"),
        ("/v1/v1beta/files", set(), "gemini"),
        ("/v1betas", set(), "chat"),
        ("/models/m:generateContent", set(), "gemini"),
        ("/v1/models/m:countTokens", set(), "gemini"),
        ("/v1/models/m", set(), "chat"),
        ("/nothing", set(), "chat"),
        ("/api/status", set(), "chat"),
    ],
)
def test_the_dialect_of_an_error(path: str, names: set[str], dialect: str) -> None:
    assert dialect_of(path, names) == dialect


@given(
    method=st.sampled_from(["GET", "POST", "HEAD", "OPTIONS"]),
    parts=st.lists(
        st.sampled_from(["v1", "v1beta", "models", "api", "..", "%2e%2e", "", ":", "m"])
        | st.text(max_size=8),
        max_size=6,
    ),
    query=st.text(max_size=10),
)
def test_any_path_gives_an_endpoint_or_a_fault(method: str, parts: list[str], query: str) -> None:
    path = "/" + "/".join(parts)
    assert dialect_of(path, ())
    try:
        found = resolve(method, path, query)
    except Fault as wrong:
        assert wrong.kind in (FaultKind.NOT_FOUND, FaultKind.METHOD, FaultKind.REQUEST)
    else:
        assert found.model is None or not {"", ".", ".."} & set(found.model.split("/"))


# The page.


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        ("text/html", True),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", True),
        ("application/json, TEXT/HTML;q=0.5", True),
        ("*/*", False),
        ("", False),
        ("text/*", False),
        ("text/htmlx", False),
        ("x-text/html", False),
    ],
)
def test_the_root_is_the_page_for_who_asks_for_html(accept: str, page: bool) -> None:
    assert is_page("/", accept) is page
    kind = "page" if page else "health"
    assert resolve("GET", "/", accept=accept).kind == kind
    assert resolve("HEAD", "/", accept=accept).kind == kind
    assert resolve("GET", "/healthz", accept=accept).kind == "health"


@pytest.mark.parametrize("path", ["/page.js", "/page.css"])
def test_the_files_beside_the_page(path: str) -> None:
    assert resolve("GET", path).kind == "page"
    assert fault("POST", path).headers == (("Allow", "GET, HEAD"),)
    for other in (path + "/", "/" + path, "/v1" + path, path.upper(), path + "?x"):
        assert not is_page(other, "text/html")
