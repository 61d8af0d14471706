"""Takes out of an HTML page what is not its content: menus, banners, hidden blocks, forms, lists of links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

_NEVER_SHOWN = (
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "canvas", "video", "audio", "map",
    "button", "input", "select", "textarea", "option", "datalist", "head", "link", "meta", "dialog",
)  # fmt: skip
_FURNITURE_TAGS = ("nav", "footer")
_FURNITURE_ROLES = frozenset({
    "navigation", "banner", "contentinfo", "search", "complementary", "dialog", "alertdialog", "menu", "menubar",
    "toolbar", "tablist",
})  # fmt: skip
_FURNITURE_WORDS = frozenset({
    "addthis", "addtoany", "advert", "advertisement", "breadcrumb", "breadcrumbs", "cookie", "cookies", "disqus",
    "footer", "gdpr", "masthead", "nav", "navbar", "navigation", "newsletter", "onetrust", "pager",
    "pagination", "sharethis", "sidebar", "signin", "signup", "skiplink", "skiplinks", "tagcloud", "usabanner",
})  # fmt: skip
"""Parts of a class or id that mark furniture wherever they stand in it."""

_FURNITURE_NAME = re.compile(
    r"(?:(?:site|page|post|block|global|header|top|main|widget|gov|usa|js|language|primary|secondary|mobile|side|sub|"
    r"mega|drop|dropdown|user|utility|left|right|footer)-)*"
    r"(?:ads?|banner|comments?|consent|donate|feedback|language|login|menu|modal|popup|print|promo|recommended|related|"
    r"search|share|sharing|sign-(?:in|up)|skip|social|sponsors?|subscri(?:be|ption)|survey|switcher|toc|translate)"
    r"(?:-(?:articles|bar|block|box|buttons?|container|content|form|icons?|items?|links?|list|media|nav|pages|panel|"
    r"posts|share|switcher|toggle|tools?|topics|widget|wrapper))*"
)
"""Whole classes and ids whose words mark furniture only in such company: "social" does, "social-care" does not."""

_CONTAINERS = frozenset({
    "a", "aside", "div", "form", "header", "ol", "section", "span", "table", "ul",
})  # fmt: skip
_HIDDEN_WORDS = frozenset({
    "d-none", "display-none", "element-invisible", "hidden", "hide", "is-hidden", "screen-reader-text", "sr-only",
    "visually-hidden", "visuallyhidden",
})  # fmt: skip
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HIDING_RULE = re.compile(r"([^{}]+)\{[^{}]*(?:display\s*:\s*none|visibility\s*:\s*hidden)[^{}]*\}", re.IGNORECASE)
_MEDIA_RULE = re.compile(r"@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.IGNORECASE)
_ROOTS = (
    "//main",
    "//*[@role='main']",
    "//article[not(ancestor::article)]",
    "//*[@id='main-content' or @id='maincontent' or @id='main_content' or @id='mainContent']",
    "//*[@id='content' or @id='main']",
    *(
        f"//*[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"
        for name in ("entry-content", "post-content", "main-content", "node__content")
    ),
)
"""Where pages say that their content is, the surest sign first."""

_FURNITURE_TEXT = re.compile(
    r"(?:skip to (?:main |the )?(?:content|navigation)|an official website of|here.s how you know|we use cookies|"
    r"this (?:site|website) uses cookies|accept (?:all )?cookies|(?:sign|log) (?:in|up|out)$|subscribe (?:to our|now)|"
    r"sign up (?:for|to) our|share (?:this page|on|this:?$)|print this page|back to top|(?:copyright )?©|"
    r"all rights reserved|privacy policy|follow us|you are here\b|on this page:?$|was this page (?:helpful|useful))",
    re.IGNORECASE,
)
_LONGEST_FURNITURE = 200
_LONGEST_FORM = 300


def main_content(page: HtmlElement) -> HtmlElement:
    """The element that holds the page's content, pruned. The page is changed.

    Nothing is taken that holds the main heading or the greater part of the page's text, so a page of an unknown
    build loses its menus at best and its content never.
    """
    hidden = _hidden_by_stylesheet(page)
    controlled = set(map(str, page.xpath("//*[@aria-controls]/@aria-controls")))
    body = page.find("body")
    body = page if body is None else body
    _drop(element for element in list(body.iter(*_NEVER_SHOWN)))
    _drop(element for element in list(body.iter()) if not isinstance(element.tag, str))
    _drop(
        element for element in list(body.iter()) if _is_hidden(element, hidden) and element.get("id") not in controlled
    )
    root = _root(body)
    _prune(body, root)
    _drop_link_lists(root, anchors_only=root is not body)
    _drop_furniture_texts(root)
    return root


def _root(body: HtmlElement) -> HtmlElement:
    """The surest of the known containers that holds a fair part of the page's text."""
    whole = _size(body)
    for path in _ROOTS:
        found = [element for element in body.xpath(path) if _size(element) >= 0.3 * whole or _size(element) > 1500]
        if len(found) == 1:
            return found[0]
        if found and path.startswith("//article"):
            continue
        if found:
            return max(found, key=_size)
    return body


def _prune(body: HtmlElement, root: HtmlElement) -> None:
    whole = _prose(root)
    above = set(root.iterancestors()) | {root}
    for element in list(body.iter()):
        if element in above or element.getparent() is None:
            continue
        marked = _is_marked(element) or (root is body and _is_aside(element))
        if (marked and element.find(".//h1") is None) or (_is_named(element) and not _holds_content(element, whole)):
            element.drop_tree()


def _is_marked(element: HtmlElement) -> bool:
    """Whether its tag or role says that it is no content."""
    if element.tag in _FURNITURE_TAGS or element.get("role") in _FURNITURE_ROLES:
        return True
    return element.tag == "form" and _size(element) < _LONGEST_FORM


def _is_aside(element: HtmlElement) -> bool:
    """Whether it is a page's header or side column, rather than a part of the content that is set apart."""
    parent = element.getparent()
    beside_main_heading = parent is not None and parent.tag != "body" and parent.find("h1") is not None
    return element.tag in {"aside", "header"} and not beside_main_heading


def _is_named(element: HtmlElement) -> bool:
    """Whether its classes or id say that it is no content."""
    return element.tag in _CONTAINERS and any(_names_furniture(name) for name in _names(element))


def _names_furniture(name: str) -> bool:
    return not _FURNITURE_WORDS.isdisjoint(name.split("-")) or _FURNITURE_NAME.fullmatch(name) is not None


def _holds_content(element: HtmlElement, whole: int) -> bool:
    """Whether it holds the main heading or the greater part of the text that is no link."""
    return element.find(".//h1") is not None or 2 * _prose(element) > whole


def _is_hidden(element: HtmlElement, by_stylesheet: frozenset[str]) -> bool:
    if element.tag in {"body", "html"}:
        return False
    if element.get("hidden") is not None or element.get("aria-hidden") == "true":
        return True
    if _HIDING_STYLE.search(element.get("style", "")):
        return True
    names = {f".{name}" for name in element.get("class", "").split()} | {f"#{element.get('id')}"}
    return not names.isdisjoint(by_stylesheet) or not set(element.get("class", "").lower().split()).isdisjoint(
        _HIDDEN_WORDS
    )


def _hidden_by_stylesheet(page: HtmlElement) -> frozenset[str]:
    """The classes and ids that the page's own style sheets hide, on screens."""
    names: set[str] = set()
    for sheet in page.iter("style"):
        rules = _MEDIA_RULE.sub("", sheet.text_content())
        for selectors in _HIDING_RULE.findall(rules):
            names.update(name for name in map(str.strip, selectors.split(",")) if re.fullmatch(r"[.#][\w-]+", name))
    return frozenset(names)


def _drop_link_lists(root: HtmlElement, *, anchors_only: bool) -> None:
    """Take out lists and blocks of links; where the content is marked, only those that lead around on the page."""
    whole = _size(root)
    for element in list(root.iterdescendants("ul", "ol", "div", "p", "table", "section")):
        links = list(element.iter("a"))
        if element.getparent() is None or len(links) < 3 or element.find(".//h1") is not None:
            continue
        if anchors_only and not all(link.get("href", "").startswith("#") for link in links):
            continue
        size = _size(element)
        if sum(map(_size, links)) >= 0.7 * size and (anchors_only or size < 0.3 * whole):
            element.drop_tree()


def _drop_furniture_texts(root: HtmlElement) -> None:
    """Take out short texts that say themselves what they are."""
    for element in list(root.iterdescendants("p", "div", "span", "li", "a", "section", "td")):
        text = " ".join(element.text_content().split())
        if element.getparent() is not None and len(text) <= _LONGEST_FURNITURE and _FURNITURE_TEXT.match(text):
            element.drop_tree()


def _drop(elements: Iterable[HtmlElement]) -> None:
    for element in elements:
        if element.getparent() is not None:
            element.drop_tree()


def _names(element: HtmlElement) -> list[str]:
    """An element's classes and id in one spelling: "siteFooter" and "site__footer" are "site-footer"."""
    names = f"{element.get('class', '')} {element.get('id', '')}".split()
    return [re.sub(r"[-_]+", "-", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name)).lower().strip("-") for name in names]


def _prose(element: HtmlElement) -> int:
    """Characters of text outside links."""
    return _size(element) - sum(map(_size, element.iter("a")))


def _size(element: HtmlElement) -> int:
    return len(" ".join(element.text_content().split()))
