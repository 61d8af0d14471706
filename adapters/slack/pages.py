"""The few web pages that people see when they install the app: fixed words, escaped, and nothing of a request. Pure."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from bot.wording.surfaces import PageWords

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def page(words: PageWords, *, status: int = 200, link: tuple[str, str] | None = None) -> web.Response:
    """A heading, a paragraph or more, and a link (label and address) where there is one."""
    paragraphs = words.text.split("\n\n")
    body = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    if link is not None:
        label, address = link
        body += f'<p><a href="{escape(address)}" rel="noreferrer">{escape(label)}</a></p>'
    title = escape(words.title)
    html = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        f"<title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
    )
    return web.Response(status=status, text=html, content_type="text/html", charset="utf-8", headers=_HEADERS)
