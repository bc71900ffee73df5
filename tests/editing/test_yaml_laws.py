"""YAML texts of all kinds: a change changes what it should, and its undo gives the bytes back."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.editing.yaml_editor import YamlEditor
from tests.editing.json_texts import random_value
from tests.editing.laws import check_broken, check_edit, check_removal
from tests.editing.paths import fitting, random_path
from tests.editing.yaml_texts import yaml_text

EDITOR = YamlEditor()
SEEDS = st.integers(0, 2**32)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_edits(seed: int) -> None:
    random = Random(seed)
    text = yaml_text(random)
    path = random_path(random, EDITOR.value(text, ()))
    check_edit(EDITOR, text, path, fitting(path, random_value(random)))
    check_removal(EDITOR, text, path)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_broken_texts(seed: int) -> None:
    random = Random(seed)
    text = yaml_text(random)
    at = random.randrange(len(text) + 1)
    garbled = (
        text[:at],
        text[at:],
        text[:at] + random.choice("[]{}\"':#-&*!|>?%@\t\\\n\x00\ufeff a") + text[at:],
        text[:at] + text[at + 1 :],
    )
    check_broken(EDITOR, random.choice(garbled))
