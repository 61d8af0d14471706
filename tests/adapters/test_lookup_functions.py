"""Python functions as look-ups: loaded from an operator's file, checked, and never waited for longer than declared."""

from __future__ import annotations

import asyncio
import threading
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from adapters.lookups.apart import AT_ONCE
from adapters.lookups.opened import Opened
from adapters.lookups.settings import FunctionSettings
from bot.lookup import LookupFailed, run
from bot.messages import Author
from tests.adapters.lookup_functions import ROTA

if TYPE_CHECKING:
    from pathlib import Path

    from bot.lookup import Lookup

ANN = Author("U1")
TODAY = date(2026, 11, 30)


@pytest.fixture(autouse=True)
def _watched(nothing_blocks_the_loop: None) -> None:
    """Nothing here may block the event loop."""


async def opened(folder: Path, text: str = ROTA, **changed: Any) -> Lookup:
    (folder / "rota.py").write_text(text)
    said = FunctionSettings.model_validate({"title": "On-call rota", "module": "rota.py", **changed})
    return (await Opened.of({"on_call": said}, folder, today=lambda: TODAY, variables={})).all[0]


async def rows(one: Lookup, author: Author = ANN, **keys: str) -> list[dict[str, str]]:
    return [row.written for row in (await run(one, {name: [value] for name, value in keys.items()}, author)).rows]


def answering(body: str) -> str:
    """The sample file with another function."""
    return (
        ROTA.partition("def on_call")[0] + f"def on_call(asked):\n    {body}\n" + "LOOKUP" + ROTA.partition("LOOKUP")[2]
    )


async def test_a_function_answers_by_its_models(tmp_path: Path) -> None:
    one = await opened(tmp_path)
    expected = {"ward": "Ward 1", "day": "2026-12-04", "registrar": "Dr Osei", "bleep": "4411"}
    assert await rows(one, ward="Ward 1", day="2026-12-04") == [expected]
    assert one.card.answers == "Who is on call on a ward on a day"
    assert await rows(one, ward="Ward 2", day="2026-12-04") == []


async def test_arguments_that_the_model_does_not_have_are_refused(tmp_path: Path) -> None:
    one = await opened(tmp_path)
    for given in ({"ward": "Ward 9"}, {"ward": "Ward 1", "day": "soon"}, {"ward": "Ward 1", "bleep": "1"}):
        with pytest.raises(LookupFailed, match="do not fit"):
            await run(one, {name: [value] for name, value in given.items()}, ANN)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('Ward 1 is secret')", "broke: ValueError"),
        ("raise SystemExit(3)", "broke: SystemExit"),
        ("raise StopIteration", "broke: StopIteration"),
        ("return 'Dr Osei'", "gave something that is no OnCall"),
        ("return [OnCall(registrar='Dr Osei', bleep=1), None]", "gave something that is no OnCall"),
        ("return OnCall.model_construct(registrar='Dr Osei', bleep='secret')", "does not fit in bleep"),
        ("return OnCall.model_construct(registrar='Dr Osei')", "does not fit in bleep"),
        ("return OnCall(registrar='Dr Osei', bleep=1, ward='Ward 2')", "something else than was asked for"),
        ("return OnCall(registrar='see https://evil.example', bleep=1)", "not shown"),
        ("return [OnCall(registrar='Dr Osei', bleep=1)] * 10_001", "more than 10000 rows"),
    ],
)
async def test_what_fails_or_does_not_fit_is_an_error_that_quotes_nothing(tmp_path: Path, body: str, said: str) -> None:
    one = await opened(tmp_path, answering(body))
    with pytest.raises(LookupFailed, match=said) as caught:
        await rows(one, ward="Ward 1")
    assert "secret" not in str(caught.value)


async def test_a_function_that_hangs_costs_its_seconds_and_then_nothing(tmp_path: Path) -> None:
    one = await opened(tmp_path, answering("import threading; threading.Event().wait(30)"), seconds=0.1)
    for _ in range(AT_ONCE):
        with pytest.raises(LookupFailed, match=r"longer than its 0\.1 seconds"):
            await rows(one, ward="Ward 1")
    with pytest.raises(LookupFailed, match="earlier calls have not ended"):
        await rows(one, ward="Ward 1")
    assert await asyncio.to_thread(lambda: "free") == "free"
    hanging = [one for one in threading.enumerate() if one.name == "look-up on_call"]
    assert len(hanging) >= AT_ONCE
    assert all(one.daemon for one in hanging)  # so the process ends without them


async def test_calls_that_have_ended_make_room(tmp_path: Path) -> None:
    one = await opened(tmp_path)
    for _ in range(3 * AT_ONCE):
        assert await rows(one, ward="Ward 1")


async def test_own_rows_go_by_the_platforms_id_alone(tmp_path: Path) -> None:
    text = ROTA.replace("class Asked(BaseModel):", "class Asked(BaseModel):\n    who: str").replace(
        "return [row", "return [OnCall(registrar=asked.who, bleep=1)] or [row"
    )
    one = await opened(tmp_path, text, person="who")
    assert (await rows(one, Author("U7"), ward="Ward 1"))[0]["registrar"] == "U7"
    with pytest.raises(LookupFailed, match="do not fit"):
        await rows(one, ward="Ward 1", who="U2")


async def test_a_row_is_found_again_by_its_id(tmp_path: Path) -> None:
    one = await opened(tmp_path)
    [row] = (await run(one, {"ward": ["Ward 1"]}, ANN)).rows
    assert await one.again([row.id, "5-0-e30", "x"], ANN) == {row.id: row}


@pytest.mark.parametrize(
    ("text", "changed", "said"),
    [
        ("import nothing_of_that_name", {}, r"cannot be loaded \(ModuleNotFoundError, line 1\)"),
        ("x = 1\ny = (", {}, r"cannot be loaded \(SyntaxError, line 2\)"),
        ("raise SystemExit", {}, "cannot be loaded"),
        ("", {}, "has to have one PythonLookup"),
        (ROTA, {"module": "other.py"}, "is not there"),
        (ROTA, {"columns": {"nothing": {}}}, "columns: its models have no nothing"),
        (ROTA, {"template": "{nothing}"}, "template: its models have no nothing"),
        (ROTA, {"person": "nothing"}, "person: its models have no nothing"),
        (ROTA.replace("def on_call", "async def on_call"), {}, "its function is async"),
        (ROTA.replace('Literal["Ward 1", "Ward 2"]', "str"), {}, "ward: say its values"),
        (ROTA.replace('Literal["Ward 1", "Ward 2"]', "Literal[1, 2]"), {}, "have to be texts"),
        (ROTA.replace("bleep: int", "bleep: list[int]").replace("4411", "[4411]"), {}, "bleep: a column is text"),
        (ROTA.replace("bleep: int", "bleep: bool").replace("4411", "True"), {}, "bleep: a column is text"),
    ],
)
async def test_a_file_that_cannot_be_used_says_why_and_costs_no_other(
    tmp_path: Path, text: str, changed: dict[str, Any], said: str
) -> None:
    one = await opened(tmp_path, text, **changed)
    with pytest.raises(LookupFailed, match=said):
        await asyncio.to_thread(one.vocabulary)
