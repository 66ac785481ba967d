"""Admission rules of apps: the embedded server runs them in process, a cluster calls them as webhooks.

A rule is a pure function of the `Request` and of `Facts`, the current state of the cluster. It must not depend on being
called once: a webhook calls it again after fetching a fact that it requested.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from windlass.kube.errors import Cause
from windlass.kube.json import Object
from windlass.kube.kind import Kind

CREATE, UPDATE, DELETE = "CREATE", "UPDATE", "DELETE"


@dataclass(frozen=True, kw_only=True)
class Request:
    """A single write: `obj` is None for a deletion, `old` for a creation."""

    operation: str
    kind: str
    obj: Object | None
    old: Object | None = None
    namespace: str = ""
    name: str = ""

    @property
    def keeps_spec(self) -> bool:
        """Whether an update leaves the spec unchanged. Objects accepted earlier may still be labelled and deleted."""
        return self.obj is not None and self.old is not None and self.obj.get("spec") == self.old.get("spec")


@dataclass(frozen=True, kw_only=True)
class Checks:
    """Checks that only the API server's own validation can answer."""

    pod_template: Callable[[Object], list[Cause]]
    """Validation errors of a PodTemplateSpec."""
    job_template: Callable[[str, Object], list[Cause]]
    """Validation errors of a JobTemplateSpec in the named field."""
    pattern: Callable[[str], str]
    """Why a regular expression (RE2) is invalid, or an empty string."""
    custom_resource: Callable[[Object], list[Cause]]
    """Validation errors of an object against the schema of its CustomResourceDefinition."""


class Facts(Protocol):
    """The current state of the cluster. Objects are shared and read-only."""

    @property
    def now(self) -> datetime: ...

    @property
    def checks(self) -> Checks: ...

    def get(self, kind: type, name: str, namespace: str = "") -> Object | None:
        """Return an object of a declared kind."""
        ...

    def list(self, kind: type, namespace: str = "") -> Sequence[Object]:
        """Return all objects of a declared kind, in one namespace or in all."""
        ...


@dataclass(frozen=True)
class Verdict:
    """Whether a write is allowed. `refusal` holds the fields of a Status: `message`, and maybe `reason` and `code`."""

    refusal: Object | None = None
    warnings: Sequence[str] = ()


def refused(message: str, warnings: Sequence[str] = (), *, forbidden: bool = True) -> Verdict:
    """Refuse the write with a message; an empty message allows it."""
    if not message:
        return Verdict(warnings=warnings)
    status: Object = {"message": message, "reason": "Forbidden", "code": 403} if forbidden else {"message": message}
    return Verdict(status, warnings)


@dataclass(frozen=True, kw_only=True)
class _Rule:
    """The requests that a rule applies to, and the names of its webhook on a cluster, which are upstream's."""

    kind: Kind
    name: str
    path: str
    configuration: str
    """The name of the webhook configuration that lists the webhook."""
    operations: Sequence[str] = (CREATE, UPDATE)
    versions: Sequence[str] = ()
    """Served versions of the kind besides `kind.version`."""
    conditions: Sequence[Object] = ()
    """`matchConditions`: a cluster calls the webhook only where all of them hold."""
    concerns: Callable[[Object], bool] | None = None
    """The `conditions` as a function of the written object, for the embedded server; None where there are none."""
    namespace_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels of the namespaces that the rule is about; empty for all."""


@dataclass(frozen=True, kw_only=True)
class Mutation(_Rule):
    """Fills in missing fields. `mutate` returns a new object and leaves its argument unchanged."""

    mutate: Callable[[Request, Facts], Object]


@dataclass(frozen=True, kw_only=True)
class Validation(_Rule):
    """Allows or refuses a write. `validate` may also raise an ApiError, which is returned to the client unchanged."""

    validate: Callable[[Request, Facts], Verdict]


Rule: TypeAlias = Mutation | Validation


def default_path(role: str, kind: Kind) -> str:
    """The path that controller-runtime gives to a webhook, such as `/validate-kubeflow-org-v1-tfjob`."""
    return f"/{role}-{kind.group.replace('.', '-')}-{kind.version}-{kind.name.lower()}"
