"""No address but Teams' own."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from adapters.teams.clouds import cloud
from adapters.teams.hosts import is_loopback, service_allowed

HOSTS = ("smba.trafficmanager.net", "*.botframework.com")


@pytest.mark.parametrize(
    "url",
    [
        "https://smba.trafficmanager.net/emea/",
        "https://smba.trafficmanager.net",
        "https://SMBA.trafficmanager.net:443/amer/72f988bf-0000-4000-8000-000000000001/",
        "https://webchat.botframework.com/",
        "https://a.b.botframework.com/",
    ],
)
def test_teams_own_addresses_are_called(url: str) -> None:
    assert service_allowed(url, HOSTS)


@pytest.mark.parametrize(
    "url",
    [
        "https://botframework.com/",
        "https://evilbotframework.com/",
        "https://smba.trafficmanager.net./",
        "https://smba.trafficmanager.net:80/",
        "https://smba.trafficmanager.net:0/",
        "https://smba.trafficmanager.net:99999/",
        "https://user@smba.trafficmanager.net/",
        "https://smba.trafficmanager.net/?x",
        "https://smba.trafficmanager.net/%2e%2e/",
        "https:/smba.trafficmanager.net/",
        "https://smba.trafficmanager.net\n/",
        "https://ѕmba.trafficmanager.net/",
        "ftp://smba.trafficmanager.net/",
        "http://127.0.0.1/",
        "https://localhost/",
        "https://" + "a" * 2_000 + ".botframework.com/",
    ],
)
def test_others_are_not(url: str) -> None:
    assert not service_allowed(url, HOSTS)


def test_loopback_is_called_only_where_it_is_named() -> None:
    assert service_allowed("http://127.0.0.1:56150/_connector", ["127.0.0.1"])
    assert service_allowed("http://localhost:56150/_connector", ["localhost"])
    assert not service_allowed("http://127.0.0.2:1/", ["127.0.0.1"])
    assert [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "10.0.0.1", "", "x")] == [True] * 3 + [
        False
    ] * 3


@given(st.text(alphabet="abhtps:/.@#?\\%5 smbatrafficmanager.net", max_size=60).map(lambda end: f"https://{end}"))
def test_two_readers_of_an_allowed_address_agree_on_its_host(url: str) -> None:
    if service_allowed(url, ("*.net", "smba.trafficmanager.net", "a.b")):
        assert urlsplit(url).hostname == URL(url).host
        assert "@" not in url


@pytest.mark.parametrize("name", ["public", "gcc", "gcch", "dod", "china"])
def test_every_cloud_is_told_whole_and_allows_no_loopback(name: str) -> None:
    chosen = cloud(name)  # type: ignore[arg-type]
    assert all(one.startswith("https://") for one in (chosen.login, chosen.scope, chosen.issuer, chosen.openid))
    assert chosen.hosts
    assert not any(is_loopback(host) for host in chosen.hosts)


def test_the_government_cloud_is_another_than_the_public_one() -> None:
    public, government = cloud("public"), cloud("gcch")
    assert public.issuer == "https://api.botframework.com"
    assert government.issuer == "https://api.botframework.us"
    assert not service_allowed("https://smba.trafficmanager.net/", government.hosts)
