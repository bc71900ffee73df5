"""Vendors' keys on the command line: where one comes from, and where it is kept."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from holdgate.cli.options import WRONG_CONFIGURATION, Command, fail, tell

if TYPE_CHECKING:
    from holdgate.core.config.places import Places
    from holdgate.core.store.kept_keys import KeptKeys
    from holdgate.core.values.secret import Secret

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WAYS = "--key-env VAR, --key-stdin or --key-file PATH"


@dataclass(frozen=True, slots=True)
class KeyWish:
    """What the options say of the key."""

    env: str | None = None
    stdin: bool = False
    keyring: bool = False
    file: Path | None = None
    text: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether they say nothing."""
        return self == KeyWish()


@dataclass(frozen=True, slots=True)
class Asked:
    """For whom a key is asked: how the vendor is called, where it gives keys, and by which name.

    `optional`: there may be none. `never`: none is asked for.
    """

    title: str
    page: str = ""
    env: str = ""
    optional: bool = False
    never: bool = False


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A key: what stands for it in config.toml ("" while `keep` says where it goes first)."""

    secret: Secret
    ref: str = ""
    keep: Literal["", "file", "keyring"] = ""


def key_options(command: Command) -> Command:
    """Add the options for a key, passed as `key_env`, `key_stdin`, `keyring`, `key_file`, `key`."""
    options: list[Callable[[Command], Command]] = [
        click.option("--key-env", metavar="VAR", help="The key is in this environment variable."),
        click.option(
            "--key-stdin", is_flag=True, help="Read the key from the first line of stdin."
        ),
        click.option("--keyring", is_flag=True, help="Keep it in the system's secret store."),
        click.option(
            "--key-file",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="PATH",
            help="The key is in this file.",
        ),
        click.option("--key", metavar="KEY", help="The key itself; others may see it."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def wish_of(
    key_env: str | None, key_stdin: bool, keyring: bool, key_file: Path | None, key: str | None
) -> KeyWish:
    """Give what the options of `key_options` say; wrong together they end the program."""
    named = [key_env is not None, key_stdin, key_file is not None, key is not None]
    if sum(named) > 1:
        fail("name one key: --key-env, --key-stdin, --key-file or --key", WRONG_CONFIGURATION)
    if key_env is not None and not _VARIABLE.fullmatch(key_env):
        # Most likely it is the key itself.
        fail("--key-env wants the name of an environment variable", WRONG_CONFIGURATION)
    if keyring and (key_env is not None or key_file is not None):
        fail("--keyring keeps a key that is typed or piped in", WRONG_CONFIGURATION)
    return KeyWish(key_env, key_stdin, keyring, key_file, key)


def take_key(wish: KeyWish, asked: Asked, *, must_read: bool) -> GivenKey:
    """Give the key that the options name, or that somebody types.

    `must_read`: a key that cannot be read here ends the program; else it is a warning.
    """
    from holdgate.core.values.secret import Secret

    keep: Literal["file", "keyring"] = "keyring" if wish.keyring else "file"
    if wish.env is not None:
        return _reference(f"env:{wish.env}", must_read=must_read)
    if wish.file is not None:
        return _reference(f"file:{os.path.abspath(wish.file)}", must_read=must_read)
    if wish.text is not None:
        tell(
            "warning: a key in a command line stays in the shell's history, and other programs "
            f"of this machine see it while the command runs; better: {_WAYS}"
        )
        return GivenKey(_checked(wish.text), keep=keep)
    if wish.stdin:
        return GivenKey(_checked(_typed_or_piped(asked)), keep=keep)
    if asked.never and not wish.keyring:
        return GivenKey(Secret(""))
    typed = _typed(asked) if at_terminal() else ""
    if typed:
        return GivenKey(_checked(typed), keep=keep)
    return _without(asked)


def keep_key(given: GivenKey, kept: KeptKeys, name: str) -> str:
    """Put a key where it belongs and give what config.toml says of it."""
    from holdgate.core.store.secrets import SecretMissing

    try:
        match given.keep:
            case "file":
                return kept.to_file(name, given.secret)
            case "keyring":
                return kept.to_vault(name, given.secret)
    except (OSError, SecretMissing) as error:
        fail(f"the key cannot be kept: {error}")
    return given.ref


def kept_keys(places: Places) -> KeptKeys:
    """Give where keys are kept beside the configuration in force."""
    from holdgate.core.store.kept_keys import KeptKeys

    home = os.environ.get("HOME") or os.environ.get("USERPROFILE") or ""
    return KeptKeys(places.config_file.parent, home)


def _reference(ref: str, *, must_read: bool) -> GivenKey:
    from holdgate.core.config.masks import mask_text
    from holdgate.core.store.secrets import SecretMissing, SecretStore
    from holdgate.core.values.secret import Secret

    try:
        return GivenKey(SecretStore(os.environ).resolve(ref), ref)
    except SecretMissing as error:
        why = mask_text(str(error))  # the key itself may stand where its place should
        if must_read:
            fail(f"{why}; or add it untested: --no-test")
        tell(f"warning: {why}")
        return GivenKey(Secret(""), ref)


def _without(asked: Asked) -> GivenKey:
    """Nobody named a key: the vendor's usual variable counts, if it is set."""
    from holdgate.core.values.secret import Secret

    if asked.env and os.environ.get(asked.env):
        tell(f"the key is that of the environment variable {asked.env}")
        return _reference(f"env:{asked.env}", must_read=True)
    if not asked.optional:
        where = f"; it gives keys at {asked.page}" if asked.page else ""
        also = f", or set {asked.env}" if asked.env else ""
        fail(f"{asked.title} needs a key: {_WAYS}{also}{where}")
    return GivenKey(Secret(""))


def _checked(text: str) -> Secret:
    from holdgate.core.config.masks import is_reference
    from holdgate.core.store.secrets import SecretMissing, checked

    if is_reference(text):
        fail("that names where a key is: use --key-env or --key-file", WRONG_CONFIGURATION)
    try:
        return checked(text, "what was given as the key")
    except SecretMissing as error:
        fail(str(error))


def _typed_or_piped(asked: Asked) -> str:
    text = _typed(asked) if at_terminal() else (sys.stdin.readline() if sys.stdin else "").strip()
    if not text:
        fail("there is no key on stdin: pipe one in, such as from a password manager")
    return text


def _typed(asked: Asked) -> str:
    hints = [hint for hint in (asked.page, "it is not shown") if hint]
    if asked.env and os.environ.get(asked.env):
        hints.append(f"Enter alone: that of {asked.env}")
    elif asked.optional:
        hints.append("Enter alone: none")
    question = f"API key of {asked.title} ({'; '.join(hints)})"
    return prompt(question, default="", hide_input=True, show_default=False)


def at_terminal() -> bool:
    """Tell whether somebody can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def prompt(question: str, **options: Any) -> str:
    """Ask at the terminal; who presses Ctrl-C ends the program as anywhere else."""
    try:
        text: str = click.prompt(question, err=True, **options)
    except click.Abort:
        raise KeyboardInterrupt from None
    return text.strip()
