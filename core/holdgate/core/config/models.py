"""The models of a provider: texts, or tables with more to say."""

from __future__ import annotations

from collections.abc import Collection

from holdgate.core.config.problems import Report, nearest_name
from holdgate.core.config.tables import Table, read_table
from holdgate.core.editing.base import KeyPath
from holdgate.core.values.names import DIALECT_NAMES
from holdgate.core.values.settings import Model

ALLOWED_MODELS = 'a list of model names, or of tables such as { id = "sonnet", context = 200000 }'


def read_models(
    report: Report, value: object, path: KeyPath, spoken: Collection[str]
) -> tuple[Model, ...]:
    """Give the models of the list at `path`; `spoken` are the dialects the provider speaks."""
    if not isinstance(value, list):
        report.wrong(path, value, ALLOWED_MODELS)
        return ()
    models: list[Model] = []
    for index, item in enumerate(value):
        model = _read_model(report, item, (*path, index), spoken)
        if model and any(other.id == model.id for other in models):
            report.wrong((*path, index), model.id, "each model once")
        elif model:
            models.append(model)
    return tuple(models)


def _read_model(
    report: Report, item: object, path: KeyPath, spoken: Collection[str]
) -> Model | None:
    if isinstance(item, str) and item.strip():
        return Model(id=item)
    if not isinstance(item, dict):
        report.wrong(path, item, "a model name or a table with its id")
        return None
    model = Model(**read_table(report, Model, item, path))
    _check_dialects(report, item, (*path, "dialects"), spoken)
    if "id" not in item:
        report.says((*path, "id"), "missing; it is the name that agents write")
    return model if model.id else None


def _check_dialects(report: Report, item: Table, path: KeyPath, spoken: Collection[str]) -> None:
    dialects = item.get("dialects")
    for index, dialect in enumerate(dialects if isinstance(dialects, list) else ()):
        if not isinstance(dialect, str):
            continue  # told already: the list is wrong as a whole
        if dialect not in DIALECT_NAMES:
            allowed = "one of " + ", ".join(f'"{name}"' for name in DIALECT_NAMES)
            report.wrong((*path, index), dialect, allowed, nearest_name(dialect, DIALECT_NAMES))
        elif dialect not in spoken:
            allowed = "a dialect that the provider has a base URL for: " + ", ".join(spoken)
            report.wrong((*path, index), dialect, allowed)
