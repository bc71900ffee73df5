"""Secrets: where each is looked up, and what is said when it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdgate.core.store.secrets import KEYRING_SERVICE, SecretMissing, SecretStore


def no_keyring(service: str, name: str) -> str | None:
    raise ImportError(name)


def a_keyring(service: str, name: str) -> str | None:
    return {(KEYRING_SERVICE, "anthropic"): "sk-ring", (KEYRING_SERVICE, "bad"): "sk ring"}.get(
        (service, name)
    )


def missing(ref: str, store: SecretStore | None = None) -> str:
    with pytest.raises(SecretMissing) as caught:
        (store or SecretStore({}, keyring=no_keyring)).resolve(ref)
    return str(caught.value)


def test_the_key_itself() -> None:
    assert SecretStore({}).resolve("sk-or-v1:abc=/+").reveal() == "sk-or-v1:abc=/+"


def test_no_key_is_the_empty_secret() -> None:
    assert not SecretStore({}).resolve("")


def test_an_environment_variable() -> None:
    store = SecretStore({"KEY": "sk-env", "BLANK": ""})
    for ref in ("env:KEY", "ENV: KEY "):
        assert store.resolve(ref).reveal() == "sk-env"
    assert "OTHER is not set" in missing("env:OTHER", store)
    assert "BLANK is empty" in missing("env:BLANK", store)
    assert "env:NAME" in missing("env:", store)


@pytest.mark.parametrize("content", ["sk-file", "sk-file\n", "sk-file\r\n", "\ufeffsk-file\n"])
def test_a_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "key").write_bytes(content.encode())
    assert SecretStore({}).resolve(f"file:{tmp_path / 'key'}").reveal() == "sk-file"
    assert SecretStore({"HOME": str(tmp_path)}).resolve("file:~/key").reveal() == "sk-file"
    assert SecretStore({"USERPROFILE": str(tmp_path)}).resolve("file:~/key").reveal() == "sk-file"


def test_a_file_that_gives_no_key(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00sk-secret")
    assert "does not exist" in missing(f"file:{tmp_path / 'none'}")
    assert "is empty" in missing(f"file:{tmp_path / 'empty'}")
    assert "cannot be read" in missing(f"file:{tmp_path}")
    assert "not a text file" in missing(f"file:{tmp_path / 'binary'}")
    assert "file:PATH" in missing("file:")
    assert "file" in missing("file:~nobody-is-called-this/key")
    assert "cannot be read" in missing("file:a\0b")


def test_a_file_that_may_not_be_read() -> None:
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    said = missing("file:/etc/key", SecretStore({}, read_file=refuse))
    assert "cannot be read: Permission denied" in said


def test_the_systems_secret_store() -> None:
    store = SecretStore({}, keyring=a_keyring)
    assert store.resolve("keyring:anthropic").reveal() == "sk-ring"
    assert "keyring set holdgate other" in missing("keyring:other", store)
    assert "keyring:NAME" in missing("keyring:", store)
    assert "pip install 'holdgate[keyring]'" in missing("keyring:anthropic")


@pytest.mark.parametrize(
    "value", ["sk secret", " sk-secret", "sk-secret\n", "sk\tsecret", "sk\r\nX: secret",
              "sk\0secret", "sk-sécret", "sk-secret\x7f", "sk-secret…"],
)  # fmt: skip
def test_what_cannot_be_a_header_is_refused_and_never_shown(value: str, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(value.encode() + b" \n")
    store = SecretStore({"KEY": value}, keyring=a_keyring)
    for ref in (value, "env:KEY", f"file:{tmp_path / 'key'}", "keyring:bad"):
        said = missing(ref, store)
        assert "holds a space" in said
        assert "secret " not in said.replace("secret store", "")
        assert value not in said


def test_the_file_of_a_key_is_the_one_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sk-file")
    store = SecretStore({"HOME": str(tmp_path)}, keyring=no_keyring)
    for ref in ("file:~/key", f" FILE : {tmp_path}/key "):
        assert store.file_of(ref) == tmp_path / "key"
        assert store.resolve(ref).reveal() == "sk-file"
    for ref in ("", "sk-file", "file:", "file: ", "file", "env:HOME", "keyring:file:x"):
        assert store.file_of(ref) is None
