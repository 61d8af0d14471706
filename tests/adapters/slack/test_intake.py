"""What stands in Slack of files that were taken in, and where the bot's token goes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.intake_report import report
from adapters.slack.client import SLACK_API
from adapters.slack.events import Identity, Reason, read
from adapters.slack.files import may_have_token
from adapters.slack.intake import report_post
from adapters.uploads import Item, Record
from bot.messages import Attachment, Reply, TurnKind
from bot.wording import wording
from retrieval.ingest_report import Outcome
from tests.doubles.slack import payloads
from tests.doubles.slack.limits import check_message

if TYPE_CHECKING:
    from typing import Any

    from syrupy.assertion import SnapshotAssertion

WORDS = wording()
ME = Identity("T0CLINIC1", "U0CITEBOT", "B0CITEBOT")
RECORD = Record(
    id="0" * 32,
    place="slack:T0CLINIC1:D0AMINA",
    collection="wards",
    at=datetime(2026, 11, 30, tzinfo=UTC),
    items=[
        Item(file="F1", name="rota.pdf", title="Rota <2026>", outcome=Outcome.TAKEN),
        Item(file="F2", name="flu.docx", title="Flu", outcome=Outcome.UPDATED, lapsed=True),
        Item(file="F3", name="flu.pdf", title="Flu", outcome=Outcome.DUPLICATE),
        Item(file="F4", name="rota_2.pdf", title="Rota", outcome=Outcome.UNCHANGED),
        Item(file="F5", name="scan.pdf", outcome=Outcome.FAILED, code="scanned", before=True),
        Item(file="F6", name="<!channel>.exe", outcome=Outcome.FAILED, code="unsupported"),
        Item(file="F7", name="odd.pdf", outcome=Outcome.FAILED, code="never heard of"),
    ],
)


def post_of(record: Record) -> Any:
    text = report(record, WORDS, public=False)
    return report_post(Reply(TurnKind.COURTESY, text, "", undo=record.id if record.taken else ""), WORDS)


def test_a_report_with_its_undo(payload: SnapshotAssertion) -> None:
    post = post_of(RECORD)
    assert {"text": post.text, "blocks": list(post.blocks)} == payload
    assert "<!channel>" not in str(post.blocks)


@given(
    st.lists(
        st.builds(
            Item,
            file=st.just("F"),
            name=st.text(max_size=120),
            title=st.text(max_size=300),
            outcome=st.sampled_from([Outcome.TAKEN, Outcome.FAILED, Outcome.DUPLICATE]),
            code=st.sampled_from(["", *WORDS.documents.why]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_any_report_fits_into_a_message(items: list[Item]) -> None:
    post = post_of(RECORD.model_copy(update={"items": items}))
    check_message({"text": post.text, "blocks": list(post.blocks)})


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("https://files.slack.com/files-pri/T1-F1/a.pdf", True),
        ("https://files.slack.com:443/a.pdf", True),
        ("https://FILES.slack.com/a.pdf", True),
        ("http://files.slack.com/a.pdf", False),
        ("https://files.slack.com:8443/a.pdf", False),
        ("https://files.slack.com@evil.example/a.pdf", False),
        ("https://files.slack.com:443@evil.example/a.pdf", False),
        ("https://evil.example/https://files.slack.com/", False),
        ("https://files.slack.com.evil.example/a.pdf", False),
        ("https://slack.com/a.pdf", False),
        ("https://files.slack.com:x/a.pdf", False),
        ("//files.slack.com/a.pdf", False),
        ("file:///etc/passwd", False),
        ("", False),
    ],
)
def test_the_token_goes_to_slacks_file_host_alone(address: str, *, allowed: bool) -> None:
    assert may_have_token(address, SLACK_API) is allowed


def test_with_the_api_elsewhere_it_goes_there_alone() -> None:
    api = "http://127.0.0.1:4555/api/"
    assert may_have_token("http://127.0.0.1:4555/files-pri/a", api)
    assert not may_have_token("http://127.0.0.1:4556/files-pri/a", api)
    assert not may_have_token("https://files.slack.com/a", api)


@pytest.mark.parametrize("given", [None, "x", [None], [{"name": "a"}], [{"id": 5}], {"id": "F1"}])
def test_odd_files_cost_a_message_nothing(given: object) -> None:
    event = payloads.message("D0AMINA", "U0AMINA", "hello", "1.1") | {"files": given}
    heard = read({"event": event}, ME)
    assert heard is not None
    assert all(file.id == "5" for file in heard.files)


def test_files_are_for_us_without_a_mention_where_they_are_meant_to_be() -> None:
    event = payloads.message("C0DOCS", "U0AMINA", "the rota", "1.1", subtype="file_share", files=[{"id": "F1"}])
    assert read({"event": event}, ME) is None
    heard = read({"event": event}, ME, for_files={"C0DOCS"})
    assert heard is not None
    assert (heard.reason, heard.files) == (Reason.FILES, (Attachment("F1", ""),))
    assert read({"event": event | {"files": []}}, ME, for_files={"C0DOCS"}) is None
