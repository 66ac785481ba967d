"""List options of the metadata store: page size, order and page token. Pure."""

from typing import Literal

from msgspec import structs

from windlass.apps.pipelines.rows.metadata.node_queries import NodeQuery
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.listing import read_token, token_text
from windlass.apps.pipelines.wire.metadata.filters import read_filter
from windlass.apps.pipelines.wire.metadata.nodes import Node, number, updated_at
from windlass.kube.json import Object

DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE = 20, 100
MAX_NODES = 10_000
"""Of an answer to a request without list options, which asks for all."""
Order = Literal["created", "updated", "id"]
_ORDERS: dict[str, Order] = {"CREATE_TIME": "created", "LAST_UPDATE_TIME": "updated", "ID": "id"}


def read_options(options: Object | None, fields: frozenset[str]) -> NodeQuery:
    """The query for a page; without options for all nodes, oldest first. Raises InvalidArgument."""
    if options is None:
        return NodeQuery(limit=MAX_NODES)
    size = options.get("max_result_size", DEFAULT_PAGE_SIZE)
    if size <= 0:
        raise InvalidArgument("options.max_result_size: must be greater than 0")
    by = options.get("order_by_field", {})
    # Ids of ML Metadata grow with time, and those of Windlass do not: who names no order expects the oldest first.
    order = _ORDERS.get(by.get("field", ""), "created")
    query = NodeQuery(
        conditions=read_filter(options.get("filter_query", ""), fields, "options.filter_query"),
        order=order,
        is_descending=not by.get("is_asc", True),
        limit=min(size, MAX_PAGE_SIZE),
    )
    return structs.replace(query, after=_after(options, query))


def _after(options: Object, query: NodeQuery) -> tuple[float, int] | None:
    token = read_token(options.get("next_page_token", ""), "options.next_page_token")
    if token is None:
        return None
    value, number = token.last
    if (token.sort_by, token.filter) != (_sort_by(query), options.get("filter_query", "")):
        raise InvalidArgument("options.next_page_token: belongs to a list with another order or filter")
    if not isinstance(value, int | float) or not (number.isdecimal() and len(number) < 19):
        raise InvalidArgument("options.next_page_token: is not a token of this API")
    return float(value), int(number)


def _sort_by(query: NodeQuery) -> str:
    return f"{query.order} {'desc' if query.is_descending else 'asc'}"


def sort_key(node: Node, query: NodeQuery) -> tuple[float, int]:
    """Where a node is in the list: its time in seconds, and its number."""
    match query.order:
        case "created":
            return node.created_at, number(node)
        case "updated":
            return updated_at(node), number(node)
        case "id":
            return 0.0, number(node)


def next_page_token(options: Object, query: NodeQuery, last: tuple[float, int]) -> str:
    value, number = last
    return token_text(_sort_by(query), options.get("filter_query", ""), (value, str(number)))
