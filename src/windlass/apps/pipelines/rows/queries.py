"""What a page of records is: filters, sort and where it begins. Data only, without SQLAlchemy."""

from enum import IntEnum
from typing import Generic, TypeAlias, TypeVar

import msgspec

from windlass.apps.pipelines.model import Record
from windlass.kube.meta import Struct

R = TypeVar("R", bound=Record)
METRIC_PREFIX, TAG_PREFIX = "metric:", "tags."

Scalar: TypeAlias = str | int | float
Value: TypeAlias = Scalar | list[str] | list[int]


class Operation(IntEnum):
    """The operations of a filter, with the numbers of the API."""

    EQUALS = 1
    NOT_EQUALS = 2
    GREATER_THAN = 3
    GREATER_THAN_EQUALS = 5
    LESS_THAN = 6
    LESS_THAN_EQUALS = 7
    IN = 8
    IS_SUBSTRING = 9


class Predicate(Struct):
    field: str
    """The name of a field of the record, or `tags.<key>`."""
    operation: Operation
    value: Value
    is_time: bool = False
    """Compare whole seconds."""


class Query(Struct):
    """Which records, in which order, and where the page begins."""

    predicates: list[Predicate] = []
    sort_by: str = "created_at"
    """The name of a field, or `metric:<name>` for runs."""
    descending: bool = False
    after: tuple[Scalar, str] | None = None
    """The sort key and the id of the last record of the page before."""
    limit: int = 20


class Page(msgspec.Struct, Generic[R]):
    records: list[R]
    total: int
    """Of all pages."""
    last: tuple[Scalar, str] | None
    """`after` for the next page; None on the last one."""
