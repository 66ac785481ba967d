"""`View`, the base of all structs here, and the parts that several views share."""

from typing import Any, Literal, TypeAlias, dataclass_transform

import msgspec

from windlass.apis.reasons import Reason

Seconds: TypeAlias = float
Time: TypeAlias = str
"""RFC 3339, in UTC."""
State: TypeAlias = Literal[
    "Pending", "Waiting", "Running", "Restarting", "Suspended", "Succeeded", "Failed", "Terminating", "Unknown"
]
"""One word for what a job does. `Waiting`: its gang or a pod cannot start now, and the row's `why` says the reason."""

OPTIONS: dict[str, Any] = {"frozen": True, "kw_only": True, "rename": "camel", "gc": False}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class ViewMeta(msgspec.StructMeta):
    """Gives every view the same options."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        return super().__new__(mcls, name, bases, namespace, **{**OPTIONS, **options})


class View(msgspec.Struct, metaclass=ViewMeta):
    """Immutable, keyword-only, camelCase on the wire. Every field is always sent, so that a page need not check."""


class ObjectRef(View):
    """Names an object of the API."""

    api_version: str
    kind: str
    namespace: str
    """Empty for kinds that are in none."""
    name: str
    uid: str
    """Empty where it is not known."""


class Fix(View):
    """Something that a person can do about a reason."""

    code: str
    """CamelCase, for choosing an icon: `FreeResources`, `OpenQueue`, `CheckImage`."""
    cause: str
    """What it helps against, for translations: a code of a reason, such as `InsufficientResource` or `OOMKilled`."""
    subject: str
    """What the text names: a resource, a queue, a quota, a job; empty where it names nothing."""
    text: str
    """One sentence."""
    command: str
    """The command line that does it; empty where there is none."""
    link: str
    """The page that does it, a path of the dashboard; empty where there is none."""


class Why(View):
    """Why something is not well, or what it waits for. The same words as `windlass explain`."""

    code: str
    """CamelCase, as in the condition: `NotEnoughResources`, `ImagePullBackOff`, `JobFailed`."""
    sentence: str
    reason: Reason | None
    """The reason as data, tagged by its field `type`; None for reasons that come from elsewhere."""
    details: dict[str, str]
    """What a sentence without a `reason` is made of, for translations: `container`, `pod`, `exitCode`, `message`."""
    fixes: tuple[Fix, ...]


class Assumption(View):
    """What a forecast takes for granted, such as when pods that run end."""

    code: str
    """Of `apis/assumptions.py`, for translations."""
    count: int
    subject: str
    """A queue, or seconds; empty where the text names nothing."""
    text: str


class EventRow(View):
    """An event, or several that are alike."""

    object: ObjectRef
    """What the event is about."""
    type: str
    """`Normal` or `Warning`."""
    reason: str
    message: str
    count: int
    first: Time
    last: Time
    source: str
    """The component that reported it."""


class Command(View):
    """A command line that does the same as a button or a page."""

    action: str
    """What it does: `get`, `logs`, `suspend`, `delete`, `explain` …"""
    tool: Literal["kubectl", "windlass", "python"]
    line: str


class Usage(View):
    """CPU and memory that are in use now; None where nothing measures them."""

    cpu_cores: float | None
    memory_bytes: float | None


NO_USAGE = Usage(cpu_cores=None, memory_bytes=None)


class Amount(View):
    """An amount of one resource, for reading and for drawing."""

    text: str
    """For reading: `1.5` of what is counted, `64Gi` of what is measured in bytes."""
    value: float
    """In the resource's base unit: cores, bytes, devices."""


class ClaimUse(View):
    """A measurement: how much of a claim is in use."""

    used_bytes: float
    at: Time
