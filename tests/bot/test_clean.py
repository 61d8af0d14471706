"""Promise 1: nothing that a model writes may lead anywhere."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clean import _cleaned, clean

LEADS = [
    "[our page](https://evil.example/a?b=c)",
    "[our page](<https://evil.example/a b>)",
    "[our page][1]\n\n[1]: https://evil.example",
    "![pixel](https://evil.example/p.png)",
    "![pixel][1]",
    "<https://evil.example>",
    "<mailto:a@evil.example>",
    "https://evil.example/path",
    "HTTP://EVIL.EXAMPLE",
    "http : // evil.example",
    "hxxp://evil.example",
    "www.evil.example",
    "evil.example/login",
    "EVIL.EXAMPLE",
    "Evil.com",
    "xn--80ak6aa92e.com",
    "evil\u3002com",
    "ev\u200bil.ex\u200bample",
    "h\u00adttps://evil.example",
    "https&#58;//evil.example",
    "&lt;a href=&quot;//evil.example&quot;&gt;here&lt;/a&gt;",
    "&amp;lt;img src=//evil.example&amp;gt;",
    "<a href='//evil.example'>here</a>",
    "<img src=x onerror=alert(1)>",
    "<<b>script>alert(1)</script>",
    "<!-- https://evil.example -->",
    "javascript:alert(1)",
    "data:text/html;base64,AAAA",
    "[call](tel:+15550100)",
    "<tel:+15550100>",
    "evil.tech",
    "evil.care/x",
    "evil-health.zip",
    "\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444",
    "evil.m\u00fcnchen.de",
    "localhost:3000/evil",
    "10.0.0.1/evil",
    "<@U12345678>",
    "<!here>",
    "<!subteam^S1|@team>",
    "<#C12345678|general>",
    "<at>Everyone</at>",
    "@channel",
    "[a[b](https://evil.example)](https://evil.example)",
    "www dot evil dot com",
    "evil[.]com",
    "evil (dot) org",
    "https:evil.example",
    "//evil.example/x",
    "<https://evil.example|our page with spaces>",
    "\uff48ttps://evil.example",
    "\uff1cimg src=//evil.example\uff1e",
    "\U0001d41e\U0001d42f\U0001d422\U0001d425.com",
    "javascript :alert('evil')",
    "http://[::1]/evil",
    "evil.co",
    "evil.clinic",
    "[1](https://evil.example)",
    "<@U1",
]
LEADING = re.compile(r"evil|https?:|www\.|javascript:|data:|tel:|\]\(|<[@!#a-z/]|(?<!\w)@\w|alert\(1\)<", re.IGNORECASE)


@pytest.mark.parametrize("lead", LEADS)
def test_whatever_leads_elsewhere_is_removed(lead: str) -> None:
    assert not LEADING.search(clean(f"The clinic opens at 9. {lead} Bring a card."))


@given(
    st.lists(st.sampled_from([*LEADS, "word", " ", "\n", "(", ")", "[", "]", "<", ">", "!", ".", "5 mg"]), max_size=8)
)
def test_nothing_leads_elsewhere_however_it_is_put_together(parts: list[str]) -> None:
    assert not re.search(r"https?://|\]\(http|<[@!#]|<img|<a\b|javascript:a", clean("".join(parts)), re.IGNORECASE)


@given(
    st.one_of(
        st.text(), st.lists(st.sampled_from([*LEADS, "word", " ", "\n", "(", "[", "&lt;", "&amp;", ":"])).map("".join)
    )
)
def test_cleaning_what_is_clean_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    "text",
    [
        "Take it at 9.30 a.m., e.g. with water. It helps.",
        "GFR <30 ml/min and >60 ml/min",
        "Open 9:00 to 12:00, ratio 1:2",
        "The day ends.In children it is shorter",
        "Write to hello@larkfield.example about it",
        "IL-6 and E11.9, 0.5 mg, 10% (see below)",
        "Data: see below",
        "Not for anyone with age <two years or weight >12 kg.",
        "Not for <pregnant people> and <children under five>.",
        "Dose <two years: 2 ml; >two years: 4 ml",
        "Call the ward on Tel:01632 960199 or SMS:85258",
        "The normal range is [10-20] in adults",
        "Give .5 mg",
        "Take it with milk.in the morning 5 ml",
        "See also: 999",
        "Read more: call 999",
        "Take it and/or rest, i.e. 10.30am, B12, NHS and nhs",
        "Source of infection: food",
        "Sources of iron are beans and lentils.",
        "The dot on the label tells which it is.",
        "Taken from a vein, the blood sample is sent to a lab.",
        "Give ~5 mg to ~10 mg, or 5~10 mg",
        "It is 9 a.m. in the U.S., so it is so.",
        "AT&T and R&D, [sic], a<b and c>d",
        "\u8fd9\u662f\u53e5\u5b50\u3002\u4e0b\u4e00\u53e5\u5728\u8fd9\u91cc\u3002",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize(
    "text", ["It opens at 9 [1].", "It opens at 9 [1, 2].", "It opens at 9 [^3].", "It opens at 9 [p2]."]
)
def test_markers_the_model_wrote_are_removed(text: str) -> None:
    assert clean(text) == "It opens at 9."


@pytest.mark.parametrize(
    "line",
    [
        "Source: WHO 2021",
        "**Sources:** leaflet",
        "References: [2]",
        "References:\n1. BMJ 2019\n2. Lancet",
        "Source - BMJ",
        "(Source: BMJ 2019)",
        "Quelle: RKI",
        "Fuente: OMS",
        "\u6765\u6e90\uff1aWHO",
        "Retrieved from the BMJ",
    ],
)
def test_source_lines_the_model_made_up_are_removed(line: str) -> None:
    assert clean(f"It opens at 9.\n{line}") == "It opens at 9."


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Log in at https://evil.example/a and tick the box.", "Log in at \u2026 and tick the box."),
        ("The rules are at https://evil.example/rules. They forbid it.", "The rules are at \u2026. They forbid it."),
        ("It is open. https://evil.example", "It is open."),
        ("It is open (https://evil.example).", "It is open."),
    ],
)
def test_a_link_in_the_middle_of_a_sentence_leaves_a_gap_that_can_be_seen(text: str, left: str) -> None:
    assert clean(text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("You should ~~not~~ stop it.", "You should stop it."),
        ("You should ~not~ stop it.", "You should stop it."),
        ("It is un~~safe~~ here.", "It is un here."),
        ("You should n\u0336o\u0336t stop it.", "You should not stop it."),
        ("You ~~should and ~not stop", "You should and not stop"),
    ],
)
def test_nothing_is_left_that_is_or_could_be_struck_through(text: str, left: str) -> None:
    assert clean(text) == left


@pytest.mark.parametrize("host", ["_evil.com_", "*evil.com*", "evil.it", "evil.in", "evil.sg", "x_evil.com"])
def test_a_host_is_one_in_italics_and_under_a_top_level_that_is_a_word(host: str) -> None:
    assert "evil" not in clean(f"Wash your hands, more at {host}.")
    assert "evil" not in clean(f"Wash your hands (see {host}).")


@pytest.mark.parametrize(
    "source", ["[source]", "[Source A]", "\u3010source\u3011", "\u30104\u2020a\u3011", "Taken from NHS England, 2019"]
)
def test_a_bracket_or_line_that_only_names_a_source_goes(source: str) -> None:
    assert clean(f"Wash your hands. {source}") == "Wash your hands."


@given(
    st.lists(
        st.sampled_from(
            [
                *LEADS,
                *" \n\t.:/()-_*,'",
                *"\u2018\u2019\u201c\u201d\u2013\u2014\u2022\u00a3\u00b0\u00d7\u2264\u2265",
                "  ",
                "a",
                "B2",
                "1.5",
                "10",
                *["see", "from", "dot", "com", "source", "Refs", "www", "at", "Taken", "evil"],
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_what_is_taken_for_harmless_comes_out_as_if_every_removal_had_been_tried(text: str) -> None:
    assert clean(text) == _cleaned(text)
