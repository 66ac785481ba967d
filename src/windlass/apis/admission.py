"""Admission rules of product families: the embedded server runs them in process, on a cluster they are webhooks.

A rule is a pure function of the `Request` and of `Facts`, the cluster as it is at this moment. It must not depend on
being called once: a webhook calls it again when a fact that it asked for has been fetched.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from windlass.kube.errors import Cause
from windlass.kube.json import Object
from windlass.kube.kind import Kind

CREATE, UPDATE, DELETE = "CREATE", "UPDATE", "DELETE"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One write: `obj` is None for a deletion, `old` for a creation."""

    operation: str
    kind: str
    obj: Object | None
    old: Object | None = None
    namespace: str = ""
    name: str = ""

    @property
    def keeps_spec(self) -> bool:
        """Whether an update leaves the spec as it was: what was accepted once may still be labelled and deleted."""
        return self.obj is not None and self.old is not None and self.obj.get("spec") == self.old.get("spec")


@dataclass(frozen=True, kw_only=True)
class Checks:
    """What only the API server's own validation can say."""

    pod_template: Callable[[Object], list[Cause]]
    """What is wrong with a PodTemplateSpec."""
    job_template: Callable[[str, Object], list[Cause]]
    """What is wrong with a JobTemplateSpec in the field of that name."""
    pattern: Callable[[str], str]
    """Why a regular expression (RE2) cannot be used; empty where it can."""
    custom_resource: Callable[[Object], list[Cause]]
    """What is wrong with an object by the schema of its kind's definition."""


class Facts(Protocol):
    """The cluster as it is now. Objects are shared: read them, do not change them."""

    @property
    def now(self) -> datetime: ...

    @property
    def checks(self) -> Checks: ...

    def get(self, kind: type, name: str, namespace: str = "") -> Object | None:
        """An object of a declared kind."""
        ...

    def list(self, kind: type) -> Sequence[Object]:
        """All objects of a declared kind, in all namespaces."""
        ...


@dataclass(frozen=True)
class Verdict:
    """Whether a write is allowed. `refusal` holds the fields of a Status: `message`, and maybe `reason` and `code`."""

    refusal: Object | None = None
    warnings: Sequence[str] = ()


def refused(message: str, warnings: Sequence[str] = (), *, forbidden: bool = True) -> Verdict:
    """A refusal with that message; an empty message allows the write."""
    if not message:
        return Verdict(warnings=warnings)
    status: Object = {"message": message, "reason": "Forbidden", "code": 403} if forbidden else {"message": message}
    return Verdict(status, warnings)


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """What a rule is asked about, and the names under which a cluster knows it: those of upstream's webhooks."""

    kind: Kind
    name: str
    path: str
    configuration: str
    """The name of the object that lists the webhook."""
    operations: Sequence[str] = (CREATE, UPDATE)
    versions: Sequence[str] = ()
    """Served versions of the kind besides `kind.version`."""
    conditions: Sequence[Object] = ()
    """matchConditions: a cluster asks only where all of them hold."""


@dataclass(frozen=True, kw_only=True)
class Mutation(_Rule):
    """Fills in what an object leaves out. `mutate` answers a new object and leaves the given one alone."""

    mutate: Callable[[Request, Facts], Object]


@dataclass(frozen=True, kw_only=True)
class Validation(_Rule):
    """Allows or refuses a write. `validate` may also raise an ApiError, which the client gets as it is."""

    validate: Callable[[Request, Facts], Verdict]


Rule: TypeAlias = Mutation | Validation


def default_path(role: str, kind: Kind) -> str:
    """The path that controller-runtime gives a webhook: `/validate-kubeflow-org-v1-tfjob`."""
    return f"/{role}-{kind.group.replace('.', '-')}-{kind.version}-{kind.name.lower()}"
