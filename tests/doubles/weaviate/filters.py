"""Filters of the wire format, applied to objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weaviate.proto.v1.v6300.v1 import base_pb2

from tests.doubles.weaviate.store import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.doubles.weaviate.store import Collection, Stored

Filters = base_pb2.Filters


def matcher(filters: base_pb2.Filters, collection: Collection) -> Callable[[Stored], bool]:
    """Whether an object passes."""
    match filters.operator:
        case Filters.OPERATOR_AND | Filters.OPERATOR_OR:
            parts = [matcher(one, collection) for one in filters.filters]
            together = all if filters.operator == Filters.OPERATOR_AND else any
            return lambda stored: together(part(stored) for part in parts)
        case operator:
            name = filters.target.property
            wanted = _value(filters)
            if name == "_id":
                if operator != Filters.OPERATOR_CONTAINS_ANY:
                    raise Refused("the double looks up ids by ContainsAny alone")
                ids = set(wanted)
                return lambda stored: stored.uuid in ids
            return _on_property(operator, name, wanted, collection)


def _on_property(
    operator: base_pb2.Filters.Operator, name: str, wanted: Any, collection: Collection
) -> Callable[[Stored], bool]:
    prop = collection.property(name)
    if not prop.filterable:
        msg = (
            f"Filtering by property '{name}' requires inverted index. Is `indexFilterable` option of property enabled?"
        )
        raise Refused(msg)
    single = {"text": str, "text[]": str, "int": int, "boolean": bool, "date": str}[prop.type]
    if not all(type(one) is single for one in (wanted if isinstance(wanted, list) else [wanted])):
        msg = f'data type filter cannot use {wanted!r} on type "{prop.type}"'
        raise Refused(msg)
    is_text = prop.type.startswith("text")

    def held(stored: Stored) -> set[Any]:
        value = stored.properties.get(name)
        return set() if value is None else set(prop.tokens(value)) if is_text else {value}

    def asked(value: Any) -> set[Any]:
        return set(prop.tokens(value)) if is_text else {value}

    match operator:
        case Filters.OPERATOR_EQUAL:
            return lambda stored: asked(wanted) <= held(stored)
        case Filters.OPERATOR_NOT_EQUAL:
            return lambda stored: not asked(wanted) <= held(stored)
        case Filters.OPERATOR_LESS_THAN_EQUAL if prop.type == "int":
            return lambda stored: any(value <= wanted for value in held(stored))
        case Filters.OPERATOR_CONTAINS_ANY | Filters.OPERATOR_CONTAINS_NONE:
            sets = [asked(one) for one in wanted]
            yes = operator == Filters.OPERATOR_CONTAINS_ANY
            return lambda stored: any(one <= held(stored) for one in sets) == yes
    msg = f"the double does not know the operator {Filters.Operator.Name(operator)} on {prop.type}"
    raise Refused(msg)


def _value(filters: base_pb2.Filters) -> Any:
    kind = filters.WhichOneof("test_value")
    match kind:
        case "value_text" | "value_int" | "value_boolean":
            return getattr(filters, kind)
        case "value_text_array" | "value_int_array":
            return list(getattr(filters, kind).values)
    msg = f"the double does not know the value {kind}"
    raise Refused(msg)
