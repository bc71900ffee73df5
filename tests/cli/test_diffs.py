"""Diffs that people see: what changes, and no secret of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdgate.cli.diffs import diff
from holdgate.core.agents.confidential import confidential
from holdgate.core.editing.table import EDITORS


def test_no_secret_of_the_person_is_shown() -> None:
    before = (
        '{"apiKey": "abcdef-123", "token":"zzzzzzzz", "key": "env:MY_KEY", "a": 1}\n'
        '"keyEnv": "MY_KEY", "authKey": "AKIAIOSF", "passwd": "!x1"\n'
        "api_key = 'Qwertyuiop1'\nexport X=sk-abcdefgh12\ntoken: plainsecret9\nmax_tokens: 64000\n"
    )
    after = before + 'apiKey: "holdgate-x"\nkey: hgk-real-key-1\n'
    shown = "\n".join(
        line
        for old, new in ((before, after), (before, None), (None, after))
        for line in diff(Path("/f"), old, new, ("http://h", "holdgate-x"))
    )
    secrets = ("abcdef-123", "zzzz", "Qwerty", "sk-abc", "plainsecret9", "hgk-real", "AKIA", "!x1")
    for secret in secrets:
        assert secret not in shown
    for word in ("env:MY_KEY", '"MY_KEY"', "holdgate-x", "64000", '"a": 1'):
        assert word in shown


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("json", '{"headers": {"X-Api": "@"}, "a": ["--api-key", "@", "--token=@"]}'),
        ("json", '{"apiKeys": ["@", {"x": "@"}], "secret": {"a": "@"}, "GITHUB_PAT": "@"}'),
        (
            "json",
            '{"apiKey"  :\n  "@", "key": "a\\"@", "token": "x,@", "authKey": "}@", "pwd": "@"}',
        ),
        ("json", '{"url": "https://u:@@h/", "key": "$@", "refresh": "@", "my_token": "%@"}'),
        ("json", '{"Authorization": "Basic @", "u": "http://h/?q=@", "privateKey": "-- K\\n@\\n"}'),
        ("yaml", "key: |\n  @\n  b\npassword: >-\n  @\n  more\nkeys:\n  - @\n"),
        ("yaml", "api-key:\n  - openai=@\nset-env: [FOO_KEY=@]\n"),
        ("toml", 'password = """\n@\n"""\n[p.http_headers]\n"X-Custom" = "@"\n'),
        ("toml", 'http_headers = { "X-Custom" = "@" }\nargs = ["-y", "--token", "@"]\n'),
        ("dotenv", "export A_KEY='@'\nDB_PASSWORD=@ # c\n"),
    ],
)
def test_secrets_are_found_where_they_stand(format: str, text: str) -> None:
    before = text.replace("@@", "Sec0ndVALUE\0").replace("@", "Sec0ndVALUE").replace("\0", "@")
    after = before.replace(":", ": ")
    known = {*confidential(EDITORS[format].value(before, ()))}
    for new in (before + "\n#\n", after, None):
        assert "Sec0ndVALUE" not in "\n".join(diff(Path("/f"), before, new, (), known))


def test_what_is_no_secret_is_shown() -> None:
    text = (
        '{"$schema":"https://a/b.json","npm":"@ai/x","auth":{"selectedType":"gemini-api-key"},'
        '"author":"me","preferred_auth":"chatgpt","chatgpt_url":"u","key":"${MY_KEY}"}'
    )
    known = {*confidential(EDITORS["json"].value(text, ()))}
    assert known == {"chatgpt"}
    shown = "\n".join(diff(Path("/f"), text, None, (), known))
    assert text.replace('"chatgpt"', '"***"') in shown
