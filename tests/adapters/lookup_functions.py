"""A Python file as an operator writes it, for tests."""

from __future__ import annotations

ROTA = """from datetime import date
from typing import Literal
from pydantic import BaseModel
from adapters.lookups import PythonLookup

class Asked(BaseModel):
    ward: Literal["Ward 1", "Ward 2"]
    day: date | None = None

class OnCall(BaseModel):
    registrar: str
    bleep: int
    ward: str | None = None

ON_CALL = {"Ward 1": OnCall(registrar="Dr Osei", bleep=4411)}

def on_call(asked: Asked) -> list[OnCall]:
    return [row for ward, row in ON_CALL.items() if ward == asked.ward]

LOOKUP = PythonLookup("on_call", "Who is on call on a ward on a day", Asked, OnCall, on_call)
"""
