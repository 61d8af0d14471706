"""Every setting, from the environment, a `.env` file or the home's own file, checked before anything starts."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict

from adapters.home_settings import HomeSettings, Thresholds, home_file
from adapters.lookups.settings import Lookups  # noqa: TC001 - pydantic needs it when the class is made
from adapters.offered import Permission
from adapters.public_settings import public_address, team_ids
from adapters.shelving_settings import COLLECTION_RULE, Channels, is_collection_name
from bot.access import Shelving
from bot.claude_api import DEFAULT_MODEL, SMALL_MODEL
from bot.errors import Misconfigured
from retrieval.document import PUBLIC
from retrieval.errors import IndexUnavailable
from retrieval.search import PipelineSettings
from retrieval.voyage_models import EMBEDDING_MODEL, RERANK_MODEL
from retrieval.weaviate_address import EMBEDDED, address

_PREFIX = "CITEWELL_"
_ENV_FILE = ".env"
_HOST = re.compile(r"(?:\*\.)?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}|localhost")
_GUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_STAGES = [field.name for field in fields(PipelineSettings)]
_STAGES_RULE = f"write names of stages with commas between them; there are {', '.join(_STAGES)}"
HOME_ONLY = ("thresholds", "lookups")
_SAID = {
    "dict_type": 'write a table for each embedding model, [thresholds."none"] for words alone',
    "extra_forbidden": "no such field; there are evidence and confident",
    "missing": "it is missing",
    "model_type": "write evidence and confident under it",
    "string_type": "write it in quotes",
}
"""What is said of a fault in place of pydantic's words, by its type."""


Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]


def _address(given: str) -> str:
    try:
        parts = urlsplit(given)
        whole = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        whole = False
    if not whole:
        raise ValueError("write an address that begins with http:// or https:// and a host, as https://api.example.org")
    if given.split() != [given]:
        raise ValueError("write the address without spaces, %20 where one is meant")
    return given


def _weaviate(given: str) -> str:
    if given.casefold() == EMBEDDED:
        return EMBEDDED
    try:
        address(given)
    except IndexUnavailable as error:
        raise ValueError(str(error)) from None
    return given


def _guid(given: str) -> str:
    if not _GUID.fullmatch(given):
        raise ValueError("write the GUID as the Azure portal shows it, as 01234567-89ab-cdef-0123-456789abcdef")
    return given.casefold()


def _name_to_see(given: str) -> str:
    if not given.strip():
        raise ValueError("write a name that people can see; this one is blank")
    return given.strip()


def _file(given: Path) -> Path:
    try:
        return given.expanduser()
    except RuntimeError:
        raise ValueError("there is no home of that name: write the path without '~'") from None


Name = Annotated[str, AfterValidator(_name_to_see)]
Guid = Annotated[str, AfterValidator(_guid)]
Address = Annotated[str, AfterValidator(_address)]
SecureAddress = Annotated[str, AfterValidator(_address), Field(pattern=r"^https://", max_length=2048)]
WeaviateAddress = Annotated[str, AfterValidator(_weaviate)]

PublicUrl = Annotated[str, AfterValidator(public_address)]
SlackTeams = Annotated[frozenset[str], NoDecode, BeforeValidator(team_ids)]


class Settings(BaseSettings):
    """What is set from outside. Names below are the environment's, with `CITEWELL_` before them unless shown whole."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX, env_file=_ENV_FILE, env_ignore_empty=True, extra="ignore", frozen=True
    )

    home: Path = Field(default=Path("~/.citewell"), description="folder of the index, the memory and citewell.toml")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="WARNING", description="how much is logged")
    language: str = Field(default="en", pattern=r"^[a-z]{2}$", description="language of the fixed texts")
    country: Country | None = Field(
        default=None, description="where the organisation is, for crisis lines (GB, US, ...)"
    )
    own_people: Annotated[Path, AfterValidator(_file)] | None = Field(
        default=None, description="a file with the organisation's own people for someone in need"
    )

    slack_bot_token: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_BOT_TOKEN"))
    slack_app_token: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_APP_TOKEN"))
    slack_signing_secret: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_SIGNING_SECRET"))
    slack_client_id: str | None = Field(
        default=None, validation_alias=AliasChoices("SLACK_CLIENT_ID"), pattern=r"^[\w.-]{1,64}$"
    )
    slack_client_secret: SecretStr | None = Field(default=None, validation_alias=AliasChoices("SLACK_CLIENT_SECRET"))
    slack_teams: SlackTeams = Field(
        default=frozenset(), description="Slack workspaces and organisations that may install it, by id, or any"
    )
    public_url: PublicUrl | None = Field(default=None, description="our own address, as https://bot.example.org")
    slack_api_url: str = Field(default="https://slack.com/api/", pattern=r"^https?://.+/$", description="Slack's API")
    teams_app_id: Guid | None = Field(
        default=None,
        validation_alias=AliasChoices("TEAMS_APP_ID", "MICROSOFT_APP_ID"),
        description="the bot's app id (a GUID)",
    )
    teams_app_password: SecretStr | None = Field(
        default=None, validation_alias=AliasChoices("TEAMS_APP_PASSWORD", "MICROSOFT_APP_PASSWORD")
    )
    teams_certificate_file: Annotated[Path, AfterValidator(_file)] | None = Field(
        default=None,
        validation_alias=AliasChoices("TEAMS_CERTIFICATE_FILE"),
        description="a PEM file with a certificate and its key, in place of a password",
    )
    teams_tenant_id: Guid | None = Field(
        default=None,
        validation_alias=AliasChoices("TEAMS_TENANT_ID", "MICROSOFT_APP_TENANT_ID"),
        description="the organisation's own tenant (a GUID)",
    )
    teams_app_type: Literal["SingleTenant", "MultiTenant", "UserAssignedMSI"] = Field(
        default="SingleTenant",
        validation_alias=AliasChoices("TEAMS_APP_TYPE", "MICROSOFT_APP_TYPE"),
        description="MultiTenant lets other tenants in, as guests; UserAssignedMSI needs no password",
    )
    teams_cloud: Literal["public", "gcc", "gcch", "dod", "china"] = Field(
        default="public", description="which of Microsoft's clouds Teams runs in"
    )
    teams_service_hosts: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(),
        description="hosts that replies may go to, with commas between them; unset takes the cloud's",
    )
    teams_openid_url: Address | None = Field(
        default=None, description="where the signing keys are published; unset takes the cloud's"
    )
    teams_name: Name = Field(default="Citewell", max_length=30, description="the bot's name in Teams")
    teams_domain: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,8}$")] | None = Field(
        default=None, description="the host at which Teams reaches the bot, for its app package"
    )
    teams_developer: Annotated[Name, Field(max_length=32)] | None = Field(
        default=None, description="who runs the bot, for its app package"
    )
    teams_website: SecureAddress | None = Field(default=None, description="a page about it, for its app package")
    teams_privacy: SecureAddress | None = Field(default=None, description="its privacy notice, likewise")
    teams_terms: SecureAddress | None = Field(default=None, description="its terms of use, likewise")
    crisis_privately: Literal["ephemeral", "dm", "both"] = Field(
        default="ephemeral", description="how someone in need is answered alone in Slack"
    )
    crisis_alert: Annotated[str, Field(pattern=r"^[CGUW][A-Z0-9]{2,}$")] | None = Field(
        default=None, description="the Slack channel or person (its id) that is told that someone may need help"
    )

    operators: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), description="ids of the people who look after the bot in Slack, with commas between them"
    )

    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices("ANTHROPIC_API_KEY"))
    anthropic_base_url: Address | None = Field(default=None, validation_alias=AliasChoices("ANTHROPIC_BASE_URL"))
    model: str = Field(default=DEFAULT_MODEL, min_length=1, description="the Claude model that writes answers")
    answer_prompt: Annotated[Path, AfterValidator(_file)] | None = Field(
        default=None, description="a file of instructions in place of those that answers are written by"
    )
    small_model: str = Field(default=SMALL_MODEL, min_length=1, description="the Claude model that helps the search")
    look_at_meaning: bool = Field(
        default=True,
        description="whether the local model looks at each message in Latin letters too, for a person at risk",
    )

    check_safety: bool = Field(
        default=False, description="whether the small model looks at each message too, for a person at risk"
    )

    check_entailment: bool = Field(
        default=False,
        description="whether that model is asked too if each sentence of an answer follows from its quote",
    )

    voyage_api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices("VOYAGE_API_KEY"))
    voyage_base_url: Address | None = Field(default=None, validation_alias=AliasChoices("VOYAGE_BASE_URL"))
    voyage_model: str = Field(default=EMBEDDING_MODEL, min_length=1, description="Voyage's model for embeddings")
    rerank_model: str = Field(default=RERANK_MODEL, min_length=1, description="Voyage's model that reranks")
    weaviate_url: WeaviateAddress | None = Field(
        default=None,
        validation_alias=AliasChoices("WEAVIATE_URL"),
        description="a Weaviate server that holds the index in place of the local file, or embedded for one run here",
    )
    weaviate_api_key: SecretStr | None = Field(default=None, validation_alias=AliasChoices("WEAVIATE_API_KEY"))

    embedder: str | None = Field(
        default=None,
        description="local for the model that comes with Citewell, none for words alone, or another model's folder;"
        " unset takes Voyage if there is a key, else local",
    )
    reranker: str | None = Field(
        default=None,
        description="voyage, claude, fitted for the one that comes with Citewell, none for the order of the search, or"
        " a cross-encoder's folder; unset takes the first of Voyage and Claude that there is a key for, else fitted",
    )
    evidence_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="strength of evidence below which it declines; unset takes the calibrated one, else the fitted one",
    )
    confident_threshold: float | None = Field(
        default=None,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="strength from which evidence counts as correct, not ambiguous; likewise",
    )
    thresholds: dict[str, Thresholds] = Field(
        default_factory=dict, description="those that `citewell calibrate` chose, by embedding model; in the home only"
    )
    stages_off: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), description="stages of a search that never run, with commas between them"
    )
    public_collections: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset({PUBLIC}), description="collections that guests may see, with commas between them"
    )
    channels: Channels = Field(
        default_factory=dict, description="the collections of each channel: a table for each platform, by channel id"
    )
    direct_messages: Literal["public", "channels"] = Field(
        default="public", description="what members see in direct messages: public, or what their channels allow"
    )
    documents_from: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), description="ids of people whose files are taken in, with commas between them"
    )
    documents_in: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), description="ids of channels in which they are, besides direct messages"
    )
    documents_into: str = Field(default=PUBLIC, description="the collection that they go into unless one is named")
    documents_limit: float = Field(default=20.0, gt=0, le=100, description="the largest such file, in megabytes")
    lookups: Lookups = Field(
        default_factory=dict, description="tables and services that answers come from, by name; in the home only"
    )
    passages: int = Field(default=8, ge=1, le=30, description="passages given to the answerer")
    replay_tokens: int = Field(default=1500, ge=0, le=50_000, description="earlier exchanges it sees, in tokens")
    question_limit: int = Field(default=8000, ge=100, le=40_000, description="longest message, in characters")
    keep_days: int = Field(
        default=90, ge=0, le=3650, description="days after which turns are deleted; 0 writes none down at all"
    )

    trace_file: bool = Field(default=True, description="whether turns are written to traces.jsonl in the home")
    trace_megabytes: int = Field(default=5, ge=1, le=1000, description="size at which that file is renamed")
    trace_words_until: AwareDatetime | None = Field(
        default=None, description="moment until which the traces in memory hold what was said, at most a week ahead"
    )

    host: str = Field(default="127.0.0.1", description="where `serve` listens")
    port: int = Field(default=3000, ge=1, le=65535, validation_alias=AliasChoices("CITEWELL_PORT", "PORT"))
    web_token: SecretStr | None = Field(
        default=None, min_length=16, description="what opens /metrics and the details of /readyz from other machines"
    )
    turn_deadline: float = Field(default=60.0, gt=0, le=600, description="seconds a turn may take")
    concurrency: int = Field(default=8, ge=1, le=256, description="conversations answered side by side")
    most_waiting: int = Field(
        default=1000, ge=1, le=100_000, description="messages that wait in memory; more wait on the disk"
    )
    drain_grace: float = Field(default=20.0, ge=0, le=600, description="seconds that running turns get at shutdown")

    @field_validator("public_collections", mode="before")
    @classmethod
    def _names(cls, given: object) -> object:
        """Names with commas between them, or a JSON list of them."""
        if not isinstance(given, str):
            return given
        names = _listed(given)
        if not all(map(is_collection_name, names)):
            msg = f"write names with commas between them (public, leaflets); {COLLECTION_RULE}"
            raise ValueError(msg)
        return names

    @field_validator("trace_words_until")
    @classmethod
    def _for_a_while(cls, given: datetime | None) -> datetime | None:
        if given is not None and given > datetime.now(UTC) + timedelta(days=7):
            raise ValueError("words are kept for a week at most: name a moment within the next seven days")
        return given

    @field_validator("teams_service_hosts", mode="before")
    @classmethod
    def _hosts(cls, given: object) -> object:
        """Names with commas between them; one that begins with `*.` stands for all below it."""
        names = _listed(given) if isinstance(given, str) else given
        if not isinstance(names, Collection) or not all(_HOST.fullmatch(str(name)) for name in names):
            raise ValueError("write hosts with commas between them, as smba.trafficmanager.net or *.botframework.com")
        return [str(name).casefold() for name in names]

    @field_validator("documents_from", "documents_in", "operators", mode="before")
    @classmethod
    def _ids(cls, given: object) -> object:
        """Ids, written as the names of collections are."""
        ids = _listed(given) if isinstance(given, str) else given
        if not isinstance(ids, Collection) or not all(isinstance(one, str) and one[:1] not in "@#" for one in ids):
            raise ValueError("write ids with commas between them (U0123456789, C0123456789), not names")
        return ids

    @field_validator("documents_into")
    @classmethod
    def _name(cls, given: str) -> str:
        if not is_collection_name(given):
            msg = f"write the name of one collection; {COLLECTION_RULE}"
            raise ValueError(msg)
        return given

    @field_validator("stages_off", mode="before")
    @classmethod
    def _stages(cls, given: object) -> object:
        """Names of stages, written as those of collections are."""
        names = _listed(given) if isinstance(given, str) else given
        if not isinstance(names, Collection):
            raise ValueError(_STAGES_RULE)  # noqa: TRY004 - pydantic reports no TypeError
        for name in names:
            if str(name).casefold() not in _STAGES:
                msg = f"{name!r} is no stage; {_STAGES_RULE}"
                raise ValueError(msg)
        return [str(name).casefold() for name in names]

    @property
    def pipeline(self) -> PipelineSettings:
        """The stages of a search that may run."""
        return PipelineSettings(**dict.fromkeys(self.stages_off, False))

    @property
    def shelving(self) -> Shelving:
        """Which collections are seen where."""
        return Shelving(self.public_collections, self.channels, self.direct_messages == "channels")

    @property
    def permission(self) -> Permission:
        """Whose files are taken in, where, and into what."""
        most_bytes = int(self.documents_limit * 1_000_000)
        return Permission(self.documents_from, self.documents_in, self.documents_into, most_bytes)

    @property
    def named_collections(self) -> frozenset[str]:
        """All that the settings speak of."""
        named = {name for table in self.channels.values() for names in table.values() for name in names}
        return self.public_collections | named

    def within_turn(self, seconds: float) -> float:
        """What a backend gets that may take so many seconds in a turn of a minute: its share of another.

        So a slow model can be given the time that it needs, and there is time left in every turn for what answers
        without it.
        """
        return seconds * self.turn_deadline / 60

    @property
    def index_path(self) -> Path:
        """The index: documents, passages, vectors."""
        return self.home.expanduser() / "index.db"

    @property
    def weaviate_path(self) -> Path:
        """What a Weaviate that is run here keeps."""
        return self.home.expanduser() / "weaviate"

    @property
    def traces_path(self) -> Path:
        """The last turns, a JSON object a line."""
        return self.home.expanduser() / "traces.jsonl"

    @property
    def memory_path(self) -> Path:
        """Conversations, turns and the inbox."""
        return self.home.expanduser() / "memory.db"

    @property
    def installations_path(self) -> Path:
        """Where the app is installed in Slack, with its tokens."""
        return self.home.expanduser() / "slack.db"

    @classmethod
    def settings_customise_sources(  # noqa: D102 - the base class says what it is for
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - there is no folder of secrets
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, dotenv_settings, HomeSettings(settings_cls)

    @classmethod
    def load(cls, **given: object) -> Settings:
        """The settings in force, `given` above the environment. `Misconfigured` names each fault and its mend."""
        _refuse_unknown_names()
        try:
            return cls(**given)  # type: ignore[arg-type]
        except ValidationError as error:
            lines = [
                f"  {_place(fault['loc'], given)}: {_said(fault['type'], fault['msg'])}"
                for fault in error.errors(include_input=False)
            ]
            raise Misconfigured("\n".join(["These settings need mending:", *lines])) from None


def environment_names() -> dict[str, str]:
    """Each setting's name in the environment, by field, of all that can be set there."""
    return {field: names_of(field)[0] for field in Settings.model_fields if field not in HOME_ONLY}


def names_of(field: str) -> list[str]:
    """All names of a setting in the environment, the first before the others."""
    alias = Settings.model_fields[field].validation_alias
    return [str(one) for one in alias.choices] if isinstance(alias, AliasChoices) else [f"{_PREFIX}{field.upper()}"]


def _refuse_unknown_names() -> None:
    """A misspelt name would otherwise be passed over in silence, in the environment as in `.env`."""
    known = set(environment_names().values())
    for name in sorted({*os.environ, *environment_file()}):
        if name.startswith(_PREFIX) and name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(sorted(known))}."
            raise Misconfigured(f"{name} is not a setting of Citewell. {hint}")


def environment_file() -> dict[str, str | None]:
    """What `.env` sets; empty where there is none."""
    try:
        return dotenv_values(_ENV_FILE)
    except UnicodeDecodeError as error:
        msg = f"{_ENV_FILE} is not UTF-8 text (byte {error.start + 1}): save it as UTF-8."
        raise Misconfigured(msg) from error
    except OSError as error:
        msg = f"{_ENV_FILE} cannot be read ({error.strerror}): make it readable, or start somewhere else."
        raise Misconfigured(msg) from error


def environment() -> dict[str, str | None]:
    """What the environment sets, and below it what `.env` does. Blocking."""
    return {**environment_file(), **os.environ}


def _listed(text: str) -> list[str]:
    """Names with commas between them, or a JSON list of them."""
    try:
        names = json.loads(text) if text.lstrip().startswith("[") else text.split(",")
    except ValueError:
        msg = 'this begins like a JSON list but is none; write public, leaflets or ["public", "leaflets"]'
        raise ValueError(msg) from None
    return [name for given in names if (name := str(given).strip())]


def _said(kind: str, message: str) -> str:
    return _SAID.get(kind, message.removeprefix("Value error, "))


def _place(location: tuple[int | str, ...], given: Mapping[str, object]) -> str:
    """Where a faulty setting stands: its name in the environment or, if it is set nowhere else, the home's file."""
    outside = {name.upper(): value for name, value in {**environment_file(), **os.environ}.items() if value}
    field = next(one for one in Settings.model_fields if location[0] in {one, *names_of(one)})
    names = names_of(field)
    if any(name in given or name in outside for name in (field, *names)):
        return names[0]
    home = given.get("home") or outside.get(names_of("home")[0]) or Settings.model_fields["home"].default
    return f"{home_file(Path(str(home)))}: {'.'.join([field, *map(str, location[1:])])}"
