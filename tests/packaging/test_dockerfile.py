"""The Dockerfile: hadolint finds nothing wrong, and what is copied is there.

There is no Docker where the tests run: hadolint parses as Docker does, and each step that could be
wrong for another reason is looked at here.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.packaging.validators import dockerfile_problems

HOUSE = Path(__file__).parents[2]
DOCKERFILE = HOUSE / "packaging/docker/Dockerfile"
IGNORED = HOUSE / "packaging/docker/Dockerfile.dockerignore"
TEXT = DOCKERFILE.read_text()


@pytest.mark.system("hadolint")
@pytest.mark.parametrize(
    ("good", "bad", "said"),
    [
        ("", "", ""),
        ("WORKDIR", "WORKDIRECTORY", "missing whitespace"),
        ("FROM python:3.13-slim\n", "FROM\n", "missing whitespace"),
        ("--interval=30s", "--intervals=30s", "nvalid"),
        ('["serve", "--lan"]', '["serve", "--lan"', "DL3025"),
        ("FROM python:3.13-slim\n", "FROM python\n", "DL3006"),
        ("--from=build", "--from=builder", "DL3022"),
        ("WORKDIR /src", "WORKDIR src", "DL3000"),
        ("&& install", "&& sudo install", "DL3004"),
        ("EXPOSE 4653", "EXPOSE 465300", "DL3011"),
    ],
)
def test_hadolint(tmp_path: Path, good: str, bad: str, said: str) -> None:
    assert good in TEXT
    found = dockerfile_problems(TEXT.replace(good, bad) if good else TEXT, tmp_path)
    assert said in found
    assert bool(said) == bool(found), found


def copied() -> list[str]:
    lines = re.findall(r"^COPY (?!--from)(.*)$", TEXT, re.MULTILINE)
    return [source for line in lines for source in line.split()[:-1]]


def test_what_is_copied_is_there_and_not_ignored() -> None:
    allowed = [line[1:] for line in IGNORED.read_text().splitlines() if line.startswith("!")]
    assert copied()
    for source in copied():
        assert (HOUSE / source).exists(), source
        assert any(fnmatch(source, pattern) for pattern in allowed), source


def test_nothing_else_gets_in() -> None:
    rules = [line for line in IGNORED.read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    assert {rule[1:] for rule in rules if rule[0] == "!"} == set(copied())


def test_it_does_not_run_as_root_and_says_where_it_listens() -> None:
    user = TEXT.index("\nUSER 10001")
    assert "--uid 10001" in TEXT
    assert user < TEXT.index("\nENTRYPOINT")
    assert 'CMD ["serve", "--lan"]' in TEXT
    assert "HOLDGATE_HOME=/data" in TEXT and "VOLUME /data" in TEXT
