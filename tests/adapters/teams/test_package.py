"""The app package: what an administrator uploads, held to Microsoft's own schema where that is there."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft4Validator
from PIL import Image

from adapters.cli import main
from adapters.settings import Settings, environment_names
from adapters.teams.activities import _COMMAND
from adapters.teams.package import manifest, package
from adapters.teams.package.icons import color, outline
from bot.asking_on import OfSources, asking_on
from bot.courtesy import courtesy
from bot.errors import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
MODULES = Path(os.environ.get("PLAYGROUND", ROOT / ".playground")) / "node_modules"
SCHEMAS = MODULES / "@microsoft" / "app-manifest" / "build" / "json-schemas" / "teams"
APP_ID = "11111111-1111-4111-8111-111111111111"
GIVEN = {
    "teams_domain": "bot.larkfield.example",
    "teams_developer": "Larkfield Clinic",
    "teams_website": "https://larkfield.example/bot",
    "teams_privacy": "https://larkfield.example/privacy",
    "teams_terms": "https://larkfield.example/terms",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, and no settings but those that a test gives."""
    for name in environment_names().values():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CITEWELL_HOME", str(tmp_path))
    monkeypatch.setenv("TEAMS_APP_ID", APP_ID)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def filled(home: Path) -> dict[str, Any]:
    return manifest(Settings.load(**GIVEN))


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    """Microsoft's own, of the version that the manifest names."""
    if not SCHEMAS.is_dir():
        pytest.skip("needs Microsoft's manifest schemas: make playground fetches them from npm")
    text = (ROOT / "adapters/teams/package/manifest.json").read_text(encoding="utf-8")
    version = json.loads(text)["manifestVersion"]
    found = json.loads((SCHEMAS / f"v{version}" / "MicrosoftTeams.schema.json").read_text(encoding="utf-8"))
    return dict(found)


def test_the_manifest_is_what_microsoft_says_one_is(filled: dict[str, Any], schema: dict[str, Any]) -> None:
    Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER).validate(filled)


@pytest.mark.parametrize("broken", [{"id": "no guid"}, {"accentColor": "green"}, {"bots": [{"scopes": ["chat"]}]}])
def test_the_schema_tells_a_broken_one(filled: dict[str, Any], schema: dict[str, Any], broken: dict[str, Any]) -> None:
    assert not Draft4Validator(schema).is_valid(filled | broken)


def test_the_operators_ids_and_addresses_stand_in_it(filled: dict[str, Any]) -> None:
    assert filled["id"] == filled["bots"][0]["botId"] == APP_ID
    assert filled["validDomains"] == ["bot.larkfield.example"]
    assert filled["developer"] == {
        "name": "Larkfield Clinic",
        "websiteUrl": "https://larkfield.example/bot",
        "privacyUrl": "https://larkfield.example/privacy",
        "termsOfUseUrl": "https://larkfield.example/terms",
    }
    assert not list(_empty(filled))


def test_it_asks_for_no_more_than_it_needs(filled: dict[str, Any]) -> None:
    """No resource-specific consent: it hears what mentions it, and no other message of a channel or chat."""
    assert not {"authorization", "webApplicationInfo", "devicePermissions"} & set(filled)
    assert filled["permissions"] == ["identity", "messageTeamMembers"]
    (bot,) = filled["bots"]
    assert bot["scopes"] == ["personal", "team", "groupChat"]
    assert not any(bot[name] for name in ("supportsFiles", "supportsCalling", "supportsVideo", "isNotificationOnly"))


def test_every_command_it_lists_is_one_that_is_understood(filled: dict[str, Any]) -> None:
    for listed in filled["bots"][0]["commandLists"]:
        titles = [command["title"] for command in listed["commands"]]
        assert [title.split()[0] for title in titles] == ["sources", "help", "forget"]
        assert all(len(title) <= 32 for title in titles)
        assert asking_on(titles[0]) == OfSources()
        assert courtesy(titles[1]) == "help"
        assert all(_COMMAND.match(f"/{title}") for title in titles)


def test_the_package_holds_the_manifest_and_both_icons_and_is_the_same_each_time(home: Path) -> None:
    settings = Settings.load(**GIVEN)
    made = package(settings)
    assert made == package(settings)
    with zipfile.ZipFile(io.BytesIO(made)) as zipped:
        assert zipped.namelist() == ["manifest.json", "color.png", "outline.png"]
        inside = json.loads(zipped.read("manifest.json"))
    assert inside == manifest(settings)
    assert {*inside["icons"].values()} == {"color.png", "outline.png"}


def test_the_icons_are_of_the_sizes_and_colours_that_teams_takes() -> None:
    filled, lines = (Image.open(io.BytesIO(one)) for one in (color(), outline()))
    assert (filled.size, lines.size) == ((192, 192), (32, 32))
    red, green, blue, alpha = (set(one.tobytes()) for one in lines.convert("RGBA").split())
    assert red == green == blue == {255}
    assert alpha >= {0, 255}
    assert set(filled.convert("RGBA").getchannel("A").tobytes()) == {255}


def test_every_missing_setting_is_named_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEAMS_APP_ID")
    with pytest.raises(Misconfigured) as caught:
        package(Settings.load())
    names = environment_names()
    assert all(names[field] in str(caught.value) for field in ("teams_app_id", *GIVEN))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("CITEWELL_TEAMS_DOMAIN", "https://bot.example.org"),
        ("CITEWELL_TEAMS_DOMAIN", "localhost"),
        ("CITEWELL_TEAMS_WEBSITE", "http://example.org"),
        ("CITEWELL_TEAMS_WEBSITE", "https://a b"),
        ("CITEWELL_TEAMS_PRIVACY", "https://example.org/our notice"),
        ("CITEWELL_TEAMS_DEVELOPER", "x" * 33),
        ("CITEWELL_TEAMS_DEVELOPER", "  "),
        ("CITEWELL_TEAMS_NAME", "  "),
        ("CITEWELL_TEAMS_NAME", "x" * 31),
    ],
)
def test_what_teams_would_refuse_is_refused_at_once(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Misconfigured, match=name):
        Settings.load()


def test_the_command_writes_the_file(home: Path) -> None:
    environment = {f"CITEWELL_{name.upper()}": value for name, value in GIVEN.items()}
    done = CliRunner().invoke(main, ["teams-package", "--output", "app.zip", "--app-version", "1.2.3"], env=environment)
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(home / "app.zip") as zipped:
        assert json.loads(zipped.read("manifest.json"))["version"] == "1.2.3"


@pytest.mark.parametrize("version", ["next", "1.2", "01.02.03", "1.2.3.4", "\u0661.2.3"])
def test_a_version_that_teams_refuses_is_bad_use(home: Path, version: str) -> None:
    done = CliRunner().invoke(main, ["teams-package", "--app-version", version])
    assert done.exit_code == 2
    assert "three numbers" in done.output


def test_a_folder_that_is_not_there_is_bad_use(home: Path) -> None:
    done = CliRunner().invoke(main, ["teams-package", "--output", "nodir/app.zip"])
    assert done.exit_code == 2
    assert "there is no folder nodir" in done.output


def _empty(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _empty(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _empty(inner)
    elif value in {"", None}:
        yield value
