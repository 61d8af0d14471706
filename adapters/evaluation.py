"""`citewell evaluate` and `citewell calibrate`: what search and answers are worth, on questions with known answers."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adapters.commands import in_a_folder, json_option, print_json, run
from adapters.terminal import say, says_unicode
from bot.errors import Misconfigured, Permanent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.app import Application
    from adapters.calibration_report import Calibration
    from adapters.measure import Posed, Trial
    from adapters.settings import Settings
    from bot.turn import Engine
    from retrieval.conversation_file import Talk
    from retrieval.question_file import Wording

STAGES = {"hyde": "hyde", "hybrid": "embed", "rerank": "rerank", "grade": "grade", "context": "search"}
"""What can be switched off, with the name of the stage whose span in a trace shows that it has a backend here."""

PICTURE = "calibration.png"
_SHOWN = 3

files_argument = click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)
wording_option = click.option(
    "--wording",
    type=click.Choice(["text", "summary", "paraphrase"]),
    default="text",
    show_default=True,
    help="Which wording to ask, of questions that have several.",
)


class _Share(click.FloatRange):
    """A range that NaN, which is neither below nor above it, does not lie in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Bad use, if it is not in the range."""
        given: float = super().convert(value, param, ctx)
        if math.isnan(given):
            self.fail(f"{given} is not in the range {self._describe_range()}.", param, ctx)
        return given


@click.command()
@files_argument
@wording_option
@click.option("--ablate", is_flag=True, help="Then once more with each stage off in turn, side by side.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only so many questions, always the same ones.")
@json_option
@click.pass_obj
def evaluate(
    settings: Settings, files: tuple[Path, ...], *, wording: Wording, ablate: bool, limit: int | None, as_json: bool
) -> None:
    """Ask the questions in FILE and report how well they are searched for, answered and declined.

    A FILE has a question a line with the documents that answer it, or that none does; several are measured together.
    One that has a conversation a line is measured by how its follow-ups are understood. Nothing that is asked is
    written down. docs/evaluate.md and docs/followups.md describe the files and the figures.
    """
    from adapters.degraded import summary
    from adapters.evaluation_report import evaluation_json, report, side_by_side
    from adapters.measure import sample

    async def work(app: Application) -> None:
        if talks := await asyncio.to_thread(_talks, files):
            if ablate:
                raise Misconfigured("--ablate is for single questions: leave it out for conversations.")
            await _hear(app, talks if limit is None else talks[:limit], as_json=as_json)
            return
        questions = await _questions(app, files, wording)
        asked = questions.posed if limit is None else sample(questions.posed, limit)
        base = await _ask(app.engine, asked, "Asking")
        ablated = [name for name, stage in STAGES.items() if ablate and _ran(stage, base)]
        without = {name: await _ask(_without(app.engine, name), asked, f"Without {name}") for name in ablated}
        if lacking := summary([*base, *chain(*without.values())]):
            click.echo(lacking, err=True)
        if as_json:
            status = await app.index.status()
            print_json(evaluation_json(base, without, status, left_out=questions.left_out, of=len(questions.posed)))
            return
        say(report(base))
        if ablate:
            say(f"\n{side_by_side(base, without)}")
            lacks = [name for name in STAGES if name not in without and name not in settings.stages_off]
            say(f"Without a backend here: {', '.join(lacks) or 'none'}")
            if off := sorted(settings.stages_off):
                say(f"Switched off (CITEWELL_STAGES_OFF): {', '.join(off)}")

    run(settings, work)


@click.command()
@files_argument
@wording_option
@click.option(
    "--declines",
    type=_Share(0.5, 0.99),
    default=0.9,
    show_default=True,
    help="The share of unanswerable questions to decline.",
)
@click.option("--dry-run", is_flag=True, help="Show what it would choose, and write nothing.")
@click.option(
    "--png",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=in_a_folder,
    help=f"Where the chart goes, instead of {PICTURE} at home.",
)
@json_option
@click.pass_obj
def calibrate(
    settings: Settings,
    files: tuple[Path, ...],
    *,
    wording: Wording,
    declines: float,
    dry_run: bool,
    png: Path | None,
    as_json: bool,
) -> None:
    """Set the evidence thresholds from the questions in FILE: some that the documents answer, some that they do not.

    They are written to citewell.toml in the home, for the embedding model in use, and a chart of what each threshold
    would decline beside it. No answers are written, so no model is paid for them.
    """
    _check_graded(settings)

    async def work(app: Application) -> None:
        questions = await _questions(app, files, wording)
        calibration = await _calibration(app, questions.posed, declines)
        written = None if dry_run else await _write(app, calibration)
        picture = png if png or dry_run else settings.home.expanduser() / PICTURE
        failure = await _draw(calibration, picture) if picture else None
        drawn = None if failure else picture
        if as_json:
            print_json(calibration.as_json(written, drawn))
        else:
            _say(calibration, written, drawn)
        if written:
            _warn_if_hidden(settings)
        if failure:
            raise Permanent(failure)

    run(settings, work)


@dataclass(frozen=True, slots=True)
class _Questions:
    """What is asked, and how many questions are left out because their documents are not there."""

    posed: list[Posed]
    left_out: int


async def _questions(app: Application, files: Sequence[Path], wording: Wording) -> _Questions:
    """The questions of all files, for this index; what is missing is said on stderr."""
    from adapters.measure import pose
    from retrieval.question_file import read_all

    read = await asyncio.to_thread(read_all, files, wording=wording)
    posed, missing = pose(read, await app.index.catalogue())
    if missing:
        shown = "".join(f"\n  {line}" for line in missing[:_SHOWN])
        more = f"\n  and {len(missing) - _SHOWN} more" if len(missing) > _SHOWN else ""
        click.echo(
            f"Documents that are not in the index: {len(missing)}. Questions left out because none of theirs is there: "
            f"{len(read) - len(posed)}.{shown}{more}",
            err=True,
        )
    return _Questions(posed, len(read) - len(posed))


def _talks(files: Sequence[Path]) -> list[Talk]:
    """The conversations that the files hold, none if they hold questions. Blocking."""
    from retrieval.conversation_file import holds_conversations, read_conversations
    from retrieval.question_file import BadQuestions

    holding = [file for file in files if holds_conversations(file)]
    if holding and len(holding) < len(files):
        msg = f"{holding[0]} holds conversations and another file does not: measure them apart."
        raise BadQuestions(msg)
    return read_conversations(holding)


async def _hear(app: Application, talks: Sequence[Talk], *, as_json: bool) -> None:
    from adapters import conversations
    from adapters.progress import bar

    listener = conversations.Listener(app.index, app.searcher, app.engine.rewriter, app.engine.pipeline)
    with bar("Asking") as advance:
        heard = await listener.hear(talks, on_progress=advance)
    if listener.missing:
        shown = ", ".join(sorted(listener.missing)[:_SHOWN])
        click.echo(f"Documents that are not in the index: {len(listener.missing)}, such as {shown}.", err=True)
    if as_json:
        print_json(conversations.as_json(heard, app.engine.rewriter.name))
    else:
        say(conversations.report(heard, app.engine.rewriter.name))


async def _ask(
    engine: Engine, posed: Sequence[Posed], title: str, *, check: Callable[[Trial], None] | None = None
) -> list[Trial]:
    from adapters.measure import ask_all
    from adapters.progress import bar

    with bar(title) as advance:
        return await ask_all(engine, posed, on_progress=advance, check=check)


async def _calibration(app: Application, posed: Sequence[Posed], declines: float) -> Calibration:
    from adapters.backends import reranker_name, thresholds_key
    from adapters.calibration_report import Calibration
    from adapters.degraded import check_whole
    from bot.answerer import ScriptedAnswerer
    from retrieval.calibrate import Strengths

    posed = [one for one in posed if one.judged]
    _check_enough([bool(one.answerable) for one in posed], declines)
    trials = await _ask(replace(app.engine, answerer=ScriptedAnswerer()), posed, "Searching", check=check_whole)
    known = [(bool(one.posed.answerable), one.strength) for one in trials if one.strength is not None]
    _check_enough([answerable for answerable, _ in known], declines)
    strengths = Strengths(
        answerable=[strength for answerable, strength in known if answerable],
        unanswerable=[strength for answerable, strength in known if not answerable],
    )
    return Calibration(
        strengths,
        app.grader,
        declines=declines,
        embedder=thresholds_key(app.settings, app.embedder),
        reranker=reranker_name(app.reranker if app.settings.pipeline.rerank else None),
    )


async def _write(app: Application, calibration: Calibration) -> Path:
    from adapters.app import utc_now
    from adapters.backends import thresholds_key
    from adapters.home_settings import Thresholds, write_thresholds

    chosen = Thresholds(evidence=calibration.chosen.evidence, confident=calibration.chosen.confident)
    about = f"by citewell calibrate on {utc_now().date()}, from {calibration.made_from}"
    return await asyncio.to_thread(
        write_thresholds, app.settings.home, thresholds_key(app.settings, app.embedder), chosen, about=about
    )


async def _draw(calibration: Calibration, picture: Path) -> str | None:
    """Why the picture could not be drawn, which costs nothing else."""
    try:
        await asyncio.to_thread(calibration.draw, picture)
    except OSError as error:
        return f"The chart {picture} could not be written ({error.strerror or error}): name another place with --png."
    return None


def _say(calibration: Calibration, written: Path | None, picture: Path | None) -> None:
    say(calibration.report(unicode=says_unicode()))
    say(f"\nWritten: {written}" if written else "\nNothing is changed (--dry-run).")
    if picture:
        say(f"Chart:   {picture}")


def _warn_if_hidden(settings: Settings) -> None:
    if settings.evidence_threshold is not None or settings.confident_threshold is not None:
        click.echo("A threshold that is set otherwise hides it: CITEWELL_EVIDENCE_THRESHOLD or _CONFIDENT_.", err=True)


def _check_graded(settings: Settings) -> None:
    if not settings.pipeline.grade:
        msg = (
            "CITEWELL_STAGES_OFF switches grade off, so no threshold would be used: leave grade out of it to calibrate."
        )
        raise Misconfigured(msg)


def _check_enough(answerable: Sequence[bool], declines: float) -> None:
    from retrieval.calibrate import needed

    for kind, count in (("answerable", sum(answerable)), ("unanswerable", len(answerable) - sum(answerable))):
        if count < needed(declines):
            msg = (
                f"{count} {kind} questions are too few: it takes at least {needed(declines)} of each kind to choose "
                f"a threshold that declines {declines:.0%} of the unanswerable. Several files may be given."
            )
            raise Misconfigured(msg)


def _ran(stage: str, trials: Sequence[Trial]) -> bool:
    return any(span.stage == stage for trial in trials for span in trial.spans)


def _without(engine: Engine, stage: str) -> Engine:
    return replace(engine, pipeline=replace(engine.pipeline, **{stage: False}))
