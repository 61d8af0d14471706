"""Every setting, from the environment or a `.env` file, checked before anything starts."""

from __future__ import annotations

import difflib
import json
import os
import re
from pathlib import Path
from typing import Annotated, Literal

from dotenv import dotenv_values
from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.claude_api import DEFAULT_MODEL
from bot.errors import Misconfigured
from retrieval.document import PUBLIC
from retrieval.voyage_models import EMBEDDING_MODEL, RERANK_MODEL

_PREFIX = "CITEWELL_"
_ENV_FILE = ".env"
_COLLECTION = re.compile(r"[\w.-]{1,64}")
COLLECTION_RULE = "a collection's name has letters, digits, '-', '_' and '.', at most 64 of them"


Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]


class Settings(BaseSettings):
    """What is set from outside. Names below are the environment's, with `CITEWELL_` before them unless shown whole."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_file=_ENV_FILE, env_ignore_empty=True, extra="ignore", frozen=True
    )

    home: Path = Field(default=Path("~/.citewell"), description="folder of the index and the memory")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="WARNING", description="how much is logged")
    language: str = Field(default="en", pattern=r"^[a-z]{2}$", description="language of the fixed texts")
    country: Country | None = Field(
        default=None, description="where the organisation is, for crisis lines (GB, US, ...)"
    )

    slack_bot_token: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_BOT_TOKEN"))
    slack_app_token: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_APP_TOKEN"))
    slack_signing_secret: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_SIGNING_SECRET"))
    slack_api_url: str = Field(default="https://slack.com/api/", pattern=r"^https?://.+/$", description="Slack's API")

    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices("ANTHROPIC_API_KEY"))
    anthropic_base_url: str | None = Field(default=None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL"))
    model: str = Field(default=DEFAULT_MODEL, min_length=1, description="the Claude model that writes answers")

    voyage_api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices("VOYAGE_API_KEY"))
    voyage_base_url: str | None = Field(
        default=None, pattern=r"^https?://.+", validation_alias=AliasChoices("VOYAGE_BASE_URL")
    )
    voyage_model: str = Field(default=EMBEDDING_MODEL, min_length=1, description="Voyage's model for embeddings")
    rerank_model: str = Field(default=RERANK_MODEL, min_length=1, description="Voyage's model that reranks")

    embedder: str | None = Field(
        default=None,
        description="local for the model that comes with Citewell, none for words alone, or another model's folder;"
        " unset takes Voyage if there is a key, else local",
    )
    evidence_threshold: float | None = Field(
        default=None, ge=0, le=1, description="strength of evidence below which it declines; unset takes the fitted one"
    )
    public_collections: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset({PUBLIC}), description="collections that guests may see, with commas between them"
    )
    passages: int = Field(default=8, ge=1, le=30, description="passages given to the answerer")
    replay_tokens: int = Field(default=1500, ge=0, le=50_000, description="earlier exchanges it sees, in tokens")
    question_limit: int = Field(default=8000, ge=100, le=40_000, description="longest message, in characters")

    host: str = Field(default="127.0.0.1", description="where `serve` listens")
    port: int = Field(default=3000, ge=1, le=65535, validation_alias=AliasChoices("CITEWELL_PORT", "PORT"))
    turn_deadline: float = Field(default=60.0, gt=0, le=600, description="seconds a turn may take")
    concurrency: int = Field(default=8, ge=1, le=256, description="conversations answered side by side")
    drain_grace: float = Field(default=20.0, ge=0, le=600, description="seconds that running turns get at shutdown")

    @field_validator("public_collections", mode="before")
    @classmethod
    def _names(cls, given: object) -> object:
        """Names with commas between them, or a JSON list of them."""
        if not isinstance(given, str):
            return given
        names = _json_list(given) if given.lstrip().startswith("[") else given.split(",")
        kept = [name.strip() for name in names if name.strip()]
        if not all(map(is_collection_name, kept)):
            msg = f"write names with commas between them (public, leaflets); {COLLECTION_RULE}"
            raise ValueError(msg)
        return kept

    @property
    def index_path(self) -> Path:
        """The index: documents, passages, vectors."""
        return self.home.expanduser() / "index.db"

    @property
    def memory_path(self) -> Path:
        """Conversations, turns and the inbox."""
        return self.home.expanduser() / "memory.db"

    @classmethod
    def load(cls, **given: object) -> Settings:
        """The settings in force, `given` above the environment. `Misconfigured` names each fault and its mend."""
        _refuse_unknown_names()
        try:
            return cls(**given)  # type: ignore[arg-type]
        except ValidationError as error:
            lines = [
                f"  {_environment_name(fault['loc'])}: {fault['msg'].removeprefix('Value error, ')}"
                for fault in error.errors(include_input=False)
            ]
            raise Misconfigured("\n".join(["These settings need mending:", *lines])) from None


def is_collection_name(name: str) -> bool:
    """Whether `COLLECTION_RULE` holds for it."""
    return _COLLECTION.fullmatch(name) is not None


def environment_names() -> dict[str, str]:
    """Each setting's name in the environment, by field."""
    names = {}
    for field, info in Settings.model_fields.items():
        alias = info.validation_alias
        names[field] = str(alias.choices[0]) if isinstance(alias, AliasChoices) else f"{_PREFIX}{field.upper()}"
    return names


def _refuse_unknown_names() -> None:
    """A misspelt name would otherwise be passed over in silence, in the environment as in `.env`."""
    known = set(environment_names().values())
    for name in sorted({*os.environ, *_names_in_env_file()}):
        if name.startswith(_PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(sorted(known))}."
            raise Misconfigured(f"{name} is not a setting of Citewell. {hint}")


def _names_in_env_file() -> set[str]:
    try:
        return set(dotenv_values(_ENV_FILE))
    except UnicodeDecodeError as error:
        msg = f"{_ENV_FILE} is not UTF-8 text (byte {error.start + 1}): save it as UTF-8."
        raise Misconfigured(msg) from error
    except OSError as error:
        msg = f"{_ENV_FILE} cannot be read ({error.strerror}): make it readable, or start somewhere else."
        raise Misconfigured(msg) from error


def _json_list(text: str) -> list[str]:
    try:
        return [str(name) for name in json.loads(text)]
    except ValueError:
        msg = 'this begins like a JSON list but is none; write public, leaflets or ["public", "leaflets"]'
        raise ValueError(msg) from None


def _environment_name(location: tuple[int | str, ...]) -> str:
    first = str(location[0]) if location else "settings"
    return environment_names().get(first, first)
