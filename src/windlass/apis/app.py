"""The declaration of an app: kinds that belong together, and everything that the platform asks of them.

Each app is a folder `apps/<name>/` whose module `app` declares `APP`; `apps/__init__.py` lists them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from windlass.apis.admission import Rule
from windlass.apis.stops import AnyStop
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


Prune: TypeAlias = Callable[[Object], None]
"""Removes fields that the stored version does not know from an object of that version, in place."""


class Convert(Protocol):
    """Converts an object to another apiVersion. Raises ValueError."""

    def __call__(self, obj: Object, api_version: str, prune: Prune = ...) -> Object: ...


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """Conversion between the versions of kinds."""

    versions: Mapping[type, Sequence[str]]
    """The other served versions, by the kind in its stored version."""
    convert: Convert


@dataclass(frozen=True, kw_only=True)
class InstallOption:
    """A flag of `windlass manifests` that installs apps on a cluster, which may have the original products."""

    flag: str
    help: str
    with_scheduler: bool = False
    """Whether the flag installs the gang scheduler too."""


TRAINER_OPTION = InstallOption(
    flag="trainer", help="Replace Kubeflow Trainer and JobSet: install their kinds, controllers and webhooks too."
)
"""Shared by the Trainer and the JobSets that its TrainJobs consist of."""
PLATFORM_OPTION = InstallOption(
    flag="platform",
    help="Replace Kubeflow's notebooks, TensorBoards, volumes and profiles: install their kinds and controllers too.",
)
"""Shared by the apps of the platform that people sign in to."""


@dataclass(frozen=True, kw_only=True)
class App:
    """An app. Everything in it is data or a pure function."""

    name: str
    definitions: Callable[[], list[Object]]
    """The CustomResourceDefinitions, ready to create."""
    controllers: str
    """The module with `app_controllers(context)`, which only the manager imports; empty if there is none."""
    schemes: frozenset[str]
    """Names of the controllers for `windlass manager --enable-scheme`."""
    user_rules: Sequence[UserRules]
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
    install_option: InstallOption | None = None
    """The flag that installs the app; None if it is always installed."""
    foreign_groups: frozenset[str] = frozenset()
    """API groups whose definitions only the embedded server needs: on a cluster other products install them."""
    required: Sequence[type] = ()
    """Declared kinds that a cluster must serve before the controllers can work."""
    in_no_namespace: str = ""
    """Cluster-scoped kinds that keep a manager of one namespace from running the app; empty without any."""
    # the recycle bin of profiles
    stops: Sequence[AnyStop] = ()
    """How its objects stop while their profile is in the recycle bin."""
    stops_all_apps: bool = False
    """Whether its controllers stop and restore objects of all apps, as their `stops` say."""

    def is_wanted(self, schemes: frozenset[str], *, is_embedded: bool) -> bool:
        """Whether a manager runs the app. Default: all if embedded, on a cluster those without an install option."""
        return bool(self.schemes & schemes) if schemes else is_embedded or self.install_option is None

    def cluster_definitions(self) -> list[Object]:
        """Return the definitions to install on a cluster."""
        return [crd for crd in self.definitions() if crd["spec"]["group"] not in self.foreign_groups]
