"""The curve in characters and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PIL import Image

from adapters.chart import PICTURE_SIZE, draw_picture, drawn
from retrieval.calibrate import Choice, Strengths, choose, curve

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

OF = Strengths([0.3 + n / 40 for n in range(28)], [n / 40 for n in range(28)])
CHOSEN = choose(OF, declines=0.9)


@pytest.mark.parametrize("unicode", [True, False])
def test_the_chart_of_a_terminal(snapshot: SnapshotAssertion, unicode: bool) -> None:
    assert drawn(curve(OF), CHOSEN, unicode=unicode) == snapshot


def test_where_unicode_cannot_be_said_it_is_plain() -> None:
    assert drawn(curve(OF), CHOSEN, unicode=False).isascii()


@pytest.mark.parametrize("thresholds", [CHOSEN, Choice(0, 0, enough=True), Choice(1, 1, enough=False)])
def test_the_picture_is_a_png_of_its_size_with_all_its_lines(tmp_path: Path, thresholds: Choice) -> None:
    file = tmp_path / "chart.png"
    draw_picture(file, curve(OF), thresholds, below="28 answerable and 28 unanswerable questions")
    with Image.open(file) as image:
        assert (image.format, image.size) == ("PNG", PICTURE_SIZE)
        colours = {colour for _, colour in image.convert("RGB").getcolors(1_000_000) or ()}
    assert {(0x0B, 0x6E, 0x4F), (0xC2, 0x41, 0x0C), (0x1D, 0x4E, 0xD8), (255, 255, 255)} <= colours
