"""Reading HTML: the content of pages of several builds, and nothing around it."""

from __future__ import annotations

import pytest

from retrieval.load import Loaded, parse

CONTENT = """<h1>Flu vaccination</h1>
<p>The vaccine is given at the clinic from October to March, without an appointment, to all who ask.</p>
<h2 id="related-conditions">Who should come</h2>
<p>Everyone aged 6 months and older should come each year, with exceptions that a nurse explains.</p>
<section id="work-related-asthma"><h2>Asthma at work</h2><p>See the occupational health nurse first.</p></section>
<div class="social-care-info"><p>Social care staff come on Mondays.</p></div>
<ul><li>Call <a href="#">555-0100</a></li><li>Bring your card</li></ul>
<table><tr><th>Age</th><th>Dose</th></tr><tr><td>6-35 months</td><td>0.25 mL</td></tr></table>
<p>Cells are 5 &times; 10<sup>9</sup>/L in H<sub>2</sub>O.</p>"""
WANTED = (
    "from October to March", "Everyone aged 6 months", "occupational health nurse", "Social care staff",
    "- Call 555-0100", "- Bring your card", "6-35 months | 0.25 mL", "5 × 10⁹/L in H2O",
)  # fmt: skip

BEFORE = """<a class="skip-link" href="#main">Skip to main content</a>
<div class="usa-banner">An official website of the United States government</div>
<header class="site-header"><div>Health Org</div>
<form action="/s"><label>Search our site</label></form><a>Sign in</a></header>
<nav><ol class="breadcrumb"><li>Home crumb</li></ol></nav>"""
AFTER = """<div class="share-buttons">Share on Facebook</div>
<div class="relatedLinks"><ul><li><a>You may also like</a></li></ul></div>
<div hidden>unseen one</div><div aria-hidden="true">unseen two</div><div style="display: none">unseen three</div>
<div class="gone">unseen four</div><div id="onetrust-sdk">We use cookies. Accept all cookies</div>
<div class="newsletter-signup">Subscribe to our newsletter</div><footer>Privacy, all rights reserved</footer>
<script>dataLayer.push(1)</script>"""
BARE_BEFORE = """<div>Skip to main content</div><div>An official website of the United States government</div>
<div><a>Home</a> <a>Topics</a> <a>Sign in</a></div>"""
BARE_AFTER = """<div>Share on <a>Facebook</a></div>
<ul><li><a>You may also like</a></li><li><a>B</a></li><li><a>C</a></li></ul>
<div>We use cookies. Accept all cookies</div><div>Subscribe to our newsletter</div>
<div>© 2026 All rights reserved</div>"""
UNWANTED = (
    "skip to", "official website", "search our site", "sign in", "home crumb", "share on", "you may also like",
    "unseen", "cookies", "newsletter", "all rights reserved", "datalayer",
)  # fmt: skip

BUILDS = {
    "main": f"{BEFORE}<main>{CONTENT}{AFTER}</main>{AFTER}",
    "role": f"{BEFORE}<div role=main>{CONTENT}</div>{AFTER}",
    "article": f"{BEFORE}<div id=content><article><div class='entry-content'>{CONTENT}</div></article></div>{AFTER}",
    "drupal": f"{BEFORE}<div class='node__content'>{CONTENT}</div><div class='region-sidebar'>Sign in</div>{AFTER}",
    "no main": f"{BEFORE}<div class=wrap>{CONTENT}</div>{AFTER}",
    "empty main": f"{BEFORE}<main></main><div>{CONTENT}</div>{AFTER}",
    "one form": f"<form>{BEFORE}<div>{CONTENT}</div>{AFTER}</form>",
    "no names": f"{BARE_BEFORE}<div><div>{CONTENT}</div></div>{BARE_AFTER}",
    "layout table": f"<table><tr><td>{BARE_BEFORE}</td></tr><tr><td>{CONTENT}</td><td>{BARE_AFTER}</td></tr></table>",
    "fragment": CONTENT,
}


def read(body: str) -> Loaded:
    head = "<title>Flu vaccination | Health Org</title><style>.gone, #x {display:none}</style>"
    return parse("a.html", f"<html><head>{head}</head><body class='has-menu'>{body}</body></html>".encode())


def passages(loaded: Loaded) -> str:
    return "\n".join(loaded.text[slice(*section.span)] for section in loaded.sections)


@pytest.mark.parametrize("build", BUILDS)
def test_the_content_is_whole_and_nothing_else_is_read(build: str) -> None:
    loaded = read(BUILDS[build])
    text = passages(loaded)
    assert loaded.title == "Flu vaccination"
    assert [wanted for wanted in WANTED if wanted not in text] == []
    assert [unwanted for unwanted in UNWANTED if unwanted in text.lower()] == []


def test_sections_stand_under_their_headings() -> None:
    assert [section.headings[1:] for section in read(BUILDS["main"]).sections][:2] == [(), ("Who should come",)]


def test_a_panel_that_a_button_opens_is_content() -> None:
    opened = (
        "<main><h1>Questions</h1><button aria-controls=a>When?</button><div id=a hidden><p>At nine.</p></div></main>"
    )
    assert "At nine." in passages(read(opened))


def test_only_web_addresses_are_taken_as_the_pages_own() -> None:
    page = "<html><head><link rel=canonical href='{}'></head><body><p>Words.</p></body></html>"
    assert parse("a.html", page.format("https://example.org/flu").encode()).url == "https://example.org/flu"
    assert parse("a.html", page.format("javascript:alert(1)").encode()).url is None


def test_a_cell_over_several_rows_is_said_in_each() -> None:
    rows = "<tr><th>Who</th><th>Dose</th></tr><tr><td rowspan=2>Adults</td><td>5 mg</td></tr><tr><td>10 mg</td></tr>"
    assert "Adults | 5 mg\nAdults | 10 mg" in passages(read(f"<main><table>{rows}</table></main>"))


def test_a_declared_encoding_is_believed() -> None:
    page = "<html><head><meta charset=iso-8859-1></head><body><p>Café, 5 µg</p></body></html>".encode("latin-1")
    assert "Café, 5 µg" in passages(parse("a.html", page))


def test_line_breaks_stand() -> None:
    assert "Monday 9 to 5\nTuesday closed" in passages(read("<main><p>Monday 9 to 5<br>Tuesday closed</p></main>"))


def test_sentences_that_only_sound_like_furniture_stay() -> None:
    text = passages(
        read(
            "<div><h1>Visits</h1><p>Sign in at the desk when you come to the ward.</p>"
            "<div class='sample-menu'><p>Menu: soup, and then fruit.</p></div>"
            "<p>Share this leaflet with your family.</p></div>"
        )
    )
    assert "Sign in at the desk" in text
    assert "soup, and then fruit" in text
    assert "Share this leaflet" in text


def test_a_list_that_leads_around_on_the_page_is_left_out() -> None:
    links = [f"<li><a href='#{number}'>{text}</a></li>" for number, text in enumerate(("When to call", "Who", "Why"))]
    around = f"<ul>{''.join(links)}</ul>"
    text = passages(
        read(f"<main><h1>Calls</h1>{around}<p>Call the clinic when a fever lasts over three days.</p></main>")
    )
    assert "Call the clinic" in text
    assert "When to call" not in text


def test_what_stands_outside_the_marked_content_is_left_out() -> None:
    loaded = read(f"<div><p>The press office answers on 555-0199.</p></div><main>{CONTENT}</main>")
    assert "press office" not in loaded.text
