"""Wrong configurations: each told with its line, all at once, and never with a key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdgate.core.config.load import load
from holdgate.core.config.masks import shown, type_of
from holdgate.core.config.problems import ConfigError, nearest_name

RELAY = '[providers.relay]\nchat = "https://relay.example/v1"\n'  # two lines
DURATION = 'allowed a duration such as "500ms", "15s", "2m" or "1h"'
MODEL_TABLE = "{ id = 'm', dialects = ['messages'] }"


def told(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(text, "config.toml")
    assert str(caught.value) == "\n".join(str(problem) for problem in caught.value.problems)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "[hold]\n\nafter = 'soon'\n",
            f'config.toml:3: hold.after: found "soon", {DURATION}',
        ),
        (
            RELAY + "concurency = 4\n",
            'config.toml:3: providers.relay.concurency: no such key; did you mean "concurrency"?',
        ),
        (
            "[servers]\n",
            'config.toml:1: servers: no such key; did you mean "server"?',
        ),
        (
            "[zzz]\n",
            "config.toml:1: zzz: no such key; "
            "allowed: server, hold, queue, providers, routes, callers",
        ),
        (
            "server = 1\n",
            "config.toml:1: server: found 1, allowed a table",
        ),
        (
            "[server]\nport = 70000\n",
            "config.toml:2: server.port: found 70000, allowed a port number from 0 to 65535",
        ),
        (
            "[server]\nlan = 'yes'\n",
            'config.toml:2: server.lan: found "yes", allowed true or false',
        ),
        (
            "[server]\nhost = '0.0.0.0'\n",
            'config.toml:2: server.host: found "0.0.0.0", '
            "allowed a loopback address such as 127.0.0.1, or any with lan = true",
        ),
        (
            "[server]\nlan = false\nhost = 'box.local'\n",
            'config.toml:3: server.host: found "box.local", '
            "allowed a loopback address such as 127.0.0.1, or any with lan = true",
        ),
        (
            "[server]\ncors_origins = ['a', 1]\n",
            'config.toml:2: server.cors_origins: found ["a", 1], '
            'allowed a list of texts such as ["a", "b"]',
        ),
        (
            "[server]\nmax_body = 1979-05-27\n",
            "config.toml:2: server.max_body: found a date or time, "
            'allowed a size such as "128MiB" or a number of bytes',
        ),
        (
            "[hold]\nform = 'of'\n",
            'config.toml:2: hold.form: found "of", allowed one of "auto", "comment", "off"',
        ),
        (
            f"[hold]\nafter = 1{'0' * 400}\n",
            f"config.toml:2: hold.after: found a huge number, {DURATION}",
        ),
        (
            "providers = 1\n",
            "config.toml:1: providers: found 1, allowed a table",
        ),
        (
            "[providers]\nrelay = 'https://a.example'\n",
            'config.toml:2: providers.relay: found "https://a.example", allowed a table',
        ),
        (
            "[providers.'a/b']\npreset = 'zai'\n",
            'config.toml:1: providers."a/b": found "a/b", '
            'allowed a name of letters, digits, ".", "_" and "-"',
        ),
        (
            "[providers.'..']\npreset = 'zai'\n",
            'config.toml:1: providers."..": found "..", '
            "allowed a name of at most 64 letters, not of dots alone",
        ),
        (
            f"[providers.{'a' * 65}]\npreset = 'zai'\n",
            f'config.toml:1: providers.{"a" * 65}: found "{"a" * 56}..., '
            "allowed a name of at most 64 letters, not of dots alone",
        ),
        (
            "[providers.relay]\nrpm = 1\n",
            "config.toml:1: providers.relay: needs a preset, or a base URL for a dialect it speaks "
            "(chat, responses, messages, gemini)",
        ),
        (
            "[providers.relay]\nchat = 'relay.example'\n",
            'config.toml:2: providers.relay.chat: found "relay.example", '
            "allowed an http:// or https:// address without login and query",
        ),
        (
            "[providers.x]\npreset = 'deepsek'\n",
            'config.toml:2: providers.x.preset: found "deepsek", allowed one of those that '
            'gateway presets shows; did you mean "deepseek"?',
        ),
        (
            RELAY + "headers = { 'X Y' = 'a' }\n",
            "config.toml:3: providers.relay.headers: found a table, "
            'allowed a table of header names and texts such as { "X-Team" = "a" }',
        ),
        (
            RELAY + "key = 'env:A'\nkeys = [{ value = 'env:B' }]\n",
            "config.toml:4: providers.relay.keys: "
            "both key and keys are set; put all of them into keys",
        ),
        (
            RELAY + "key = ''\n",
            "config.toml:3: providers.relay.key: found an empty text, "
            'allowed "env:NAME", "keyring:NAME", "file:PATH", or the key itself in one line',
        ),
        (
            RELAY + "key = 'env:'\n",
            "config.toml:3: providers.relay.key: found a text, "
            'allowed "env:NAME", "keyring:NAME", "file:PATH", or the key itself in one line',
        ),
        (
            RELAY + "keys = []\n",
            "config.toml:3: providers.relay.keys: found a list, "
            'allowed a list of tables such as [{ name = "home", value = "env:NAME" }]',
        ),
        (
            RELAY + "keys = [\n 'abc',\n]\n",
            "config.toml:4: providers.relay.keys[0]: found a text, "
            'allowed a table such as { name = "home", value = "env:A" }',
        ),
        (
            RELAY + "keys = [\n { value = 'env:A' },\n { name = 'default', value = 'env:B' },\n]\n",
            'config.toml:5: providers.relay.keys[1].name: found "default", '
            "allowed a name that no other key here has",
        ),
        (
            RELAY + "keys = [\n { name = 'a' },\n]\n",
            "config.toml:4: providers.relay.keys[0].value: missing; allowed "
            '"env:NAME", "keyring:NAME", "file:PATH", or the key itself in one line',
        ),
        (
            RELAY + "keys = [\n { value = 'env:A', conc = 1, rpm = -1 },\n]\n",
            'config.toml:4: providers.relay.keys[0].conc: no such key; did you mean "concurrency"?',
        ),
        (
            RELAY + "models = 'm'\n",
            'config.toml:3: providers.relay.models: found "m", allowed a list of model names, '
            'or of tables such as { id = "sonnet", context = 200000 }',
        ),
        (
            RELAY + "models = ['m', 3]\n",
            "config.toml:3: providers.relay.models[1]: found 3, "
            "allowed a model name or a table with its id",
        ),
        (
            RELAY + "models = [\n 'm',\n { id = 'm' },\n]\n",
            'config.toml:5: providers.relay.models[1]: found "m", allowed each model once',
        ),
        (
            RELAY + "models = [{ context = 1 }]\n",
            "config.toml:3: providers.relay.models[0].id: missing; "
            "it is the name that agents write",
        ),
        (
            RELAY + "models = [{ id = 'm', contxt = 1 }]\n",
            'config.toml:3: providers.relay.models[0].contxt: no such key; did you mean "context"?',
        ),
        (
            RELAY + "models = [{ id = 'm', dialects = ['chatt'] }]\n",
            'config.toml:3: providers.relay.models[0].dialects[0]: found "chatt", allowed one of '
            '"chat", "responses", "messages", "gemini"; did you mean "chat"?',
        ),
        (
            RELAY + f"models = [{MODEL_TABLE}]\n",
            'config.toml:3: providers.relay.models[0].dialects[0]: found "messages", '
            "allowed a dialect that the provider has a base URL for: chat",
        ),
        (
            RELAY + "[routes.r]\n",
            "config.toml:3: routes.r.candidates: "
            'needs at least one candidate, each "provider/model"',
        ),
        (
            RELAY + "[routes.r]\ncandidates = []\n",
            "config.toml:4: routes.r.candidates: "
            'needs at least one candidate, each "provider/model"',
        ),
        (
            RELAY + "[routes.r]\ncandidates = [\n 'relay/m',\n 'rely/m',\n]\n",
            'config.toml:6: routes.r.candidates[1]: found "rely/m", '
            'allowed a provider of this file (relay); did you mean "relay/m"?',
        ),
        (
            "[routes.r]\ncandidates = ['relay/m']\n",
            'config.toml:2: routes.r.candidates[0]: found "relay/m", '
            "allowed a provider of this file (none is set up)",
        ),
        (
            RELAY + "[routes.r]\ncandidates = ['relay']\n",
            'config.toml:4: routes.r.candidates[0]: found "relay", allowed "provider/model"',
        ),
        (
            RELAY + "[routes.relay]\ncandidates = ['relay/m']\n",
            'config.toml:3: routes.relay: found "relay", allowed a name that no provider has',
        ),
        (
            RELAY + "[routes.'a/b']\ncandidates = ['relay/m']\n",
            'config.toml:3: routes."a/b": found "a/b", '
            "allowed a model name without spaces and slashes",
        ),
        (
            RELAY + "[routes.r]\ncandidates = ['relay/m']\norder = 'any'\n",
            'config.toml:5: routes.r.order: found "any", '
            'allowed one of "given", "rotate", "least-busy"',
        ),
        (
            "[callers.c]\nmatch = { agnt = 'x' }\n",
            'config.toml:2: callers.c.match.agnt: no such key; did you mean "agent"?',
        ),
        (
            "[callers.c]\nmatch = 'x'\n",
            'config.toml:2: callers.c.match: found "x", allowed a table',
        ),
        (
            "[callers.c]\npriority = 'low'\n",
            'config.toml:2: callers.c.priority: found "low", '
            'allowed one of "foreground", "background"',
        ),
        (
            "[callers.c.hold]\nopen_after = 'late'\n",
            f'config.toml:2: callers.c.hold.open_after: found "late", {DURATION}',
        ),
        (
            "[callers.c]\nqueue = { lenght = 1 }\n",
            'config.toml:2: callers.c.queue.lenght: no such key; did you mean "length"?',
        ),
    ],
)
def test_each_kind_of_problem_has_its_line(text: str, line: str) -> None:
    assert told(text)[0] == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[server]\nport =\n", "config.toml:2: not valid TOML: Invalid value (column 7)"),
        ("[server\n", "config.toml:1: not valid TOML: "),
        ("[server]\nport = 1\nport = 2\n", "config.toml:3: not valid TOML: "),
        ("[server]\n\nhost = '", "config.toml:3: not valid TOML: "),
        ("a = " + "[" * 50_000, "config.toml:1: not valid TOML: nested too deeply"),
        ("a = " + "9" * 5_000, "config.toml:1: not valid TOML: "),
    ],
)
def test_what_is_no_toml(text: str, line: str) -> None:
    (problem,) = told(text)
    assert problem.startswith(line)


def test_all_problems_are_told_at_once_by_line() -> None:
    lines = told(
        "[routes.r]\ncandidates = ['rely/m']\n"
        + RELAY
        + "rmp = 4\nidle_timeout = 'x'\n[hold]\nform = 1\n"
    )
    assert [line.split(": ")[:2] for line in lines] == [
        ["config.toml:2", "routes.r.candidates[0]"],
        ["config.toml:5", "providers.relay.rmp"],
        ["config.toml:6", "providers.relay.idle_timeout"],
        ["config.toml:8", "hold.form"],
    ]


def test_a_wrong_provider_is_no_wrong_candidate() -> None:
    lines = told("[routes.r]\ncandidates = ['x/m']\n[providers.x]\npreset = 'nobody'\n")
    assert len(lines) == 1


def test_a_problem_as_data() -> None:
    with pytest.raises(ConfigError) as caught:
        load("[hold]\nform = 'of'\n", "config.toml")
    (problem,) = caught.value.problems
    assert problem.as_dict() == {
        "file": "config.toml",
        "line": 2,
        "key": "hold.form",
        "found": '"of"',
        "allowed": 'one of "auto", "comment", "off"',
        "nearest": "",
        "says": "",
        "text": str(problem),
    }


def test_nearest_names() -> None:
    assert nearest_name("DeepSeek", ["deepseek", "openai"]) == "deepseek"
    assert nearest_name("xyz", ["deepseek", "openai"]) == ""
    assert nearest_name("conc", ["on", "concurrency"]) == "concurrency"
    assert nearest_name("xyz", []) == ""


ODD_PLACES = (
    "[providers.relay]\nkey = '{secret}'\n",
    RELAY + "key = ['{secret}']\n",
    RELAY + "key = {{ value = '{secret}' }}\n",
    RELAY + 'key = """\n{secret}\n"""\n',
    RELAY + "key = 'env:'\nkye = '{secret}'\n",
    RELAY + "keys = '{secret}'\n",
    RELAY + "keys = ['{secret}']\n",
    RELAY + "keys = {{ home = '{secret}' }}\n",
    RELAY + "keys = [{{ name = 'a', value = ['{secret}'] }}]\n",
    RELAY + "keys = [{{ name = 'a', vale = '{secret}' }}]\n",
    RELAY + "keys = [{{ name = 'a', '{secret}' = 1 }}]\n",
    RELAY + "keys = [{{ value = 'a', concurrency = '{secret}' }}]\n",
    RELAY + "keys = [{{ name = '{secret}', value = 'a' }}, {{ name = '{secret}', value = 'b' }}]\n",
    RELAY + "key = '{secret}'\npreset = '{secret}'\n",
    RELAY + "key = '{secret}'\nrpm = '{secret}'\n",
    RELAY + "key = '{secret}'\nmodels = ['{secret}', '{secret}']\n",
    RELAY + "key = '{secret}'\n[hold]\nform = '{secret}'\n",
    RELAY + "key = '{secret}'\n[routes.r]\ncandidates = ['{secret}', '{secret}/m']\n",
    RELAY + "headers = {{ Authorization = 'Bearer {secret}', 'X Y' = '{secret}' }}\n",
    RELAY + "proxy = 'ftp://me:{secret}@proxy.example'\n",
    RELAY + "proxy = 'me:{secret}@proxy.example:8080'\n",
    "[providers.relay]\nchat = 'https://a.example/v1?key={secret}'\n",
    "[providers.relay]\nchat = '{secret}'\n",
    "[providers.'{secret}']\nrpm = 1\n",
    "[providers.'{secret}/a']\nrpm = 1\n",
    "[routes.'{secret}']\n",
    "['{secret}']\n",
    "['{secret}']\n['{secret}']\n",
    "['{secret}'\n",
    "{secret}\n",
    "key = {secret}\n",
    "[server]\nhost = '{secret}'\nport = '{secret}'\n",
    "[callers.c]\nmatch = '{secret}'\n",
)

BODY = st.text("ABCDEFGHabcdefgh0123456789", min_size=24, max_size=90)
# "a1" at the end: what is only letters, or only digits, may be a word or a number.
SECRETS = st.builds("{}{}a1".format, st.sampled_from(["sk-", "sk-ant-api03-", "AIza", ""]), BODY)


@given(secret=SECRETS, place=st.sampled_from(ODD_PLACES))
def test_no_message_ever_holds_a_key(secret: str, place: str) -> None:
    try:
        load(place.format(secret=secret), "config.toml")
    except ConfigError as error:
        for problem in error.problems:
            told_of_it = "\n".join(str(value) for value in problem.as_dict().values())
            # Nor a good part of it, as a shortened text might.
            for start in range(0, len(secret) - 12, 4):
                assert secret[start : start + 12] not in told_of_it


@pytest.mark.parametrize(
    "place",
    [
        RELAY + "key = ['{secret}']\nkeys = '{secret}'\n",
        RELAY + "keys = [{{ value = ['{secret}'] }}]\n",
        RELAY + "key = '{secret}'\nrpm = '{secret}'\n[routes.r]\ncandidates = ['{secret}']\n",
    ],
)
def test_a_key_need_not_look_like_one(place: str) -> None:
    secret = "correct horse battery"
    assert secret not in "\n".join(told(place.format(secret=secret)))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (1.5, "1.5"),
        ("a\nb", '"a\\nb"'),
        ([1, ["x"], {"a": 1}], '[1, ["x"], a table]'),
        ("x " * 60, '"' + "x " * 28 + "..."),
    ],
)
def test_values_as_people_write_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_types() -> None:
    values: tuple[object, ...] = (True, "a", " ", 1, 1.5, [], {}, None)
    assert [type_of(value) for value in values] == [
        "true or false", "a text", "an empty text", "a number", "a number", "a list", "a table",
        "a date or time",
    ]  # fmt: skip
