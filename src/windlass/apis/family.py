"""A product family: kinds that come together, and what server, webhooks, manager and manifests need of them.

Each family is a package `apis/<family>/` whose module `family` declares `FAMILY`; `apis/families.py` lists them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from windlass.apis.admission import Rule
from windlass.kube.json import Object

READ = "get list watch"
WRITE = "create delete deletecollection get list patch update watch"

Rights: TypeAlias = Mapping[str, Mapping[str, str]]
"""By API group and resources (several, separated by spaces): verbs, separated by spaces."""


@dataclass(frozen=True, kw_only=True)
class UserRules:
    """What people may do: rules of the ClusterRoles `kubeflow-<role>-edit` and `-view`, which others aggregate.

    A rule is one line, `verbs | API groups | resources`; `core` is the group without a name.
    """

    role: str
    edit: Sequence[str]
    view: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Provided:
    """An object that exists from the start. What a user changes in it stays."""

    obj: Object
    renew: Literal["", "spec", "data"] = ""
    """The field that a newer Windlass replaces while nobody has changed it; empty: the object is created once."""
    on_cluster: bool = False
    """Whether `windlass manifests` prints it with the manager."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """How objects of kinds with several versions are converted."""

    versions: Mapping[type, Sequence[str]]
    """By the kind in its stored version: the other versions that are served."""
    convert: Callable[[Object, str], Object]
    """An object in another apiVersion. Raises ValueError."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """A flag of `windlass manifests` that adds the family on a cluster, which may have the original of it."""

    flag: str
    help: str
    with_scheduler: bool = False
    """Whether the gang scheduler is installed too."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """One family. Everything in it is data or a pure function."""

    name: str
    definitions: Callable[[], list[Object]]
    """Its CustomResourceDefinitions, ready to be created."""
    controllers: str
    """The module with `controllers(context)`, loaded by the manager alone."""
    schemes: frozenset[str]
    """What `windlass manager --enable-scheme` calls its controllers."""
    user_rules: UserRules
    rules: Sequence[Rule] = ()
    conversion: Conversion | None = None
    manager_rights: Rights = field(default_factory=dict[str, Mapping[str, str]])
    """What its controllers and webhooks may do on a cluster."""
    controllers_declare_rights: bool = False
    """Whether what its controllers see and make (`controllers_of_every_configuration()`) comes on top of that."""
    provided: Callable[[], list[Provided]] = list
    parts: Mapping[str, Callable[[], list[Object]]] = field(default_factory=dict[str, Callable[[], list[Object]]])
    """Parts of `windlass manifests` besides the common ones."""
    option: Option | None = None
    """None: it is always installed."""
    foreign_groups: frozenset[str] = frozenset()
    """API groups of definitions that only the embedded server needs: on a cluster they come with other products."""
    required: Sequence[type] = ()
    """Declared kinds that a cluster must serve before the controllers can work."""
    in_no_namespace: str = ""
    """Its kinds that are in no namespace, so that a manager of one namespace cannot run it; empty where it can."""

    def is_wanted(self, schemes: frozenset[str], *, is_embedded: bool) -> bool:
        """Whether a manager runs it. Without `schemes`, all run embedded, and on a cluster those without an option."""
        return bool(self.schemes & schemes) if schemes else is_embedded or self.option is None

    def cluster_definitions(self) -> list[Object]:
        """The definitions that are installed on a cluster."""
        return [crd for crd in self.definitions() if crd["spec"]["group"] not in self.foreign_groups]
