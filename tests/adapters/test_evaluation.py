"""`citewell evaluate` and `citewell calibrate` over the sample leaflets, by words alone."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from PIL import Image

from adapters.cli import main
from adapters.evaluation import STAGES
from adapters.samples import documents
from retrieval.search import PipelineSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

QUESTIONS = Path(__file__).parents[2] / "scripts" / "grade_questions.toml"
KNOWN: list[dict[str, Any]] = [
    {"id": "flu", "text": "When is the flu clinic open?", "relevant": {"flu-clinic.md": 3}},
    {"id": "visit", "text": "What are the visiting hours on the ward?", "relevant": ["visiting-the-ward.pdf"]},
    {"id": "elsewhere", "text": "How do I wash my hands?", "relevant": ["flu-clinic.md"]},
    {"id": "peru", "text": "What is the capital of Peru?", "answerable": False},
    {"id": "tax", "text": "How do I appeal a parking fine?", "answerable": False},
]


class Citewell:
    """The command in a home that holds the sample leaflets."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home

    def __call__(self, *arguments: str | Path, **env: str) -> Result:
        environment = {"CITEWELL_HOME": str(self.home), "CITEWELL_EMBEDDER": "none", **env}
        return CliRunner().invoke(main, [str(one) for one in arguments], env=environment)

    def json(self, *arguments: str | Path, **env: str) -> Any:
        result = self(*arguments, "--json", **env)
        assert result.exit_code == 0, result.stderr
        return json.loads(result.stdout)

    def file(self, *rows: Mapping[str, Any], name: str = "questions.jsonl") -> Path:
        file = self.folder / name
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return file

    def enough(self) -> Path:
        """Enough questions of either kind to calibrate on."""
        own = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))
        some = [{"text": text, "relevant": ["flu-clinic.md"]} for text in own["in_samples"][:25]]
        return self.file(*some, *({"text": text, "answerable": False} for text in own["not_in_samples"][:25]))


@pytest.fixture(scope="session")
def leaflets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample leaflets in it, to be copied."""
    folder = tmp_path_factory.mktemp("leaflets")
    assert Citewell(folder, folder / "home")("ingest", documents()).exit_code == 0
    return folder / "home"


@pytest.fixture
def citewell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaflets: Path) -> Citewell:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(leaflets, tmp_path / "home")
    return Citewell(tmp_path, tmp_path / "home")


def test_calibrating_passes_over_what_nobody_has_judged(citewell: Citewell) -> None:
    cases = citewell.file(
        *({"text": f"When is the flu clinic open, {n}?", "wrong": []} for n in range(30)), name="c.jsonl"
    )
    found = citewell.json("calibrate", citewell.enough(), cases, "--dry-run")
    assert found["questions"] == {"answerable": 25, "unanswerable": 25}
    assert citewell("calibrate", cases, "--dry-run").exit_code == 1


def test_it_reports_every_figure_under_its_stable_name(citewell: Citewell) -> None:
    found = citewell.json("evaluate", citewell.file(*KNOWN))
    assert list(found) == ["questions", "index", "figures", "other_endings", "stages", "ablations", "details"]
    assert found["questions"] == {"answerable": 3, "unanswerable": 2, "unjudged": 0, "left_out": 0, "of": 5}
    search = ["ndcg@10", "recall@20", "mrr", "hit@5"]
    turns = ["answered_right", "answered_other", "wrongly_declined", "declined", "answered_unanswerable"]
    assert list(found["figures"]) == [*search, *turns]
    assert all(one["low"] <= one["value"] <= one["high"] for one in found["figures"].values())


def test_answers_are_told_apart_by_the_documents_they_stand_on(citewell: Citewell) -> None:
    found = citewell.json("evaluate", citewell.file(*KNOWN))
    assert {one["id"]: (one["kind"], one["right"]) for one in found["details"]} == {
        "flu": ("fact", True),
        "visit": ("fact", True),
        "elsewhere": ("fact", False),
        "peru": ("ungrounded", False),
        "tax": ("ungrounded", False),
    }
    shares = {name: round(one["value"], 3) for name, one in found["figures"].items()}
    assert (shares["answered_right"], shares["answered_other"], shares["wrongly_declined"]) == (0.667, 0.333, 0)
    assert (shares["declined"], shares["answered_unanswerable"]) == (1, 0)
    assert found["details"][0]["rank"] == 1


def test_each_stage_has_its_time_and_the_backend_that_ran(citewell: Citewell) -> None:
    stages = {one["stage"]: one for one in citewell.json("evaluate", citewell.file(*KNOWN))["stages"]}
    assert stages["search"]["backends"] == ["sqlite"]
    assert (stages["search"]["turns"], stages["answer"]["turns"], stages["turn"]["turns"]) == (5, 3, 5)
    assert all(0 < one["p50_ms"] <= one["p95_ms"] <= one["total_ms"] + 0.1 for one in [stages["search"]])
    assert (stages["turn"]["input_tokens"], stages["turn"]["dollars"]) == (0, 0)


def test_a_person_reads_a_table(citewell: Citewell) -> None:
    said = citewell("evaluate", citewell.file(*KNOWN)).stdout
    for line in ("nDCG@10", "answered from a right document", "Unanswerable questions (2)", "whole turn", "95 %"):
        assert line in said


def test_nothing_that_was_asked_is_written_down(citewell: Citewell) -> None:
    before = {file.name for file in citewell.home.iterdir()}
    assert citewell("evaluate", citewell.file(*KNOWN)).exit_code == 0
    assert citewell("calibrate", citewell.enough(), "--dry-run").exit_code == 0
    assert {file.name for file in citewell.home.iterdir()} == before


def test_each_stage_that_has_a_backend_is_left_out_in_turn(citewell: Citewell) -> None:
    file = citewell.file(*KNOWN)
    found = citewell.json("evaluate", file, "--ablate")
    without = {one["without"]: one for one in found["ablations"]}
    assert "grade" in without
    assert "hybrid" not in without  # there is no embedder
    declined = without["grade"]["figures"]["declined"]["value"]
    assert declined < found["figures"]["declined"]["value"] == 1
    assert without["grade"]["differences"]["declined"]["value"] == declined - 1
    said = citewell("evaluate", file, "--ablate").stdout
    assert "without grade" in said
    assert "Without a backend here: hyde, hybrid" in said


def test_what_is_switched_off_are_stages_of_the_pipeline() -> None:
    assert set(STAGES) == {field.name for field in fields(PipelineSettings)}


def test_a_limit_draws_the_same_questions_every_time(citewell: Citewell) -> None:
    file = citewell.file(*KNOWN)
    drawn = [[one["id"] for one in citewell.json("evaluate", file, "--limit", "3")["details"]] for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) == 3
    turned = citewell.file(*reversed(KNOWN), name="turned.jsonl")
    assert {one["id"] for one in citewell.json("evaluate", turned, "--limit", "3")["details"]} == set(drawn[0])


def test_several_files_are_measured_together(citewell: Citewell) -> None:
    some, others = citewell.file(*KNOWN[:3], name="a.jsonl"), citewell.file(*KNOWN[3:], name="b.jsonl")
    assert citewell.json("evaluate", some, others)["questions"]["of"] == 5


def test_a_question_whose_documents_are_not_there_is_left_out_and_said(citewell: Citewell) -> None:
    missing = {"text": "Where do I park?", "relevant": ["parking.md"]}
    result = citewell("evaluate", citewell.file(*KNOWN, missing), "--json")
    assert json.loads(result.stdout)["questions"]["left_out"] == 1
    assert "questions.jsonl:6: no document 'parking.md'" in result.stderr


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"text": "Where?", "relevant": ["parking.md"]}, "No document that answers a question is in the index"),
        ({"text": "Where?"}, "questions.jsonl:1: name the documents"),
    ],
)
def test_a_file_it_can_do_nothing_with_ends_it_with_1(citewell: Citewell, row: dict[str, Any], said: str) -> None:
    result = citewell("evaluate", citewell.file(row))
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stdout == ""


def test_a_name_that_two_documents_share_is_refused_by_line(citewell: Citewell) -> None:
    copy = citewell.folder / "other" / "flu-clinic.md"
    copy.parent.mkdir()
    copy.write_text("# Another\n\nThe flu clinic of another place.\n", encoding="utf-8")
    assert citewell("ingest", copy).exit_code == 0
    result = citewell("evaluate", citewell.file(KNOWN[0]))
    assert result.exit_code == 1
    assert "questions.jsonl:1: 'flu-clinic.md' names 2 documents" in result.stderr


def test_a_missing_file_is_bad_use(citewell: Citewell) -> None:
    assert citewell("evaluate", "nowhere.jsonl").exit_code == 2
    assert citewell("calibrate").exit_code == 2


def test_calibrating_writes_the_thresholds_that_are_then_in_force(citewell: Citewell) -> None:
    file = citewell.enough()
    found = citewell.json("calibrate", file)
    written = tomllib.loads((citewell.home / "citewell.toml").read_text())
    assert written == {"thresholds": {"none": {"evidence": found["evidence"], "confident": found["confident"]}}}
    again = citewell.json("calibrate", file, "--dry-run")
    assert (again["before"]["evidence"], again["before"]["confident"]) == (found["evidence"], found["confident"])
    assert found["before"]["evidence"] == 0.5


def test_it_says_which_backends_the_thresholds_hold_for(citewell: Citewell) -> None:
    file = citewell.enough()
    said = citewell("calibrate", file)
    assert "embedding: none; reranker: fitted" in said.stdout
    assert "embedding: none; reranker: fitted" in (citewell.home / "citewell.toml").read_text()
    found = citewell.json("calibrate", file, "--dry-run", CITEWELL_RERANKER="none")
    assert (found["embedder"], found["reranker"]) == ("none", "none")
    off = citewell.json("calibrate", file, "--dry-run", CITEWELL_STAGES_OFF="rerank")
    assert off["reranker"] == "none"


def test_a_calibrated_threshold_decides_what_is_declined(citewell: Citewell) -> None:
    question = "When is the flu clinic open?"
    assert citewell.json("search", question)["grade"] == "correct"
    (citewell.home / "citewell.toml").write_text("[thresholds.none]\nevidence = 1\nconfident = 1\n")
    assert citewell.json("search", question)["grade"] == "incorrect"
    assert citewell.json("search", question, CITEWELL_EVIDENCE_THRESHOLD="0.1")["grade"] != "incorrect"


def test_it_declines_what_was_asked_and_reports_what_to_expect(citewell: Citewell) -> None:
    found = citewell.json("calibrate", citewell.enough(), "--dry-run", "--declines", "0.8")
    assert found["fitted"]["declined"] >= 0.8
    assert found["cross_validated"]["declined"]["n"] == found["questions"]["unanswerable"] == 25
    assert len(found["curve"]) == 101
    assert (found["written"], found["png"]) == (None, None)


def test_the_chart_is_drawn_in_the_home_or_where_it_is_told(citewell: Citewell) -> None:
    file = citewell.enough()
    assert citewell("calibrate", file, "--dry-run", "--png", citewell.folder / "mine.png").exit_code == 0
    assert not (citewell.home / "calibration.png").exists()
    assert citewell("calibrate", file).exit_code == 0
    for picture in (citewell.folder / "mine.png", citewell.home / "calibration.png"):
        with Image.open(picture) as image:
            assert image.format == "PNG"


def test_a_person_reads_what_was_chosen_and_why(citewell: Citewell) -> None:
    said = citewell("calibrate", citewell.enough()).stdout
    for line in ("<- chosen", "<- in force now", "cross-validated", "Confident threshold", "citewell.toml"):
        assert line in said


def test_too_few_questions_of_a_kind_are_refused_with_the_number_needed(citewell: Citewell) -> None:
    result = citewell("calibrate", citewell.file(*KNOWN))
    assert result.exit_code == 1
    assert "3 answerable questions are too few: it takes at least 20 of each kind" in result.stderr
    assert not (citewell.home / "citewell.toml").exists()
    result = citewell("calibrate", citewell.enough(), "--declines", "0.95")
    assert "at least 40" in result.stderr


def test_a_threshold_that_is_set_otherwise_is_pointed_out(citewell: Citewell) -> None:
    result = citewell("calibrate", citewell.enough(), CITEWELL_EVIDENCE_THRESHOLD="0.3")
    assert "CITEWELL_EVIDENCE_THRESHOLD" in result.stderr


def test_real_questions_are_put_to_real_documents(citewell: Citewell, shared: Path) -> None:
    """Those that the first of the answerable questions need, and a few more."""
    data = shared / "data"
    rows = (line.split("\t") for line in (data / "retrieval_eval" / "qrels_docs.tsv").read_text().splitlines()[1:])
    wanted = sorted({row[2] for row in rows if int(row[3]) >= 2})[:40]
    corpus = citewell.folder / "corpus"
    corpus.mkdir()
    for file in (data / "corpus" / "docs").rglob("*.md"):
        if file.name.split("-", 1)[0] in wanted:
            shutil.copy(file, corpus)
    assert citewell("ingest", corpus).exit_code == 0
    found = citewell.json("evaluate", data / "retrieval_eval", data / "unanswerable", "--limit", "40")
    assert found["questions"]["left_out"] > 0
    assert found["figures"]["hit@5"]["value"] > 0.6
    assert found["figures"]["declined"]["value"] > 0.6


def test_a_picture_that_has_no_place_is_refused_before_anything_is_asked(citewell: Citewell) -> None:
    result = citewell("calibrate", citewell.enough(), "--png", citewell.folder / "nowhere" / "x.png")
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr
    assert not (citewell.home / "citewell.toml").exists()


def test_a_picture_that_fails_costs_neither_the_report_nor_the_word_of_what_was_written(citewell: Citewell) -> None:
    (citewell.home / "calibration.png").mkdir()
    result = citewell("calibrate", citewell.enough())
    assert result.exit_code == 1
    assert f"Written: {citewell.home / 'citewell.toml'}" in result.stdout
    assert "<- chosen" in result.stdout
    assert "Chart:" not in result.stdout
    assert "calibration.png" in result.stderr
    assert "--png" in result.stderr
    result = citewell("calibrate", citewell.enough(), "--json")
    assert (result.exit_code, json.loads(result.stdout)["png"]) == (1, None)


def test_thresholds_of_searches_by_words_alone_are_kept_as_such(citewell: Citewell) -> None:
    found = citewell.json("calibrate", citewell.enough(), CITEWELL_EMBEDDER="local", CITEWELL_STAGES_OFF="hybrid")
    assert found["embedder"] == "none"
    assert list(tomllib.loads((citewell.home / "citewell.toml").read_text())["thresholds"]) == ["none"]


def test_without_grading_no_threshold_is_chosen(citewell: Citewell) -> None:
    result = citewell("calibrate", citewell.enough(), CITEWELL_STAGES_OFF="grade")
    assert result.exit_code == 1
    assert "no threshold" in result.stderr
    assert "CITEWELL_STAGES_OFF" in result.stderr


def test_calibrating_stops_at_the_first_search_that_a_model_failed(citewell: Citewell) -> None:
    """Nothing listens at that port."""
    account = {"VOYAGE_API_KEY": "x", "VOYAGE_BASE_URL": "http://127.0.0.1:9"}
    result = citewell("calibrate", citewell.enough(), **account)
    assert result.exit_code == 1
    assert "the reranker failed" in result.stderr
    assert "VOYAGE_BASE_URL" in result.stderr
    assert "CITEWELL_RERANKER" in result.stderr
    assert "vectors" not in result.stderr
    assert "questions.jsonl" not in result.stdout


def test_what_was_degraded_in_an_evaluation_is_said_in_a_line(citewell: Citewell) -> None:
    file = citewell.file(*KNOWN)
    assert "degraded" not in citewell("evaluate", file).stderr  # by words alone, as is set
    said = citewell("evaluate", file, CITEWELL_EMBEDDER="local").stderr
    assert "Of 5 turns, some were degraded: vectors missing in 5." in said
    account = {"VOYAGE_API_KEY": "x", "VOYAGE_BASE_URL": "http://127.0.0.1:9"}
    said = citewell("evaluate", file, **account).stderr
    assert "degraded: the reranker failed in 4." in said  # one found nothing to put in order


@pytest.mark.parametrize("given", ["nan", "0.2", "1"])
def test_a_share_to_decline_that_is_none_is_bad_use(citewell: Citewell, given: str) -> None:
    result = citewell("calibrate", citewell.enough(), "--declines", given)
    assert result.exit_code == 2
    assert "0.5<=x<=0.99" in result.stderr


def test_stages_that_are_switched_off_are_told_from_those_without_a_backend(citewell: Citewell) -> None:
    said = citewell("evaluate", citewell.file(*KNOWN), "--ablate", CITEWELL_STAGES_OFF="rerank,grade").stdout
    assert "Switched off (CITEWELL_STAGES_OFF): grade, rerank" in said
    assert "Without a backend here: hyde, hybrid" in said.splitlines()


def test_a_star_is_explained_where_one_stands(citewell: Citewell) -> None:
    said = citewell("evaluate", citewell.file(*KNOWN[:1]), "--ablate", CITEWELL_STAGES_OFF="grade,context").stdout
    assert "without rerank" in said
    assert "*" not in said


def test_the_same_questions_twice_are_refused(citewell: Citewell) -> None:
    file = citewell.file(*KNOWN)
    result = citewell("evaluate", file, file)
    assert result.exit_code == 1
    assert "is given twice" in result.stderr


TALK: dict[str, Any] = {
    "id": "t1",
    "turns": [
        {"text": "When is the flu clinic open?"},
        {
            "text": "And for children?",
            "rewrite": "When is the flu clinic open for children?",
            "relevant": ["flu-clinic.md#Children's flu sessions", "nowhere.md"],
        },
        {"text": "What are the visiting hours on the ward?", "relevant": ["visiting-the-ward.pdf"]},
    ],
}


def test_conversations_are_measured_by_how_follow_ups_are_understood(citewell: Citewell) -> None:
    result = citewell("evaluate", citewell.file(TALK), "--json")
    assert "not in the index: 1, such as nowhere.md" in result.stderr
    said = json.loads(result.stdout)
    assert (said["conversations"], said["questions"], said["rewriter"], said["ratio"]) == (1, 3, "rules", 1.0)
    assert {name: figure["value"] for name, figure in said["figures"].items()} == {
        "recall@20_gold": 1.0,
        "recall@20_rewritten": 1.0,
        "recall@20_typed": 1.0,
        "same_as_gold": 1.0,
        "left_as_typed": 0.0,
        "stand_alone_changed": 0.0,
    }
    assert "recall@20, rewritten here" in citewell("evaluate", citewell.file(TALK)).output


def test_conversations_are_not_mixed_with_questions_or_ablated(citewell: Citewell) -> None:
    talks, questions = citewell.file(TALK, name="talks.jsonl"), citewell.file(*KNOWN)
    mixed = citewell("evaluate", talks, questions)
    assert (mixed.exit_code, "measure them apart" in mixed.stderr) == (1, True)
    ablated = citewell("evaluate", talks, "--ablate")
    assert (ablated.exit_code, "--ablate is for single questions" in ablated.stderr) == (1, True)
