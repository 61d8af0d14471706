"""What `citewell ingest` shows, and how it ends when it is interrupted."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from adapters.app import build
from adapters.documents import fill_in, print_report, say_what_waits, take_in
from adapters.settings import Settings
from retrieval.embed import HashEmbedder
from retrieval.ingest_report import FileReport, IngestReport, Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retrieval.embed import Vector


class Interrupted(HashEmbedder):
    """Somebody presses Ctrl-C, or the machine stops, while the first batch is in hand."""

    def __init__(self, dimensions: int, number: signal.Signals) -> None:
        super().__init__(dimensions)
        self._number = number

    async def embed_passages(self, texts: Sequence[str]) -> Vector:
        os.kill(os.getpid(), self._number)
        return await super().embed_passages(texts)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
async def test_vectors_that_are_interrupted_end_with_the_signals_code_and_the_way_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals, code: int
) -> None:
    for name in range(40):
        (tmp_path / f"{name}.md").write_text(f"# Leaflet {name}\n\nThis one is about the ward of number {name}.\n")
    async with await build(Settings(home=tmp_path / "home")) as app:
        assert app.embedder is not None
        await take_in(app, [tmp_path], collection="public", prune=False)
        filled = await fill_in(replace(app, embedder=Interrupted(app.embedder.dimensions, number)))
    assert 0 < filled.status.embedded < filled.status.passages
    say_what_waits(filled)
    assert "8 of 40 passages" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        filled.end_if_stopped()
    assert end.value.code == code


def test_names_of_files_do_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    bad = "/d/\x1b[2J\u202ename\nforged.pdf"
    files = (
        FileReport(bad, Outcome.FAILED, message=f"no text in {bad}"),
        FileReport(bad, Outcome.DUPLICATE, message=bad),
        FileReport(bad, Outcome.TAKEN, warnings=(bad,)),
    )
    print_report(IngestReport("public", files))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert not any("\u202e" in line or "\x1b[2J" in line for line in lines)
