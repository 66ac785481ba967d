"""What deciding code may ask of its surroundings, as protocols: `Api` is a server, `Runtime` is the manager.

Rooms that may do no I/O of their own (controllers, above all) are handed these instead of importing the client.
`windlass.kube.client.Client` and `windlass.kube.manager.Manager` are what they get.
"""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from windlass.kube.cache import Sink, Store
from windlass.kube.faults import Faults
from windlass.kube.json import Object as Json
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject
from windlass.kube.queue import Queue
from windlass.kube.view import View

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

T = TypeVar("T", bound=AnyObject)
Q = TypeVar("Q", bound=Hashable)

About = tuple[AnyObject, Kind]
"""An object, and its kind."""
PatchType = Literal["json", "merge", "strategic"]
Propagation = Literal["Background", "Foreground", "Orphan"]


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """All objects of a list, and the version from which a watch continues it."""

    items: list[T]
    resource_version: str


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """One watch event. A BOOKMARK has no object; `synced` marks the end of the initial events.

    `gone` is the key of an object that was deleted and could not be decoded.
    """

    type: Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
    object: T | None
    resource_version: str
    synced: bool = False
    gone: Key | None = None


@dataclass(frozen=True, slots=True)
class PodAnswer:
    """What came of asking a pod. `code` is that of an HTTP answer, 0 where something listens that speaks no HTTP."""

    is_listening: bool
    code: int = 0
    body: bytes = field(default=b"", compare=False, repr=False)


class Api(Protocol):
    """A server's verbs, as `windlass.kube.client.Client` has them."""

    async def served(self, *, refresh: bool = False) -> tuple[Kind, ...]: ...

    async def find_kind(self, api_version: str, kind: str) -> Kind: ...

    def failed_groups(self) -> tuple[str, ...]: ...

    async def get(self, of: View[T], name: str, namespace: str = "") -> T: ...

    async def get_under(self, kind: Kind, key: Key, subresource: str) -> Json: ...

    async def ask_pod(
        self, pod: Key, port: int, path: str, headers: Mapping[str, str], query: Mapping[str, str] | None = None
    ) -> PodAnswer: ...

    async def list(
        self,
        of: View[T],
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        query: Mapping[str, str] | None = None,
    ) -> Listing[T]: ...

    async def count(self, kind: Kind, namespace: str = "") -> int: ...

    async def create(self, obj: T, *, kind: Kind | None = None, namespace: str = "", dry_run: bool = False) -> T: ...

    async def create_under(self, kind: Kind, key: Key, subresource: str, body: Json) -> Json: ...

    async def update(
        self, obj: Json, *, kind: Kind | None = None, subresource: str = "", dry_run: bool = False
    ) -> Json: ...

    async def patch(
        self,
        kind: Kind,
        key: Key,
        patch: Json | Sequence[Json],
        type: PatchType = "merge",
        *,
        subresource: str = "",
        dry_run: bool = False,
    ) -> Json: ...

    async def set_status(self, kind: Kind, key: Key, status: Json, *, resource_version: str = "") -> Json: ...

    async def delete(
        self,
        kind: Kind,
        key: Key,
        *,
        propagation: Propagation | None = None,
        uid: str = "",
        resource_version: str = "",
        grace_seconds: int | None = None,
        dry_run: bool = False,
    ) -> Json: ...

    async def delete_collection(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        propagation: Propagation | None = None,
    ) -> None: ...


class Runtime(Protocol):
    """The means of a running manager. Everything started with it stops with the manager."""

    @property
    def api(self) -> Api: ...

    @property
    def registry(self) -> "CollectorRegistry":
        """Where metrics go that this manager is to serve."""
        ...

    def now(self) -> datetime: ...

    def queue(self, name: str) -> Queue[Any]:
        """A work queue with metrics under that name."""
        ...

    @property
    def faults(self) -> Faults:
        """Where to report what was raised over a single object."""
        ...

    def work(
        self,
        name: str,
        queue: Queue[Q],
        step: Callable[[Q], Awaitable[timedelta | None]],
        workers: int,
        about: "Callable[[Q], About | None] | None" = None,
    ) -> None:
        """Have `workers` take keys from the queue; a step that raises is retried, ever later.

        `about` answers which object a key stands for, so that the failure can be reported on it.
        """
        ...

    async def together(self, actions: Iterable[Awaitable[None]]) -> None:
        """Do many things, several at a time; the first failure is raised once none is under way."""
        ...

    def warn(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str) -> None:
        """Record a Warning event about an object."""
        ...

    def record(self, component: str, about: AnyObject, kind: Kind, reason: str, message: str) -> None:
        """Record a Normal event about an object."""
        ...

    def store(self, of: View[T]) -> Store[T]:
        """The cache of a view, shared with all who ask for it."""
        ...

    def follow(self, of: View[T], sink: Sink[T]) -> Callable[[], None]:
        """Keep `sink` in step with the server until the answered function is called."""
        ...
