"""Listed models: a vendor's list as Models, with how much fits in where the vendor tells it."""

from __future__ import annotations

import msgspec

from holdgate.core.values.settings import Model

_MOST = 1 << 40  # tokens; whatever is more is none


class _Entry(msgspec.Struct):
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

    def model(self) -> Model:
        return Model(
            id=(_text(self.id) or _text(self.name)).removeprefix("models/"),
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
    data: list[_Entry] | None = None
    models: list[_Entry] | None = None


def models_of(body: bytes) -> tuple[Model, ...]:
    """Give the models of a list in OpenAI's, Anthropic's or Gemini's form, each once.

    Together writes the bare array. Raises ValueError or RecursionError for what is no list.
    """
    found = msgspec.json.decode(body, type=_List | list[_Entry])
    entries = found if isinstance(found, list) else found.data or found.models or []
    models = (entry.model() for entry in entries)
    return tuple({model.id: model for model in models if model.id}.values())


def _text(told: object) -> str:
    return told if isinstance(told, str) else ""


def _first(*told: object) -> int:
    """Give the first that is a number of tokens, 0 if none is."""
    for each in told:
        if isinstance(each, int) and not isinstance(each, bool) and 0 < each < _MOST:
            return each
    return 0
