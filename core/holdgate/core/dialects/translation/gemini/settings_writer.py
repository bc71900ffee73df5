"""The settings for Gemini: `generationConfig`."""

from __future__ import annotations

import msgspec

from holdgate.core.dialects.translation.base import Target
from holdgate.core.dialects.translation.gemini.models import abilities_of
from holdgate.core.dialects.translation.gemini.thinking import write_thinking
from holdgate.core.values.neutral import Format, Loss, Request, Sampling

_Json = dict[str, object]
_MOST_STOPS = 5
_HOTTEST = 2.0
_SEEDS = range(-(2**31), 2**31)


class SettingsWriter:
    """Writes a request's settings; what cannot be said is in `losses`."""

    def __init__(self, target: Target) -> None:
        """Take whom the settings are for."""
        self.losses: list[Loss] = []
        self._target = target
        self._told: _Json = {}

    def write(self, request: Request) -> _Json:
        """Give the value of `generationConfig`."""
        self._sampling(request.sampling)
        if request.max_output > 0:
            most = self._target.output or request.max_output
            self._told["maxOutputTokens"] = min(request.max_output, most)
        if request.format is not None:
            self._format(request.format)
        if request.effort is not None:
            config, losses = write_thinking(request.effort, abilities_of(self._target.model))
            self.losses += losses
            if config:
                self._told["thinkingConfig"] = config
        return self._told

    def _sampling(self, said: Sampling) -> None:
        if said.temperature is not None:
            self._told["temperature"] = self._within("temperature", said.temperature, 0, _HOTTEST)
        if said.top_p is not None:
            self._told["topP"] = said.top_p
        if said.top_k is not None:
            self._told["topK"] = said.top_k
        for name, penalty in (
            ("presencePenalty", said.presence_penalty),
            ("frequencyPenalty", said.frequency_penalty),
        ):
            # Nothing at all is what 0 says, and some models refuse the member.
            if penalty:
                self._told[name] = self._within(name, penalty, -2, 2)
        if said.seed is not None and said.seed in _SEEDS:
            self._told["seed"] = said.seed
        elif said.seed is not None:
            self.losses.append(Loss("seed", "more than 32 bits"))
        stops = [stop for stop in said.stops if stop]
        if stops:
            self._told["stopSequences"] = stops[:_MOST_STOPS]
        if len(stops) > _MOST_STOPS:
            self.losses.append(Loss("stops", f"Gemini takes {_MOST_STOPS}"))

    def _within(self, name: str, value: float, least: float, most: float) -> float:
        if least <= value <= most:
            return value
        self.losses.append(Loss(name, f"Gemini takes {least:g} to {most:g}"))
        return least if value < least else most

    def _format(self, format: Format) -> None:
        self._told["responseMimeType"] = "application/json"
        if format.schema.strip():
            self._told["responseJsonSchema"] = msgspec.Raw(format.schema)
