"""The sample leaflets are ten, plainly fictional, free of doses and free of real addresses."""

from __future__ import annotations

import re
from datetime import date
from functools import cache
from html import unescape
from pathlib import Path

import frontmatter
import pypdfium2
import pytest

from adapters.samples import documents
from retrieval.load import load

NOTE = "This leaflet is made up: the place does not exist, and nothing in it is medical advice."
SOURCES = Path(__file__).resolve().parents[2] / "scripts" / "samples"
LARGEST = {".pdf": 60_000, ".docx": 40_000}
NAMES = sorted(path.name for path in documents().iterdir())
MARKDOWN = [name for name in NAMES if name.endswith(".md")]

DOSE = re.compile(
    r"""(?: \d | \b (?: half | one | two | three | four | five | six | seven | eight | nine | ten ) \b ) \s* -?
        (?: (?: mg | mcg | µg | ug | kg | g | ml | cl | dl | l | iu | mmol | % ) (?! \w )
          | \b (?: milli | micro | kilo )? (?: gram | litre | liter ) s? \b
          | \b (?: tablet | capsule | pill | puff | drop | lozenge | patch | (?:tea|table)?spoon | dose | unit ) )
    """,
    re.VERBOSE | re.IGNORECASE,
)


@cache
def raw(name: str) -> str:
    """The text of a leaflet, markup included where the file is text."""
    path = documents() / name
    match path.suffix:
        case ".pdf":
            return "\n".join(pdf_pages(path))
        case ".docx":
            return load(path).text
        case _:
            return path.read_text(encoding="utf-8")


def pdf_pages(path: Path) -> list[str]:
    with pypdfium2.PdfDocument(path) as pdf:
        pages = []
        for number in range(len(pdf)):
            page = pdf[number]
            text = page.get_textpage()
            pages.append(str(text.get_text_range()))
            text.close()
            page.close()
        return pages


def read(name: str) -> str:
    """What a reader of the leaflet sees, on one line: no front matter, no page furniture of the website, no tags."""
    text = raw(name)
    if name.endswith(".md"):
        text = frontmatter.loads(text).content
    elif name.endswith(".html"):
        text = unescape(re.sub(r"<[^>]+>", " ", text.partition("<main")[2].partition("</main>")[0].partition(">")[2]))
    return " ".join(text.split())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


def test_there_are_ten_in_the_formats_that_people_have() -> None:
    suffixes = sorted(Path(name).suffix for name in NAMES)
    assert suffixes == [".docx", ".html", *[".md"] * 6, ".pdf", ".txt"]


@pytest.mark.parametrize("name", NAMES)
def test_each_says_straight_after_its_title_that_it_is_fictional(name: str) -> None:
    assert NOTE in read(name)[: len(NOTE) + 60]


@pytest.mark.parametrize("name", NAMES)
def test_none_holds_anything_like_a_dose(name: str) -> None:
    assert DOSE.findall(raw(name)) == []


@pytest.mark.parametrize(
    "text", ["500 mg", "0.5ml", "10 micrograms", "two tablets", "1 g", "a 5-ml spoon", "2 puffs", "one teaspoon", "5%"]
)
def test_a_dose_would_be_noticed(text: str) -> None:
    assert DOSE.search(text)


@pytest.mark.parametrize("name", NAMES)
def test_addresses_and_phone_numbers_are_reserved_for_fiction(name: str) -> None:
    text = raw(name)
    hosts = re.findall(r"(?:https?://|www\.|@)([\w.-]+\w)", text)
    hosts += re.findall(r"\b[\w-]+\.(?:com|org|net|info|uk|gov|edu|health)\b", text)
    assert [host for host in hosts if host != "larkfield.example"] == []
    assert all(number.startswith("01632 960 ") for number in re.findall(r"\b0\d[\d ]{6,}\d\b", text))


@pytest.mark.parametrize("name", NAMES)
def test_each_is_small(name: str) -> None:
    assert (documents() / name).stat().st_size < LARGEST.get(Path(name).suffix, 5_000)


@pytest.mark.parametrize("name", MARKDOWN)
def test_front_matter_gives_title_address_and_dates(name: str) -> None:
    page = frontmatter.loads(raw(name))
    assert page.content.startswith(f"# {page['title']}\n")
    assert page["url"] == f"https://larkfield.example/{Path(name).stem}"
    effective, review_by = page["effective"], page["review_by"]
    assert isinstance(effective, date)
    assert isinstance(review_by, date)
    assert date(2026, 1, 1) <= effective < review_by <= date(2027, 12, 31)


@pytest.mark.parametrize("name", ["visiting-the-ward.pdf", "feedback-and-access.docx"])
def test_the_binary_leaflets_say_what_their_sources_say(name: str) -> None:
    """Fails when a source was changed and `scripts/make_samples.py` not run."""
    source = words((SOURCES / name).with_suffix(".md").read_text(encoding="utf-8"))
    text = raw(name)
    if name.endswith(".pdf"):
        text = re.sub(r"^.*Page \d of \d.*$", "", text, flags=re.MULTILINE)
    assert words(text) == source


def test_the_pdf_has_two_pages_that_each_end_in_the_running_footer() -> None:
    pages = pdf_pages(documents() / "visiting-the-ward.pdf")
    assert [page.splitlines()[-1] for page in pages] == [
        f"Visiting the ward - Larkfield Community Clinic (made up) - Page {number} of 2" for number in (1, 2)
    ]


def test_the_web_page_has_something_to_leave_out() -> None:
    page = raw("travel-clinic.html")
    around = page.partition("<main")[0] + page.partition("</main>")[2]
    assert all(part in around for part in ("<nav", "cookie-banner", "<aside", "<footer"))
    assert "cookie" not in read("travel-clinic.html").lower()
