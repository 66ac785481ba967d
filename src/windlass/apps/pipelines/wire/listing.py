"""Query parameters of list calls: page size, sort, filter and page token."""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import unquote_plus

import msgspec

from windlass.apps.pipelines.model import (
    Artifact,
    Experiment,
    Pipeline,
    PipelineVersion,
    Record,
    RecurringRun,
    Run,
    Task,
)
from windlass.apps.pipelines.rows.queries import METRIC_PREFIX, TAG_PREFIX, Operation, Predicate, Query, Value
from windlass.apps.pipelines.rows.queries import Scalar as Key
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.protojson import (
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    EnumOf,
    ListOf,
    Message,
    checked_text,
    decode,
)
from windlass.kube.json import BadJson, Object, parse
from windlass.kube.meta import Struct

DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE = 20, 200
MAX_FILTER_CHARACTERS, MAX_PREDICATES, MAX_VALUES = 65_536, 50, 1000
V1_STATES = {
    "Pending": "PENDING",
    "Running": "RUNNING",
    "Succeeded": "SUCCEEDED",
    "Skipped": "SKIPPED",
    "Failed": "FAILED",
    "Error": "FAILED",
    "Terminating": "CANCELING",
}
TIMES = frozenset({"created_at", "started_at", "finished_at", "scheduled_at", "updated_at", "last_run_created_at"})

OPERATIONS = EnumOf({"OPERATION_UNSPECIFIED": 0, **{operation.name: operation.value for operation in Operation}})
PREDICATE = Message(
    {
        "operation": OPERATIONS,
        "op": OPERATIONS,
        "key": STRING,
        "int_value": INT32,
        "long_value": INT64,
        "string_value": STRING,
        "timestamp_value": TIMESTAMP,
        "int_values": Message({"values": ListOf(INT32)}),
        "long_values": Message({"values": ListOf(INT64)}),
        "string_values": Message({"values": ListOf(STRING)}),
    }
)
FILTER = Message({"predicates": ListOf(PREDICATE)})


def _fields(identity: str, *names: str, **others: str) -> dict[str, str]:
    """Names in a query, and the record's fields that they stand for."""
    return {identity: identity, "id": identity, "created_at": "created_at", "description": "description"} | (
        {name: name for name in names} | others
    )


FIELDS: dict[type[Record], dict[str, str]] = {
    Run: _fields(
        "run_id",
        "display_name",
        "finished_at",
        "scheduled_at",
        "storage_state",
        "namespace",
        "experiment_id",
        "state",
        "recurring_run_id",
        name="display_name",
        status="state",
    ),
    Experiment: _fields(
        "experiment_id", "display_name", "last_run_created_at", "namespace", "storage_state", name="display_name"
    ),
    RecurringRun: _fields("recurring_run_id", "display_name", "updated_at", "experiment_id", name="display_name"),
    Pipeline: _fields("pipeline_id", "name", "display_name", "namespace"),
    PipelineVersion: _fields("pipeline_version_id", "name", "display_name", "status"),
    Artifact: {name: name for name in ("artifact_id", "name", "type", "uri", "created_at", "namespace", "run_id")}
    | {"id": "artifact_id"},
    Task: {name: name for name in ("task_id", "name", "type", "created_at", "started_at", "finished_at", "run_id")}
    | {"id": "task_id"},
}
TAGGED = (Pipeline, PipelineVersion)
ARTIFACT_TYPES = {
    "system.Model": "Model",
    "system.Dataset": "Dataset",
    "system.HTML": "HTML",
    "system.Markdown": "Markdown",
    "system.Metrics": "Metric",
    "system.ClassificationMetrics": "ClassificationMetric",
    "system.SlicedClassificationMetrics": "SlicedClassificationMetric",
}
SCHEMA_TITLES = {shown: title for title, shown in ARTIFACT_TYPES.items()} | {"Artifact": "system.Artifact"}


class Token(Struct):
    """What a page token carries."""

    sort_by: str
    filter: str
    last: tuple[Key, str]


def list_query(type: type[Record], given: Mapping[str, str], *scope: Predicate) -> tuple[Query, str, str]:
    """The query of a list call within `scope`, with the sort and filter that the next page's token repeats."""
    token = read_token(given.get("page_token", ""))
    sort_by, filter = given.get("sort_by", ""), given.get("filter", "")
    if token is not None:
        if (sort_by and sort_by != token.sort_by) or (filter and filter != token.filter):
            raise InvalidArgument("page_token: the token belongs to a list with another sort or filter")
        sort_by, filter = token.sort_by, token.filter
    field, descending = read_sort(type, sort_by)
    if token is not None and isinstance(token.last[0], str) == is_number(field):
        raise InvalidArgument("page_token: is not a token of this list")
    query = Query(
        predicates=[*scope, *read_filter(type, filter)],
        sort_by=field,
        descending=descending,
        after=token.last if token else None,
        limit=read_page_size(given.get("page_size", "")),
    )
    return query, sort_by, filter


def is_number(field: str) -> bool:
    return field in TIMES or field.startswith(METRIC_PREFIX)


def within(field: str, *values: str) -> Predicate:
    """Restrict a list to records whose field has one of the values."""
    if len(values) == 1:
        return Predicate(field=field, operation=Operation.EQUALS, value=values[0])
    return Predicate(field=field, operation=Operation.IN, value=list(values))


def read_page_size(text: str) -> int:
    try:
        size = int(text or "0")
    except ValueError as error:
        raise InvalidArgument("page_size: must be an integer") from error
    if size < 0:
        raise InvalidArgument("page_size: must not be negative")
    return min(size or DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)


def read_sort(type: type[Record], text: str) -> tuple[str, bool]:
    """The record's field, and whether it descends."""
    words = text.split()
    if not words:
        return "created_at", False
    direction = words[1].lower() if len(words) > 1 else "asc"
    if len(words) > 2 or direction not in ("asc", "desc"):
        raise InvalidArgument(f"sort_by: {text!r} is not a field, optionally followed by asc or desc")
    return sortable(type, words[0]), direction == "desc"


def sortable(type: type[Record], name: str) -> str:
    if type is Run and name.lower().startswith(METRIC_PREFIX) and len(name) > len(METRIC_PREFIX):
        return METRIC_PREFIX + checked_text(name[len(METRIC_PREFIX) :], "sort_by")
    if is_tag(type, name):
        return name
    field = FIELDS[type].get(name.lower())
    if field is None:
        raise InvalidArgument(f"sort_by: cannot sort by {name!r}; use one of {', '.join(FIELDS[type])}")
    return field


def is_tag(type: type[Record], name: str) -> bool:
    return type in TAGGED and name.startswith(TAG_PREFIX) and len(name) > len(TAG_PREFIX)


def read_filter(type: type[Record], text: str) -> list[Predicate]:
    if not text:
        return []
    if len(text) > MAX_FILTER_CHARACTERS:
        raise InvalidArgument(f"filter: is longer than {MAX_FILTER_CHARACTERS} characters")
    predicates: list[Object] = decode(FILTER, parsed_filter(text), "filter").get("predicates", [])
    if len(predicates) > MAX_PREDICATES:
        raise InvalidArgument(f"filter: has more than {MAX_PREDICATES} predicates")
    return [read_predicate(type, predicate, f"filter.predicates[{at}]") for at, predicate in enumerate(predicates)]


def parsed_filter(text: str) -> Any:
    """The JSON of a filter; some clients encode it twice."""
    for candidate in (text, unquote_plus(text)):
        try:
            return parse(candidate)
        except BadJson:
            continue
    raise InvalidArgument("filter: is not JSON")


def read_predicate(type: type[Record], predicate: Object, path: str) -> Predicate:
    operation_name = predicate.pop("operation", None) or predicate.pop("op", None)
    if predicate.pop("op", None) or operation_name in (None, "OPERATION_UNSPECIFIED"):
        raise InvalidArgument(f"{path}.operation: is required")
    operation = Operation[str(operation_name)]
    key = str(predicate.pop("key", ""))
    if len(predicate) != 1:
        raise InvalidArgument(f"{path}: needs exactly one value")
    ((kind, raw),) = predicate.items()
    is_list = kind.endswith("_values")
    value: Any = cast(Object, raw).get("values", []) if is_list else raw
    if is_list != (operation is Operation.IN):
        raise InvalidArgument(f"{path}: IN needs a list of values, and the other operations one value")
    if is_list and (not value or len(value) > MAX_VALUES):
        raise InvalidArgument(f"{path}.{kind}: must have 1 to {MAX_VALUES} values")
    if operation is Operation.IS_SUBSTRING and kind != "string_value":
        raise InvalidArgument(f"{path}: IS_SUBSTRING needs a string_value")
    return checked_predicate(type, key, operation, value, path)


def checked_predicate(type: type[Record], key: str, operation: Operation, value: Any, path: str) -> Predicate:
    """The predicate on the record's own field. Raises InvalidArgument where key, operation and value do not fit."""
    if is_tag(type, key):
        if operation is not Operation.EQUALS or not isinstance(value, str):
            raise InvalidArgument(f"{path}: tags can only be compared by EQUALS with a string_value")
        return Predicate(field=key, operation=operation, value=value)
    field = FIELDS[type].get(key)
    if field is None:
        raise InvalidArgument(f"{path}.key: cannot filter by {key!r}; use one of {', '.join(FIELDS[type])}")
    values = cast(list[Any], value) if isinstance(value, list) else [value]
    is_time = field in TIMES
    if any(isinstance(each, str) == is_time for each in values):
        raise InvalidArgument(f"{path}: {key} is compared with {'a timestamp_value' if is_time else 'a string_value'}")
    if is_time and operation is Operation.IS_SUBSTRING:
        raise InvalidArgument(f"{path}: IS_SUBSTRING needs a text field")
    stored: Value = [int(each) for each in values] if is_time else [stored_name(type, field, each) for each in values]
    return Predicate(
        field=field,
        operation=operation,
        value=stored if operation is Operation.IN else stored[0],
        is_time=is_time,
    )


def stored_name(type: type[Record], field: str, value: str) -> str:
    """v1 has other names for states than v2: Succeeded, STORAGESTATE_ARCHIVED. Types of artifacts have short ones."""
    if type is Artifact and field == "type":
        return SCHEMA_TITLES.get(value, value)
    if field == "storage_state":
        return value.removeprefix("STORAGESTATE_")
    if field == "state":
        return V1_STATES.get(value, value)
    return value


def token_text(sort_by: str, filter: str, last: tuple[Key, str] | None) -> str:
    """The next page's token; empty on the last page."""
    if last is None:
        return ""
    token = Token(sort_by=sort_by, filter=filter, last=last)
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode()


def read_token(text: str, field: str = "page_token") -> Token | None:
    """The token that a request has in `field`. Raises InvalidArgument."""
    if not text:
        return None
    try:
        token = msgspec.json.decode(base64.b64decode(text.encode(), b"-_", validate=True), type=Token)
    except (binascii.Error, ValueError, RecursionError) as error:
        raise InvalidArgument(f"{field}: is not a token of this API") from error
    for part in (str(token.last[0]), token.last[1]):
        checked_text(part, field)
    return token
