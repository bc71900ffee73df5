"""Listed models: a vendor's list as Models, with how much fits in where the vendor tells it."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from holdgate.core.values.settings import Model

_MOST = 1 << 40  # tokens; whatever is more is none
_LONGEST_NAME = 256
# Names go into agents' files, some of which put a variable or a file in the place of {env:A}.
_NO_NAME = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029{}]")


class Entry(msgspec.Struct):
    """An entry. OpenAI and Anthropic write `id`, Gemini `name`; sizes have many names.

    `context_length`: OpenRouter, Moonshot, Together; `max_input_tokens`, `max_tokens`: Anthropic;
    `inputTokenLimit`, `outputTokenLimit`: Gemini; `context_window`, `max_completion_tokens`: Groq;
    `max_model_len`: vLLM; `max_context_length`: Mistral. What is of another type is not told.
    """

    id: object = ""
    name: object = ""
    context_length: object = None
    max_input_tokens: object = None
    input_token_limit: object = msgspec.field(default=None, name="inputTokenLimit")
    context_window: object = None
    max_model_len: object = None
    max_context_length: object = None
    max_tokens: object = None
    output_token_limit: object = msgspec.field(default=None, name="outputTokenLimit")
    max_completion_tokens: object = None
    top_provider: object = None
    methods: object = msgspec.field(default=None, name="supportedGenerationMethods")

    @property
    def called(self) -> str:
        """The name by which a vendor is asked for it, "" if there is none that may be one."""
        name = (_text(self.id) or _text(self.name)).removeprefix("models/")
        return name if len(name) <= _LONGEST_NAME and not _NO_NAME.search(name) else ""

    @property
    def generates(self) -> bool:
        """Whether it answers; Gemini tells which ones do not."""
        return not isinstance(self.methods, list) or "generateContent" in self.methods

    def model(self) -> Model:
        """Give what is told of it."""
        return Model(
            id=self.called,
            context=_first(
                self.context_length, self.max_input_tokens, self.input_token_limit,
                self.context_window, self.max_model_len, self.max_context_length,
            ),
            output=_first(
                # Elsewhere `max_tokens` is as often the whole window.
                self.max_tokens if self.max_input_tokens else None,
                self.output_token_limit, self.max_completion_tokens, self._at_openrouter(),
            ),
        )  # fmt: skip

    def _at_openrouter(self) -> object:
        told = self.top_provider
        return told.get("max_completion_tokens") if isinstance(told, dict) else None


class _List(msgspec.Struct):
    """Some write null for a list that is empty, such as Ollama."""

    data: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET
    models: list[msgspec.Raw] | msgspec.UnsetType | None = msgspec.UNSET


_list: Final = msgspec.json.Decoder(_List | list[msgspec.Raw])
_entry: Final = msgspec.json.Decoder(Entry | str)


def models_of(body: bytes) -> tuple[Model, ...]:
    """Give the models of a list in OpenAI's, Anthropic's or Gemini's form, each once.

    Together writes the bare array. Raises ValueError or RecursionError for what is no list.
    """
    models = (entry.model() for entry in entries_of(body))
    return tuple({model.id: model for model in models if model.id}.values())


def entries_of(body: bytes) -> list[Entry]:
    """Give the entries as they stand there; see `models_of`. One that is none spoils no list."""
    found = _list.decode(body)
    if isinstance(found, _List):
        if found.data is msgspec.UNSET and found.models is msgspec.UNSET:
            raise ValueError("neither data nor models")
        found = found.data or found.models or []
    entries = [entry for raw in found if (entry := _read(raw)) is not None]
    if found and not entries:
        raise ValueError("a list of something else")
    return entries


def _read(raw: msgspec.Raw) -> Entry | None:
    try:
        found = _entry.decode(raw)
    except msgspec.ValidationError:
        return None
    return Entry(id=found) if isinstance(found, str) else found


def _text(told: object) -> str:
    return told if isinstance(told, str) else ""


def _first(*told: object) -> int:
    """Give the first that is a number of tokens, 0 if none is."""
    for each in told:
        if isinstance(each, int) and not isinstance(each, bool) and 0 < each < _MOST:
            return each
    return 0
