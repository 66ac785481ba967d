"""A product family: kinds that belong together, and what server, webhooks, manager and manifests need to know of them.

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
"""Verbs by API group and resources; several resources or verbs are separated by spaces."""


@dataclass(frozen=True, kw_only=True)
class UserRules:
    """User permissions: rules of the ClusterRoles `kubeflow-<role>-edit` and `-view`, which other roles aggregate.

    A rule is one line, `verbs | API groups | resources`; `core` is the group without a name.
    """

    role: str
    edit: Sequence[str]
    view: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Provided:
    """An object that is created at startup. Changes that users make to it are kept."""

    obj: Object
    renew: Literal["", "spec", "data"] = ""
    """The field that a newer Windlass replaces unless a user changed it. If empty, the object is only created."""
    adds_ports: bool = False
    """Whether a Service that exists is given the ports that it lacks, as one of an earlier Windlass may."""
    on_cluster: bool = False
    """Whether `windlass manifests` prints the object with the manager."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """Conversion between the versions of kinds."""

    versions: Mapping[type, Sequence[str]]
    """The other served versions, by the kind in its stored version."""
    convert: Callable[[Object, str], Object]
    """Convert an object to another apiVersion. Raises ValueError."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """A flag of `windlass manifests` that installs the family on a cluster, which may have the original product."""

    flag: str
    help: str
    with_scheduler: bool = False
    """Whether the flag installs the gang scheduler too."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """A product family. Everything in it is data or a pure function."""

    name: str
    definitions: Callable[[], list[Object]]
    """The CustomResourceDefinitions, ready to create."""
    controllers: str
    """The module with `family_controllers(context)`, which only the manager imports; empty if there is none."""
    schemes: frozenset[str]
    """Names of the controllers for `windlass manager --enable-scheme`."""
    user_rules: UserRules
    rules: Sequence[Rule] = ()
    conversion: Conversion | None = None
    manager_rights: Rights = field(default_factory=dict[str, Mapping[str, str]])
    """Permissions of the controllers and webhooks on a cluster."""
    controllers_declare_rights: bool = False
    """Whether the kinds that its controllers use (`controllers_of_all_configurations()`) add to these permissions."""
    provided: Callable[[], list[Provided]] = list
    parts: Mapping[str, Callable[[], list[Object]]] = field(default_factory=dict[str, Callable[[], list[Object]]])
    """Parts of `windlass manifests` besides the common parts."""
    gives_namespaces: bool = False
    """Whether it binds users to kubeflow-admin, -edit and -view, which it then installs too."""
    option: Option | None = None
    """The flag that installs the family; None if it is always installed."""
    foreign_groups: frozenset[str] = frozenset()
    """API groups whose definitions only the embedded server needs: on a cluster other products install them."""
    required: Sequence[type] = ()
    """Declared kinds that a cluster must serve before the controllers can work."""
    in_no_namespace: str = ""
    """Cluster-scoped kinds that keep a manager of one namespace from running the family; empty without any."""

    def is_wanted(self, schemes: frozenset[str], *, is_embedded: bool) -> bool:
        """Whether a manager runs the family. Default: all if embedded, on a cluster those without an option."""
        return bool(self.schemes & schemes) if schemes else is_embedded or self.option is None

    def cluster_definitions(self) -> list[Object]:
        """Return the definitions to install on a cluster."""
        return [crd for crd in self.definitions() if crd["spec"]["group"] not in self.foreign_groups]
