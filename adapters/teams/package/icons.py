"""The two icons that Teams asks for: a speech bubble with the mark of a source in it.

Drawn large and made small, which smooths the edges. Source: learn.microsoft.com, "App icons for Teams".
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

_FINE = 8
_WHITE = (255, 255, 255, 255)
_CLEAR = (255, 255, 255, 0)
_GREEN = (11, 92, 99, 255)


def color() -> bytes:
    """192 by 192, the sign in the middle half, as Teams cuts the corners off. PNG."""
    from PIL import ImageDraw

    image = _square(192, _GREEN)
    _sign(ImageDraw.Draw(image), left=42, top=46, width=108, on=_GREEN, line=0)
    return _png(_small(image, 192))


def outline() -> bytes:
    """32 by 32, white lines on nothing. PNG."""
    from PIL import ImageDraw

    image = _square(32, _CLEAR)
    _sign(ImageDraw.Draw(image), left=3, top=4, width=26, on=_CLEAR, line=2)
    small = _small(image, 32)
    white = _square(32, _WHITE).resize((32, 32))
    white.putalpha(small.getchannel("A"))
    return _png(white)


def _square(size: int, ground: tuple[int, int, int, int]) -> Image:
    import PIL.Image

    return PIL.Image.new("RGBA", (size * _FINE, size * _FINE), ground)


def _sign(
    draw: ImageDraw, *, left: float, top: float, width: float, on: tuple[int, int, int, int], line: float
) -> None:
    """A bubble, filled white, or drawn in a `line` so thick; in it brackets around a stroke, as around "[1]"."""
    height = width * 0.76
    tail = [(left + width * x, top + height * y) for x, y in ((0.2, 0.93), (0.2, 1.26), (0.5, 0.93))]
    inner = [(left + width * x, top + height * y) for x, y in ((0.28, 0.9), (0.28, 1.06), (0.42, 0.9))]
    box = (left, top, left + width, top + height)
    draw.rounded_rectangle(_fine(box), radius=width * 0.2 * _FINE, fill=_WHITE)
    draw.polygon([(x * _FINE, y * _FINE) for x, y in tail], fill=_WHITE)
    ink = on
    if line:
        smaller = (left + line, top + line, left + width - line, top + height - line)
        draw.rounded_rectangle(_fine(smaller), radius=width * 0.14 * _FINE, fill=on)
        draw.polygon([(x * _FINE, y * _FINE) for x, y in inner], fill=on)
        ink = _WHITE
    thick = max(width * 0.075, line * 0.9)
    for x, y, across, down in (
        (0.26, 0.25, 0.0, 0.5),
        (0.26, 0.25, 0.1, 0.0),
        (0.26, 0.75, 0.1, 0.0),
        (0.5, 0.3, 0.0, 0.4),
        (0.74, 0.25, 0.0, 0.5),
        (0.64, 0.25, 0.1, 0.0),
        (0.64, 0.75, 0.1, 0.0),
    ):
        at = (left + width * x, top + height * y)
        draw.rectangle(
            _fine(
                (
                    at[0] - thick / 2,
                    at[1] - thick / 2,
                    at[0] + width * across + thick / 2,
                    at[1] + height * down + thick / 2,
                )
            ),
            fill=ink,
        )


def _fine(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    return (box[0] * _FINE, box[1] * _FINE, box[2] * _FINE, box[3] * _FINE)


def _small(image: Image, size: int) -> Image:
    import PIL.Image

    return image.resize((size, size), PIL.Image.Resampling.LANCZOS)


def _png(image: Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()
