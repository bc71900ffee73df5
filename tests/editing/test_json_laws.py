"""JSON texts of all kinds: a change changes what it should, and its undo gives the bytes back."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from holdgate.core.editing.base import MISSING
from holdgate.core.editing.json_editor import JsonEditor
from holdgate.core.editing.plain import same
from tests.editing.json_texts import JsonWriter, random_mapping, random_value
from tests.editing.laws import check_broken, check_edit, check_removal
from tests.editing.paths import fitting, random_path

EDITOR = JsonEditor()
SEEDS = st.integers(0, 2**32)


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_edits(seed: int) -> None:
    random = Random(seed)
    data = random_mapping(random)
    text = JsonWriter(random).text(data)
    read = EDITOR.value(text, ())
    assert read is MISSING or same(read, data)
    path = random_path(random, data)
    check_edit(EDITOR, text, path, fitting(path, random_value(random)))
    check_removal(EDITOR, text, path)


@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_what_is_plain_json_stays_so(seed: int) -> None:
    random = Random(seed)
    data = random_mapping(random)
    text = json.dumps(data, indent=random.choice((None, 2, 4, "\t")), ensure_ascii=False)
    path = random_path(random, data)
    for new in (check_edit(EDITOR, text, path, 1), check_removal(EDITOR, text, path)):
        assert new is None or same(json.loads(new), EDITOR.value(new, ()))


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_broken_texts(seed: int) -> None:
    random = Random(seed)
    text = JsonWriter(random).text(random_mapping(random))
    at = random.randrange(len(text) + 1)
    garbled = (
        text[:at],
        text[at:],
        text[:at] + random.choice('{}[]",:/*\\\n\x00\ufeffN-1') + text[at:],
        text[:at] + text[at + 1 :],
    )
    check_broken(EDITOR, random.choice(garbled))
