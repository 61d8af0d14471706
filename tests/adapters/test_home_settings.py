"""The home's own file gives settings that nothing else gives, and calibrating changes nothing else in it."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from adapters.backends import choose_grader
from adapters.demo import demo_settings
from adapters.home_settings import Thresholds, warn_of_former_name, write_thresholds
from adapters.settings import Settings
from bot.errors import Misconfigured
from retrieval.embed import HashEmbedder

if TYPE_CHECKING:
    from pathlib import Path

CHOSEN = Thresholds(evidence=0.4, confident=0.7)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("CITEWELL_HOME", str(folder))
    return folder


def write(home: Path, text: str) -> None:
    (home / "citewell.toml").write_text(text, encoding="utf-8")


def test_without_the_file_nothing_is_set(home: Path) -> None:
    assert Settings.load().thresholds == {}


def test_it_sets_what_nothing_else_sets(home: Path) -> None:
    write(home, 'country = "IE"\npassages = 5\npublic_collections = ["public", "leaflets"]\nport = 3333\n')
    settings = Settings.load()
    assert (settings.country, settings.passages, settings.port) == ("IE", 5, 3333)
    assert settings.public_collections == {"public", "leaflets"}


def test_the_environment_the_env_file_and_the_caller_go_before_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home, 'country = "IE"\npassages = 5\nquestion_limit = 500\nport = 3333\nanthropic_api_key = "mine"\n')
    (tmp_path / ".env").write_text("CITEWELL_PASSAGES=7\nANTHROPIC_API_KEY=theirs\n")
    monkeypatch.setenv("CITEWELL_COUNTRY", "GB")
    monkeypatch.setenv("PORT", "4444")
    settings = Settings.load(question_limit=900)
    assert (settings.country, settings.passages, settings.question_limit) == ("GB", 7, 900)
    assert settings.port == 4444
    assert settings.anthropic_api_key is not None
    assert settings.anthropic_api_key.get_secret_value() == "theirs"
    assert Settings.load(port=5555).port == 5555


def test_it_is_read_from_the_home_that_the_env_file_or_the_caller_names(tmp_path: Path, home: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    write(other, "passages = 3\n")
    assert Settings.load(home=other).passages == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("passage = 3\n", "passage is no setting that can stand here. Did you mean passages?"),
        ('home = "/elsewhere"\n', "home is no setting that can stand here"),
        ("CITEWELL_PASSAGES = 3\n", "CITEWELL_PASSAGES is no setting"),
        ("passages = \n", "is no TOML"),
        ("passages = 300\n", "citewell.toml: passages: "),
        ("[thresholds.x]\nevidence = 0.8\nconfident = 0.2\n", "confident lies below evidence"),
        ("[thresholds.x]\nevidence = 0.8\n", "citewell.toml: thresholds.x.confident: it is missing"),
        ("[thresholds.x]\nevidence = 2\nconfident = 3\n", "citewell.toml: thresholds.x.evidence: "),
        ("[thresholds.x]\nevidence = nan\nconfident = 1\n", "thresholds.x.evidence: write a number from 0 to 1"),
        ("[thresholds.x]\nevidence = 0\nconfident = 1\nhigh = 1\n", "thresholds.x.high: no such field"),
        ("thresholds = 1\n", "citewell.toml: thresholds: "),
        ("country = 5\n", "citewell.toml: country: "),
        ("port = 0\n", "citewell.toml: port: "),
    ],
)
def test_a_fault_in_it_is_named(home: Path, text: str, said: str) -> None:
    write(home, text)
    with pytest.raises(Misconfigured) as caught:
        Settings.load()
    assert said in str(caught.value)


def test_a_file_that_is_no_text_is_named(home: Path) -> None:
    (home / "citewell.toml").write_bytes(b"\xff")
    with pytest.raises(Misconfigured, match="not UTF-8"):
        Settings.load()


def test_what_is_calibrated_is_what_is_read(home: Path) -> None:
    write_thresholds(home, "all-MiniLM-L6-v2", CHOSEN, about="by calibrate, from 40 questions")
    assert Settings.load().thresholds == {"all-MiniLM-L6-v2": CHOSEN}
    assert "# by calibrate, from 40 questions" in (home / "citewell.toml").read_text()


def test_calibrating_again_replaces_one_table_and_keeps_the_rest_as_written(home: Path) -> None:
    mine = '# my own words\ncountry = "IE"  # and these\n\n[thresholds."none"]\nevidence = 0.1\nconfident = 0.2\n'
    write(home, mine)
    for evidence in (0.3, 0.4):
        chosen = Thresholds(evidence=evidence, confident=0.7)
        write_thresholds(home, 'a "quoted" model', chosen, about="q")
        write_thresholds(home, "none", CHOSEN, about="q")
    text = (home / "citewell.toml").read_text()
    assert text.startswith('# my own words\ncountry = "IE"  # and these\n')
    assert tomllib.loads(text)["thresholds"] == {
        'a "quoted" model': {"evidence": 0.4, "confident": 0.7},
        "none": {"evidence": 0.4, "confident": 0.7},
    }


MINE = [
    '[thresholds."none"] # mine\nevidence = 0.1\nconfident = 0.2 # high\n# behind it\n\n# of the port\n[x]\ny = 1\n',
    "# first\n[thresholds.none] # mine\nevidence = 0.1\nconfident = 0.2\n# last, without an end of line",
    "[thresholds]\n# mine\nnone.evidence = 0.1\nnone.confident = 0.2\nother.evidence = 0.3\nother.confident = 0.4\n",
    "thresholds.none.evidence = 0.1\nthresholds.none.confident = 0.2\nport = 1 # mine\n",
    "[ thresholds . 'none' ]\nconfident = 0.2\nevidence = 0.1\n",
    "port = 1 # mine\r\n[thresholds.none]\r\nevidence = 0.1\r\nconfident = 0.2\r\n",
    'language = "a\u2028[thresholds.none]\u2029b\x85c" # mine',
    'text = """\n[thresholds."none"]\nevidence = 1\n"""\n',
    "[thresholds.other]\nevidence = 0.1\nconfident = 0.2\n[x]\n[thresholds.none]\nevidence = 0.1\nconfident = 0.2\n",
    "[thresholds]\n",
    "# nothing but words",
]


@pytest.mark.parametrize("mine", MINE)
def test_whatever_else_stands_in_the_file_stays(home: Path, mine: str) -> None:
    (home / "citewell.toml").write_bytes(mine.encode())
    expected = tomllib.loads(mine)
    expected.setdefault("thresholds", {})["none"] = {"evidence": 0.4, "confident": 0.7}
    for _ in range(2):
        write_thresholds(home, "none", CHOSEN, about="q")
    text = (home / "citewell.toml").read_bytes().decode()
    assert tomllib.loads(text) == expected
    kept = others(mine)
    assert [line for line in others(text) if line in kept] == kept


def others(text: str) -> list[str]:
    """The lines that no threshold stands in."""
    return [line for line in text.split("\n") if line.strip() and not re.search("(evidence|confident) *=", line)]


@pytest.mark.parametrize(
    "mine",
    [
        "thresholds = { none = { evidence = 0.1, confident = 0.2 } }\n",
        "thresholds = { other = { evidence = 0.1, confident = 0.2 } }\n",
        "[thresholds]\nnone = { evidence = 0.1, confident = 0.2 }\n",
    ],
)
def test_a_file_that_cannot_be_added_to_is_left_as_it_was(home: Path, mine: str) -> None:
    write(home, mine)
    with pytest.raises(Misconfigured, match="in braces"):
        write_thresholds(home, "none", CHOSEN, about="q")
    assert (home / "citewell.toml").read_text() == mine
    assert [file.name for file in home.iterdir()] == ["citewell.toml"]


def test_what_is_written_may_hold_keys_and_is_for_its_owner_alone(home: Path) -> None:
    file = write_thresholds(home, "none", CHOSEN, about="q")
    assert file.stat().st_mode & 0o077 == 0


def test_thresholds_are_no_setting_of_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITEWELL_THRESHOLDS", "{}")
    with pytest.raises(Misconfigured, match="CITEWELL_THRESHOLDS is not a setting"):
        Settings.load()


def test_the_grader_takes_those_of_the_embedder_in_use(home: Path) -> None:
    settings = Settings.load(thresholds={"none": CHOSEN})
    by_words, with_vectors = choose_grader(settings, None), choose_grader(settings, HashEmbedder())
    assert (by_words.evidence, by_words.confident) == (0.4, 0.7)
    assert (with_vectors.evidence, with_vectors.confident) == (0.5, 0.8)


@pytest.mark.parametrize(
    ("evidence", "confident", "low", "high"),
    [(0.1, None, 0.1, 0.7), (None, 0.9, 0.4, 0.9), (0.8, None, 0.8, 0.8), (0.2, 0.3, 0.2, 0.3)],
)
def test_what_is_set_goes_before_what_is_calibrated(
    home: Path, evidence: float | None, confident: float | None, low: float, high: float
) -> None:
    settings = Settings.load(evidence_threshold=evidence, confident_threshold=confident, thresholds={"none": CHOSEN})
    grader = choose_grader(settings, None)
    assert (grader.evidence, grader.confident) == (low, high)


def test_a_confident_threshold_below_the_other_is_refused(home: Path) -> None:
    with pytest.raises(Misconfigured, match=r"0\.2.*below.*0\.4.*CITEWELL_CONFIDENT_THRESHOLD"):
        choose_grader(Settings.load(confident_threshold=0.2, thresholds={"none": CHOSEN}), None)


def test_the_samples_of_the_demo_are_judged_by_the_fitted_thresholds(home: Path) -> None:
    grader = choose_grader(demo_settings(Settings.load(thresholds={"none": CHOSEN})), None)
    assert (grader.evidence, grader.confident) == (0.5, 0.8)


def test_a_fault_outside_is_not_laid_to_the_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, 'country = "IE"\nport = 3\n')
    monkeypatch.setenv("CITEWELL_COUNTRY", "ireland")
    monkeypatch.setenv("PORT", "none")
    with pytest.raises(Misconfigured, match="  CITEWELL_COUNTRY: ") as caught:
        Settings.load()
    assert "citewell.toml" not in str(caught.value)


def test_a_home_that_is_a_file_is_named_as_such(home: Path) -> None:
    write(home, "passages = 3\n")
    file = home / "citewell.toml"
    with pytest.raises(Misconfigured, match=rf"{re.escape(str(file))} is a file.*CITEWELL_HOME.*folder"):
        Settings.load(home=file)


def test_searches_by_words_alone_are_graded_by_the_thresholds_for_them(home: Path) -> None:
    settings = Settings.load(thresholds={"none": CHOSEN}, stages_off=frozenset({"hybrid"}))
    assert choose_grader(settings, HashEmbedder()).evidence == 0.4


def test_a_file_of_the_former_name_is_read_and_the_log_says_to_rename_it(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "settings.toml").write_text('country = "IE"\n', encoding="utf-8")
    assert Settings.load(home=home).country == "IE"
    warn_of_former_name(home)
    assert "rename it to citewell.toml" in caplog.text
    assert write_thresholds(home, "none", CHOSEN, about="x").name == "settings.toml"


def test_a_file_of_the_former_name_is_passed_over_beside_one_of_the_present(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "settings.toml").write_text('country = "IE"\n', encoding="utf-8")
    (home / "citewell.toml").write_text('country = "GB"\n', encoding="utf-8")
    assert Settings.load(home=home).country == "GB"
    warn_of_former_name(home)
    assert "is not read" in caplog.text


def test_a_home_without_an_old_file_is_not_warned_of(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    warn_of_former_name(home)
    assert caplog.text == ""
