"""A stand-in for a Weaviate server: HTTP and gRPC over real sockets on loopback, behind the real client.

It is built on the protobuf stubs that weaviate-client ships, keeps a schema and objects in memory, and does real BM25,
vector and filter work. It refuses what the server refuses (an unknown collection or property, a filter or a search on a
property without that index, a value or vector that does not fit the schema), with the server's words where they
matter, and any part of a request that it does not know, rather than pass it over. `WeaviateDouble.refused` says what.

It runs in a process of its own, as a server does: a gRPC server and the client's channels in one interpreter bring it
down now and then when the server stops. The process ends when its standard input closes, so none is left behind.

Thinner than the real thing: one node, no tenants, references, aliases, modules, hybrid queries, sorting, grouping of
hits or deletion by id; vectors are named and searched exactly, with the cosine alone; an object's properties are all in
the schema (the server would add those that are not); BM25 sums properties as the server does, but its scores are not
the server's to the last digit; of aggregations there are counts, groups and the latest date; keys are API keys.
"""

from tests.doubles.weaviate.process import WeaviateDouble

__all__ = ["WeaviateDouble"]
