"""Which channel shows what: read from the home or the environment, and a slip is told with its mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.settings import Settings
from adapters.shelving_settings import in_a_line, unknown_names
from bot.access import Shelving
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

WARD = frozenset({"public", "wards"})
HOME = """
direct_messages = "channels"
documents_from = ["U0AMINA"]
[channels.slack]
C0123 = ["public", "wards"]
default = ["public"]
[channels.teams]
"19:abc@thread.tacv2" = ["public", "wards"]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path))
    return tmp_path


def test_the_home_says_which_channels_show_what(home: Path) -> None:
    (home / "citewell.toml").write_text(HOME, encoding="utf-8")
    settings = Settings.load()
    assert settings.shelving == Shelving(
        channels={
            "slack": {"C0123": WARD, "default": frozenset({"public"})},
            "teams": {"19:abc@thread.tacv2": WARD},
        },
        direct_by_channels=True,
    )
    assert settings.documents_from == {"U0AMINA"}


def test_so_does_the_environment_and_goes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "citewell.toml").write_text(HOME, encoding="utf-8")
    monkeypatch.setenv("CITEWELL_CHANNELS", '{"slack": {"C0456": ["wards"]}}')
    monkeypatch.setenv("CITEWELL_DOCUMENTS_FROM", "U0BEN, U0CLEO")
    settings = Settings.load()
    assert settings.channels == {"slack": {"C0456": frozenset({"wards"})}}
    assert settings.documents_from == {"U0BEN", "U0CLEO"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[channels.slck]\nC1 = ["public"]\n', "channels: slck is no platform; did you mean slack?"),
        ('[channels.slack]\n"#wards" = ["public"]\n', "slack.#wards: write the channel's id in place of its name"),
        ('[channels.slack]\nwards = ["public"]\n', "slack.wards: write the channel's id"),
        ('[channels.slack]\nC0123 = "public"\n', "slack.C0123: write a list of collections"),
        ('[channels.slack]\nC0123 = ["a b"]\n', "slack.C0123: 'a b' is no collection's name; a collection's name has"),
        ("[channels.slack]\nC0123 = [1]\n", "slack.C0123: write a list of collections"),
        ('channels = ["public"]\n', "write a table for each platform"),
        ("[channels]\nslack = 1\n", "slack: write [channels.slack]"),
        ('direct_messages = "all"\n', "citewell.toml: direct_messages: "),
        ('documents_from = ["@amina"]\n', "documents_from: write ids with commas between them"),
        ('documents_into = "a b"\n', "documents_into: write the name of one collection"),
        ("documents_limit = 1000\n", "documents_limit: "),
    ],
)
def test_a_slip_is_named_with_its_mend(home: Path, text: str, said: str) -> None:
    (home / "citewell.toml").write_text(text, encoding="utf-8")
    with pytest.raises(Misconfigured) as caught:
        Settings.load()
    assert said in str(caught.value)


def test_a_table_in_the_environment_that_is_no_json_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_CHANNELS", "C1=public")
    with pytest.raises(Misconfigured, match="CITEWELL_CHANNELS: write it as JSON"):
        Settings.load()


def test_a_collection_without_documents_is_named_with_one_that_has_some() -> None:
    table = {"slack": {"C1": frozenset({"public", "wrads"})}}
    [line] = unknown_names(table, {"public_collections": []}, {"public": 3, "wards": 1})
    assert line.startswith("channels.slack.C1 names the collection wrads, which has no documents; did you mean wards?")
    [line] = unknown_names({}, {"public_collections": ["zebra"]}, {"public": 3})
    assert "there are: public." in line
    assert unknown_names(table, {}, {"public": 1, "wrads": 1}) == []


def test_one_line_says_who_sees_what() -> None:
    assert in_a_line(Shelving()) == (
        "Collections: channels without outsiders: all; direct messages: public; "
        "outsiders, and where they can read: public."
    )
    divided = Shelving(channels={"slack": {"C1": WARD, "default": frozenset()}}, direct_by_channels=True)
    assert in_a_line(divided) == (
        "Collections: slack C1: public, wards; slack default: nothing; direct messages: as the person's channels; "
        "outsiders, and where they can read: public."
    )
