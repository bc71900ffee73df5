"""Where files live."""

from __future__ import annotations

from pathlib import Path

import platformdirs

from holdgate.core.config.places import Places, find_places


def test_one_folder_for_everything(tmp_path: Path) -> None:
    assert find_places({"HOLDGATE_HOME": str(tmp_path)}) == Places(
        tmp_path / "config" / "config.toml",
        tmp_path / "state",
        tmp_path / "cache",
        tmp_path / "log",
    )


def test_another_file(tmp_path: Path) -> None:
    environ = {"HOLDGATE_HOME": str(tmp_path), "HOLDGATE_CONFIG": str(tmp_path / "mine.toml")}
    places = find_places(environ)
    assert places.config_file == tmp_path / "mine.toml"
    assert places.state == tmp_path / "state"


def test_the_option_goes_first(tmp_path: Path) -> None:
    environ = {"HOLDGATE_CONFIG": str(tmp_path / "mine.toml")}
    named = tmp_path / "named.toml"
    assert find_places(environ, named).config_file == named


def test_the_platforms_folders() -> None:
    for environ in ({}, {"HOLDGATE_HOME": "", "HOLDGATE_CONFIG": ""}):
        places = find_places(environ)
        folder = platformdirs.user_config_path("holdgate", appauthor=False)
        assert places.config_file == folder / "config.toml"
        assert places.state == platformdirs.user_state_path("holdgate", appauthor=False)
        assert places.cache == platformdirs.user_cache_path("holdgate", appauthor=False)
        assert places.log == platformdirs.user_log_path("holdgate", appauthor=False)


def test_a_relative_name_is_made_absolute() -> None:
    assert find_places({}, Path("a.toml")).config_file == Path.cwd() / "a.toml"
    assert find_places({"HOLDGATE_HOME": "~"}).state == Path.home() / "state"
