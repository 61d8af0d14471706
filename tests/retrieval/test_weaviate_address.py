"""Where a Weaviate server is, as operators write it."""

from __future__ import annotations

import pytest

from retrieval.errors import IndexUnavailable
from retrieval.weaviate_address import Address, address


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://localhost:8080", Address("localhost", 8080, False, "localhost", 50051)),
        ("http://weaviate", Address("weaviate", 8080, False, "weaviate", 50051)),
        ("http://weaviate:80/?grpc=other:7000", Address("weaviate", 80, False, "other", 7000)),
        ("https://w.example.org", Address("w.example.org", 443, True, "w.example.org", 50051)),
        ("https://w.example.org?grpc=g.example.org:443", Address("w.example.org", 443, True, "g.example.org", 443)),
        (
            "https://ab12.c0.europe-west3.gcp.weaviate.cloud",
            Address(
                "ab12.c0.europe-west3.gcp.weaviate.cloud",
                443,
                True,
                "grpc-ab12.c0.europe-west3.gcp.weaviate.cloud",
                443,
            ),
        ),
        (
            "https://ab12.weaviate.network",
            Address("ab12.weaviate.network", 443, True, "ab12.grpc.weaviate.network", 443),
        ),
    ],
)
def test_an_address_names_both_ports(url: str, expected: Address) -> None:
    assert address(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "localhost:8080",
        "ftp://host",
        "http://",
        "http://host:x",
        "http://host?grpc=other",
        "http://host?grpc=",
        "http://host?grpc=:7000",
        "http://host?grpc=other:7000/path",
    ],
)
def test_any_other_is_refused_with_what_it_should_be(url: str) -> None:
    with pytest.raises(IndexUnavailable, match=r"\?grpc=host:port"):
        address(url)


@pytest.mark.parametrize(
    "url",
    ["http://host:8080/v1", "http://host?gprc=other:7000", "http://host?grpc=other:7000&tls=1", "http://host#part"],
)
def test_what_would_be_passed_over_is_refused(url: str) -> None:
    with pytest.raises(IndexUnavailable, match=r"no path.*\?grpc=host:port"):
        address(url)


@pytest.mark.parametrize("url", ["http://user:secret@host:8080", "https://secret@host", "http://host?grpc=secret@g:1"])
def test_a_key_in_the_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(IndexUnavailable, match="WEAVIATE_API_KEY") as error:
        address(url)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("url", ["http://host:50051", "https://host?grpc=host:443"])
def test_one_port_for_both_is_refused(url: str) -> None:
    with pytest.raises(IndexUnavailable, match="for HTTP and for gRPC"):
        address(url)
