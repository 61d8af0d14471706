"""What is refused at the start, how that is mended, and the credentials that are chosen."""

from __future__ import annotations

import asyncio
import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from adapters.settings import Settings
from adapters.teams.clouds import cloud
from adapters.teams.configured import configured
from adapters.teams.tokens import Tokens, of_managed_identity, with_certificate, with_password
from bot.errors import Misconfigured, Transient
from tests.doubles.teams import APP, TENANT
from tests.doubles.teams.openid import private_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WHOLE = {"TEAMS_APP_ID": APP, "TEAMS_TENANT_ID": TENANT, "TEAMS_APP_PASSWORD": "secret"}


@pytest.fixture(autouse=True)
def _nothing_of_the_developers_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def settings(tmp_path: Path, **given: object) -> Settings:
    return Settings.load(home=tmp_path, **given)


def test_a_whole_set_up_is_served_and_none_is_not(tmp_path: Path) -> None:
    assert configured(settings(tmp_path, **WHOLE), local=False)
    assert not configured(settings(tmp_path), local=False)
    assert configured(settings(tmp_path), local=True)
    managed = WHOLE | {"TEAMS_APP_PASSWORD": None, "TEAMS_APP_TYPE": "UserAssignedMSI"}
    assert configured(settings(tmp_path, **managed), local=False)


def test_the_sdks_own_names_are_read_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSOFT_APP_ID", APP)
    monkeypatch.setenv("MICROSOFT_APP_PASSWORD", "secret")
    monkeypatch.setenv("MICROSOFT_APP_TENANT_ID", TENANT)
    assert configured(settings(tmp_path), local=False)


@pytest.mark.parametrize(
    ("given", "local", "said"),
    [
        (WHOLE | {"TEAMS_APP_ID": None}, False, "TEAMS_APP_ID is empty"),
        ({"TEAMS_APP_PASSWORD": "secret"}, False, "citewell serve --local"),
        (WHOLE | {"TEAMS_TENANT_ID": None}, False, "TEAMS_TENANT_ID is missing"),
        (WHOLE | {"TEAMS_APP_PASSWORD": None}, False, "TEAMS_APP_PASSWORD"),
        ({"host": "0.0.0.0"}, True, "CITEWELL_HOST=127.0.0.1"),
        (WHOLE | {"host": "10.0.0.5"}, True, "CITEWELL_HOST=127.0.0.1"),
    ],
)
def test_half_a_set_up_is_refused_and_says_what_is_missing(
    tmp_path: Path, given: dict[str, Any], local: bool, said: str
) -> None:
    with pytest.raises(Misconfigured, match=said):
        configured(settings(tmp_path, **given), local=local)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TEAMS_APP_ID", "citewell"),
        ("TEAMS_APP_ID", "-" * 36),
        ("TEAMS_TENANT_ID", "contoso.com"),
        ("TEAMS_APP_TYPE", "Both"),
        ("teams_cloud", "mars"),
        ("teams_service_hosts", "https://smba.trafficmanager.net/"),
        ("teams_service_hosts", "*"),
        ("teams_service_hosts", "*.*"),
        ("teams_openid_url", "login"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(Misconfigured, match=name.upper().removeprefix("CITEWELL_")):
        settings(tmp_path, **WHOLE | {name: value})


@pytest.mark.parametrize(("name", "tenant"), [("public", TENANT), ("gcch", TENANT), ("china", None)])
def test_a_password_asks_the_login_of_its_cloud(name: str, tenant: str | None) -> None:
    chosen = cloud(name)  # type: ignore[arg-type]
    credentials: Any = with_password(chosen, APP, "secret", tenant)
    assert credentials.oauth_endpoint == chosen.login + (tenant or chosen.tenant)
    assert (credentials.microsoft_app_id, credentials.oauth_scope) == (APP, chosen.scope)


def certificate() -> bytes:
    """With its key, as PEM."""
    key, now = private_key(3), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "citewell")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return made.public_bytes(Encoding.PEM) + secret


def test_a_certificate_and_its_key_are_read_from_one_file(tmp_path: Path) -> None:
    file = tmp_path / "bot.pem"
    file.write_bytes(certificate())
    credentials: Any = with_certificate(cloud("public"), APP, file, TENANT)
    assert len(credentials.certificate_thumbprint) == 40
    assert credentials.oauth_endpoint.endswith(TENANT)


@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n"])
def test_a_file_that_holds_no_certificate_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "bot.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(Misconfigured, match="TEAMS_CERTIFICATE_FILE"):
        with_certificate(cloud("public"), APP, file, TENANT)


def test_a_managed_identity_needs_no_secret() -> None:
    assert of_managed_identity(cloud("public"), APP)


class Scripted:
    """Credentials that give, or raise, what they are told."""

    def __init__(self, *outcomes: str | Exception) -> None:
        self.outcomes = list(outcomes)

    def get_access_token(self, force_refresh: bool = False) -> str:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


async def test_a_token_is_kept_for_a_while_and_dropped_when_refused() -> None:
    now = [0.0]
    tokens = Tokens(Scripted("one", "two", "three"), clock=lambda: now[0])
    assert [await tokens(), await tokens()] == ["one", "one"]
    now[0] += 301
    assert await tokens() == "two"
    tokens.drop()
    assert await tokens() == "three"
    tokens.close()


async def test_many_who_need_a_token_ask_once() -> None:
    tokens = Tokens(Scripted("one"))
    assert await asyncio.gather(*(tokens() for _ in range(20))) == ["one"] * 20
    tokens.close()


@pytest.mark.parametrize(
    ("raised", "ours"),
    [
        (PermissionError("SECRET AADSTS7000215"), Misconfigured),
        (ValueError("SECRET"), Misconfigured),
        (KeyError("access_token"), Misconfigured),
        (ConnectionError("SECRET"), Transient),
    ],
)
async def test_what_the_sdk_raises_is_mapped_and_not_quoted(
    raised: Exception, ours: Callable[[str], Exception]
) -> None:
    tokens = Tokens(Scripted(raised))
    with pytest.raises(ours) as caught:  # type: ignore[call-overload]
        await tokens()
    assert "SECRET" not in str(caught.value)
    tokens.close()
