"""What every section of a language's file is."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Its texts by their keys, all of them and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)
