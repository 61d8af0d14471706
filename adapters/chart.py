"""The curve that a threshold is chosen from, in a terminal and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

    from retrieval.calibrate import Choice, Point

_COLUMNS, _ROWS = 61, 11
_SIGNS = {True: ("●", "○", "┊", "─", "┤", "└"), False: ("#", "o", ":", "-", "|", "+")}

PICTURE_SIZE = (1200, 760)
_LEFT, _TOP, _RIGHT, _BOTTOM = 110, 120, 1160, 640
_INK, _PALE, _GRID = "#1f2933", "#616e7c", "#e4e7eb"
_DECLINED, _WRONGLY, _CHOSEN = "#0b6e4f", "#c2410c", "#1d4ed8"
_TITLE = "What a threshold declines"
_X_TITLE = "evidence threshold: questions with weaker evidence are declined"


def drawn(curve: Sequence[Point], chosen: Choice, *, unicode: bool) -> str:
    """The curve in characters: per cent declined by threshold, and the chosen evidence threshold."""
    declined, wrongly, line, dash, tick, corner = _SIGNS[unicode]
    grid = [[" "] * _COLUMNS for _ in range(_ROWS)]
    at = round(chosen.evidence * (_COLUMNS - 1))
    for row in grid:
        row[at] = line
    for column in range(_COLUMNS):
        point = curve[round(column / (_COLUMNS - 1) * (len(curve) - 1))]
        grid[_row(point.wrongly)][column] = wrongly
        grid[_row(point.declined)][column] = declined
    lines = [f"{100 - 100 * n // (_ROWS - 1):>4} {tick}{''.join(row).rstrip()}" for n, row in enumerate(grid)]
    axis = f"     {corner}{dash * _COLUMNS}"
    numbers = "      " + "".join(f"{n / 10:<6.1f}" for n in range(11)).rstrip()
    legend = [
        f"      {declined} % of the unanswerable declined   {wrongly} % of the answerable declined",
        f"      {line} chosen threshold",
    ]
    return "\n".join([*lines, axis, numbers, *legend])


def draw_picture(file: Path, curve: Sequence[Point], chosen: Choice, *, below: str) -> None:
    """The same as a PNG, with `below` (a line on where it comes from) at its foot. Blocking."""
    from PIL import Image, ImageDraw, ImageFont

    scale = 2  # drawn at twice the size and shrunk, which smooths the lines
    image = Image.new("RGB", (PICTURE_SIZE[0] * scale, PICTURE_SIZE[1] * scale), "white")
    canvas = _Canvas(
        ImageDraw.Draw(image), scale, {size: ImageFont.load_default(size * scale) for size in (18, 20, 30)}
    )
    canvas.text((_LEFT, 30), _TITLE, 30, _INK)
    canvas.legend(
        _LEFT, 84, [("unanswerable questions declined", _DECLINED), ("answerable questions declined", _WRONGLY)]
    )
    for tenth in range(0, 11, 2):
        share = tenth / 10
        canvas.line([_place(0, share), _place(1, share)], _GRID, 1)
        canvas.text((_LEFT - 14, _place(0, share)[1]), f"{10 * tenth} %", 18, _PALE, anchor="rm")
        canvas.line([_place(share, 0), (_place(share, 0)[0], _BOTTOM + 7)], _PALE, 1)
        canvas.text((_place(share, 0)[0], _BOTTOM + 24), f"{share:.1f}", 18, _PALE, anchor="mm")
    canvas.line([_place(0, 0), _place(1, 0)], _PALE, 2)
    canvas.text(((_LEFT + _RIGHT) / 2, _BOTTOM + 56), _X_TITLE, 20, _INK, anchor="mm")
    for threshold, name in ((chosen.evidence, "evidence"), (chosen.confident, "confident")):
        canvas.line([_place(threshold, 0), _place(threshold, 1)], _CHOSEN, 2, dashed=name == "confident")
    for colour, shares in (
        (_WRONGLY, [point.wrongly for point in curve]),
        (_DECLINED, [point.declined for point in curve]),
    ):
        canvas.line([_place(p.threshold, s) for p, s in zip(curve, shares, strict=True)], colour, 4)
    canvas.labels(chosen)
    canvas.text((_LEFT, PICTURE_SIZE[1] - 30), below, 18, _PALE, anchor="lm")
    image.resize(PICTURE_SIZE, Image.Resampling.LANCZOS).save(file, format="PNG")


class _Canvas:
    """Draws at a scale of its own."""

    def __init__(self, draw: ImageDraw, scale: int, fonts: dict[int, FreeTypeFont | ImageFont]) -> None:
        self._draw, self._scale, self._fonts = draw, scale, fonts

    def text(self, at: tuple[float, float], text: str, size: int, colour: str, *, anchor: str = "la") -> None:
        self._draw.text(self._scaled(at), text, fill=colour, font=self._fonts[size], anchor=anchor)

    def line(self, points: Sequence[tuple[float, float]], colour: str, width: int, *, dashed: bool = False) -> None:
        scaled = [self._scaled(point) for point in points]
        if not dashed:
            self._draw.line(scaled, fill=colour, width=width * self._scale, joint="curve")
            return
        (x, low), (_, high) = scaled
        step = 8 * self._scale
        for y in range(int(high), int(low), 2 * step):
            self._draw.line([(x, y), (x, y + step)], fill=colour, width=width * self._scale)

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, str]]) -> None:
        for text, colour in entries:
            self.line([(x, y + 11), (x + 34, y + 11)], colour, 4)
            self.text((x + 44, y), text, 18, _INK)
            x += 74 + self._fonts[18].getlength(text) / self._scale

    def labels(self, chosen: Choice) -> None:
        """Each threshold's name and value, beside its line, on the side where there is room."""
        for value, name, share in ((chosen.evidence, "evidence", 0.56), (chosen.confident, "confident", 0.46)):
            x, y = _place(value, share)
            left = value > 0.75
            text = f"{name} {value:.2f}"
            wide = self._fonts[20].getlength(text) / self._scale
            start = x - 12 - wide if left else x + 12
            box = [*self._scaled((start - 4, y - 14)), *self._scaled((start + wide + 4, y + 14))]
            self._draw.rectangle(box, fill="white")
            self.text((start, y), text, 20, _CHOSEN, anchor="lm")

    def _scaled(self, at: tuple[float, float]) -> tuple[float, float]:
        return at[0] * self._scale, at[1] * self._scale


def _row(share: float) -> int:
    return round((1 - share) * (_ROWS - 1))


def _place(threshold: float, share: float) -> tuple[float, float]:
    return _LEFT + threshold * (_RIGHT - _LEFT), _BOTTOM - share * (_BOTTOM - _TOP)
