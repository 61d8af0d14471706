"""What does not come from Teams, or is not for us: refused, unseen by the engine, and answered to no other host."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from adapters.settings import Settings
from adapters.teams.keys import SigningKeys
from tests.doubles.teams import APP, TENANT, TeamsDouble
from tests.doubles.teams.openid import Provider, private_key, token
from tests.doubles.teams.people import AMINA
from tests.doubles.teams.server import CHANNEL
from tests.e2e.teams_rig import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.e2e.teams_rig import Rig

CHAT = "a:1amina"
NOW = int(time.time())
LETTERED_APP = "abcdef01-1111-4111-8111-111111111111"
OTHER_TENANT = "99f988bf-0000-4000-8000-000000000009"


@pytest.fixture
async def teams() -> AsyncIterator[TeamsDouble]:
    async with TeamsDouble() as teams:
        yield teams


@pytest.fixture
async def rig(teams: TeamsDouble, tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(teams, tmp_path) as rig:
        yield rig
        await rig.settled()
        assert teams.elsewhere == []


def question(teams: TeamsDouble, **more: Any) -> dict[str, Any]:
    return teams.message(CHAT, AMINA, "when may I visit?", **more)


async def refused(rig: Rig, activity: dict[str, Any], header: str, status: int = 401) -> None:
    given = await rig.teams.deliver(activity, header=header)
    await rig.settled()
    assert given.status == status
    assert rig.engine.asked == []
    assert rig.teams.connector.calls == []
    assert await rig.box.address(f"teams:{TENANT}:a%3A1amina") is None


async def named(rig: Rig, kid: str) -> int:
    """What a question gets whose token names this key, and is signed with the second."""
    activity = question(rig.teams)
    return (await rig.teams.deliver(activity, header=f"Bearer {rig.teams.token_for(activity, kid=kid, key=2)}")).status


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"exp": timedelta(seconds=-5)},
        {"nbf": timedelta(seconds=120)},
        {"aud": [APP, "another"]},
        {"headers": {"typ": "JWT", "jku": "https://evil.example/keys"}},
    ],
    ids=["valid", "expired within the leeway", "clocks that differ", "one of several audiences", "a key's address"],
)
async def test_what_teams_signed_for_us_is_answered(rig: Rig, claims: dict[str, Any]) -> None:
    now = time.time()
    activity = question(rig.teams)
    dated = {
        name: int(now + one.total_seconds()) if isinstance(one, timedelta) else one for name, one in claims.items()
    }
    assert (await rig.teams.deliver(activity, header=f"Bearer {rig.teams.token_for(activity, **dated)}")).status == 200
    await rig.settled()
    assert len(rig.engine.asked) == 1
    assert len(rig.teams.messages(CHAT)) == 1


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": NOW - 600},
        {"exp": None},
        {"exp": "tomorrow"},
        {"nbf": NOW + 6_000},
        {"aud": "22222222-2222-4222-8222-222222222222"},
        {"aud": None},
        {"aud": {"a": 1}},
        {"iss": "https://evil.example"},
        {"iss": "https://sts.windows.net/72f988bf-0000-4000-8000-000000000001/"},
        {"iss": None},
        {"iss": ["https://api.botframework.com"]},
        {"kid": "k9"},
        {"kid": "k9", "key": 2},
        {"kid": None},
        {"key": 2},
        {"key": None, "algorithm": "none"},
        {"key": "a shared secret of at least so many bytes", "algorithm": "HS256"},
        {"algorithm": "RS384"},
        {"serviceurl": "https://smba.trafficmanager.net/teams/"},
        {"serviceurl": None},
        {"serviceurl": ["x"]},
    ],
    ids=lambda claims: repr(claims).replace(str(NOW - 600), "gone").replace(str(NOW + 6_000), "to come"),
)
async def test_a_token_that_breaks_a_rule_is_refused(rig: Rig, claims: dict[str, Any]) -> None:
    activity = question(rig.teams)
    await refused(rig, activity, f"Bearer {rig.teams.token_for(activity, **claims)}")


async def test_a_public_key_taken_for_a_secret_is_refused(rig: Rig) -> None:
    """The old way to forge: HS256, with the published key as its secret."""
    import base64
    import hashlib
    import hmac

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    activity = question(rig.teams)
    good = rig.teams.token_for(activity)
    _, claims, _ = good.split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": "k1", "typ": "JWT"}).encode()).rstrip(b"=")
    pem = private_key(1).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed = header + b"." + claims.encode()
    signature = base64.urlsafe_b64encode(hmac.new(pem, signed, hashlib.sha256).digest()).rstrip(b"=")
    await refused(rig, activity, f"Bearer {(signed + b'.' + signature).decode()}")


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Bearer a.b.c",
        "Bearer ..",
        "Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.e30.",
        "Bearer " + "a" * 8_000,
        "Bearer é.é.é",
        "Basic dXNlcjpwYXNz",
        "bearer none",
        "Bearer eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.WzEsMl0.AAAA",
    ],
    ids=range(12),
)
async def test_no_token_and_what_is_none_is_refused(rig: Rig, header: str) -> None:
    await refused(rig, question(rig.teams), header)


@pytest.mark.parametrize("part", [0, 1, 2])
async def test_a_token_that_was_changed_is_refused(rig: Rig, part: int) -> None:
    activity = question(rig.teams)
    parts = rig.teams.token_for(activity).split(".")
    other = token(rig.teams.service_url, exp=NOW + 9_999, kid="k9", key=2).split(".")
    parts[part] = other[part]
    await refused(rig, activity, f"Bearer {'.'.join(parts)}")


@pytest.mark.parametrize("endorsements", [None, [], ["webchat", "skype"]])
async def test_a_key_that_may_not_sign_for_teams_is_refused(rig: Rig, endorsements: list[str] | None) -> None:
    rig.teams.provider.endorsements = endorsements
    activity = question(rig.teams)
    await refused(rig, activity, f"Bearer {rig.teams.token_for(activity)}")


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/",
        "http://smba.trafficmanager.net/teams/",
        "https://smba.trafficmanager.net.evil.example/",
        "https://evil.example/#smba.trafficmanager.net",
        "https://smba.trafficmanager.net@evil.example/",
        "https://smba.trafficmanager.net\\@evil.example/",
        "https://smba.trafficmanager.net:8443/",
        "https://smba.trafficmanager.net/ x",
        "https://xsmba.trafficmanager.net/",
        "http://127.0.0.1.evil.example/",
        "http://[::1]:80/",
        "http://0.0.0.0/",
        "http://2130706433/",
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "",
    ],
)
async def test_replies_to_a_host_that_is_not_on_the_list_are_refused_though_the_token_is_good(
    rig: Rig, url: str
) -> None:
    activity = question(rig.teams) | {"serviceUrl": url}
    await refused(rig, activity, f"Bearer {token(url)}", status=403)


@pytest.mark.parametrize(
    "changes",
    [
        {"conversation": {"id": CHAT, "conversationType": "personal", "tenantId": OTHER_TENANT}},
        {
            "conversation": {"id": CHAT, "conversationType": "personal"},
            "channelData": {"tenant": {"id": OTHER_TENANT}},
        },
        {"conversation": {"id": CHAT, "conversationType": "personal"}, "channelData": None},
        {"channelId": "webchat"},
        {"channelId": "emulator"},
    ],
)
async def test_another_tenant_or_channel_is_refused_though_the_token_is_good(rig: Rig, changes: dict[str, Any]) -> None:
    activity = question(rig.teams) | changes
    await refused(rig, activity, f"Bearer {rig.teams.token_for(activity)}", status=403)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"{}", b'{"type": "message"}', b"[" * 100_000, b'{"type": 5}'],
)
async def test_a_body_that_is_no_activity_gets_400_behind_a_good_token_and_401_behind_none(
    rig: Rig, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    good = f"Bearer {token(rig.teams.service_url)}"
    assert (await rig.teams.post(body, good)).status == 400
    assert (await rig.teams.post(body, "")).status == 401
    assert rig.engine.asked == []
    assert "Traceback" not in caplog.text


async def test_nothing_of_a_refused_request_is_logged(rig: Rig, caplog: pytest.LogCaptureFixture) -> None:
    activity = question(rig.teams) | {"text": "SECRET"}
    header = f"Bearer {rig.teams.token_for(activity, iss='https://SECRET.example')}"
    await refused(rig, activity, header)
    assert "SECRET" not in caplog.text
    assert header.partition(" ")[2][:20] not in caplog.text


async def test_a_rotated_key_is_accepted_at_once(rig: Rig) -> None:
    assert (await rig.teams.deliver(question(rig.teams))).status == 200
    rig.teams.provider.published = {"k2": 2}
    activity = question(rig.teams)
    assert (
        await rig.teams.deliver(activity, header=f"Bearer {rig.teams.token_for(activity, kid='k2', key=2)}")
    ).status == 200
    assert rig.teams.provider.asked == 2
    old = question(rig.teams)
    assert (await rig.teams.deliver(old)).status == 401


async def test_unknown_keys_do_not_make_us_ask_without_end_nor_keep_a_rotated_one_out(rig: Rig) -> None:
    given = [await named(rig, f"forged {number}") for number in range(30)]
    asked = rig.teams.provider.asked
    assert asked <= 5
    assert given == [401] * asked + [503] * (30 - asked)
    rig.teams.provider.published = {"k2": 2}
    assert await named(rig, "k2") == 503
    rig.clock[0] += 61
    assert await named(rig, "k2") == 200


async def test_a_rotated_key_that_cannot_be_looked_up_is_asked_for_again(rig: Rig) -> None:
    assert (await rig.teams.deliver(question(rig.teams))).status == 200
    rig.teams.provider.published, rig.teams.provider.down = {"k2": 2}, True
    assert await named(rig, "k2") == 503
    rig.teams.provider.down = False
    assert await named(rig, "k2") == 200


async def test_nobody_waits_for_a_provider_that_hangs_while_the_key_is_known() -> None:
    """Keys are a day old, and one look-up runs beside all that comes."""
    now, hangs, asked = [0.0], asyncio.Event(), []
    provider = Provider()

    async def published() -> list[dict[str, Any]]:
        asked.append(now[0])
        if now[0]:
            await hangs.wait()
        return list(provider.keys()["keys"])

    keys = SigningKeys(published, lambda: now[0])
    assert await keys.key("k1") is not None
    now[0], provider.published = 90_000, {"k2": 2}
    async with asyncio.timeout(1):
        for _ in range(7):
            assert await keys.key("k1") is not None
            await asyncio.sleep(0)
    assert asked == [0, 90_000]
    hangs.set()
    assert await keys.key("k2") is not None
    assert await keys.key("k1") is None
    await keys.close()


async def test_without_any_keys_teams_is_asked_to_come_again_and_known_keys_outlive_the_provider(rig: Rig) -> None:
    rig.teams.provider.down = True
    assert (await rig.teams.deliver(question(rig.teams))).status == 503
    assert rig.engine.asked == []
    rig.teams.provider.down = False
    assert (await rig.teams.deliver(question(rig.teams))).status == 200
    rig.teams.provider.down = True
    rig.clock[0] += 200_000
    assert (await rig.teams.deliver(question(rig.teams))).status == 200


async def test_people_of_other_tenants_are_guests_where_the_bot_is_for_several(
    teams: TeamsDouble, tmp_path: Path
) -> None:
    async with running(teams, tmp_path, any_tenant=True) as rig:
        activity = question(teams)
        activity["conversation"]["tenantId"] = OTHER_TENANT
        assert (await teams.deliver(activity)).status == 200
        await rig.settled()
        assert [one.author.guest for one in rig.engine.asked] == [True]


@pytest.mark.parametrize("ours", [str.upper, str.lower])
@pytest.mark.parametrize("theirs", [str.upper, str.lower])
async def test_ids_in_capitals_are_the_same_ids(
    teams: TeamsDouble, tmp_path: Path, ours: Callable[[str], str], theirs: Callable[[str], str]
) -> None:
    settings = Settings.load(TEAMS_APP_ID=ours(LETTERED_APP), TEAMS_TENANT_ID=ours(TENANT))
    app_id, tenant = settings.teams_app_id or "", settings.teams_tenant_id or ""
    async with running(teams, tmp_path, app_id=app_id, tenant=tenant) as rig:
        activity = question(teams, channelData={"tenant": {"id": theirs(TENANT)}})
        activity["conversation"]["tenantId"] = theirs(TENANT)
        assert (
            await teams.deliver(activity, header=f"Bearer {teams.token_for(activity, aud=theirs(LETTERED_APP))}")
        ).status == 200
        await rig.settled()
        assert [(one.conversation.tenant, one.author.guest) for one in rig.engine.asked] == [(TENANT, False)]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 403),
        ({"X-Forwarded-For": "203.0.113.9"}, 403),
        ({"Forwarded": "for=203.0.113.9"}, 403),
        ({"X-Real-IP": "203.0.113.9"}, 403),
        ({"X-Forwarded-Host": "bot.example.org"}, 403),
    ],
)
async def test_without_an_app_id_this_machine_alone_may_ask(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    async with TeamsDouble(token="") as teams, running(teams, tmp_path, app_id="", tenant="") as rig:
        activity = teams.message(CHANNEL, AMINA, "when may I visit?")
        assert (await teams.deliver(activity, header="", headers=headers)).status == status
        elsewhere = activity | {"serviceUrl": "https://smba.trafficmanager.net/"}
        assert (await teams.deliver(elsewhere, header="")).status == 403
        await rig.settled()
        assert len(rig.engine.asked) == (status == 200)
