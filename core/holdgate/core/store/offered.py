"""What agents may ask for as far as it is known without asking anybody: of files alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from holdgate.core.dialects.listing import list_url
from holdgate.core.store.facts_file import FILE_NAME as FACTS
from holdgate.core.store.facts_file import FactsFile
from holdgate.core.store.lists_file import FILE_NAME as LISTS
from holdgate.core.store.lists_file import ListsFile
from holdgate.core.traffic.offers import offers
from holdgate.core.values.settings import Model, Settings


def offered(settings: Settings, cache: Path) -> tuple[tuple[str, int, int], ...]:
    """Give (name, context, output) of all routes and of all models that are known.

    Tokens; 0: not known. `cache` is the folder Places.cache: the lists that vendors gave are there.
    """
    facts = FactsFile(cache / FACTS).facts()
    found = offers(settings, kept_lists(settings, cache), facts)
    return tuple((each.name, each.context, each.output) for each in found)


def kept_lists(settings: Settings, cache: Path) -> Mapping[str, tuple[Model, ...]]:
    """Give the kept lists of the providers that have no `models` of their own."""
    kept = {(each.provider, each.url): each.models for each in ListsFile(cache / LISTS).load()}
    return {
        provider.name: kept[key]
        for provider in settings.providers.values()
        if provider.models is None and (key := (provider.name, list_url(provider))) in kept
    }
