"""The double refuses what a server refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, Sort
from weaviate.exceptions import WeaviateInsertManyAllFailedError, WeaviateQueryError

from retrieval.embed import HashEmbedder
from tests.retrieval.weaviate_place import Place

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from weaviate import WeaviateAsyncClient

    from tests.doubles.weaviate import WeaviateDouble


@pytest.fixture
async def client(weaviate: WeaviateDouble) -> AsyncIterator[WeaviateAsyncClient]:
    """Of a double with the collections of an index named `Index`."""
    index = await Place(weaviate.url, name="Index").open(HashEmbedder())
    yield index._shelf.server.client
    await index.close()


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ({"filters": Filter.by_property("nowhere").equal("x")}, "no such prop with name 'nowhere'"),
        ({"filters": Filter.by_property("text").equal("x")}, "requires inverted index"),
        ({"filters": Filter.by_property("bucket").equal("x")}, "data type"),
        ({"filters": Filter.by_property("version").like("x")}, "does not know the operator"),
        ({"limit": 10_001}, "maximum results exceeded"),
        ({"sort": Sort.by_property("version")}, "does not know"),
    ],
)
async def test_a_query_that_the_schema_does_not_allow(
    client: WeaviateAsyncClient, asked: dict[str, Any], answer: str
) -> None:
    with pytest.raises(WeaviateQueryError, match=answer):
        await client.collections.use("IndexPassages").query.fetch_objects(**asked)


async def test_words_are_looked_up_in_searchable_properties_alone(client: WeaviateAsyncClient) -> None:
    with pytest.raises(WeaviateQueryError, match="requires inverted index"):
        await client.collections.use("IndexPassages").query.bm25(query="x", query_properties=["text"])


async def test_an_unknown_collection(client: WeaviateAsyncClient) -> None:
    with pytest.raises(WeaviateQueryError, match="could not find class"):
        await client.collections.use("Nowhere").query.fetch_objects()


@pytest.mark.parametrize("values", [{"text": 3}, {"ordinal": 1.5}, {"nowhere": "x"}, {"headings": ["a", 1]}])
async def test_values_that_do_not_fit(client: WeaviateAsyncClient, values: dict[str, Any]) -> None:
    with pytest.raises((WeaviateInsertManyAllFailedError, TypeError)):
        await client.collections.use("IndexPassages").data.insert_many([DataObject(properties=values)])
