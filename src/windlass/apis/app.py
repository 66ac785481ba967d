"""The declaration of an app: kinds that belong together, and everything that the platform asks of them.

Each app is a folder `apps/<name>/` whose module `app` declares `APP`; `apps/__init__.py` lists them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from windlass.apis.access import Access
from windlass.apis.admission import Rule
from windlass.apis.server_tokens import TokenSecrets
from windlass.apis.stops import AnyStop
from windlass.kube.json import Object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Object as DeclaredObject

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


@dataclass(frozen=True, kw_only=True)
class Tenants:
    """Namespaces that an app gives to users. Each belongs to a cluster-scoped object of the same name."""

    kind: type
    """The kind of this object."""
    finalizer: str
    """The finalizer that its controller removes."""
    for_user: Callable[[str], Object]
    """Return the object for the user with an e-mail address. Raises ValueError for other texts."""
    doctor: str
    """The module with `namespaces_of(people, objects, bindings)`, which `windlass doctor` calls."""


TRAINER_OPTION = InstallOption(
    flag="trainer", help="Replace Kubeflow Trainer and JobSet: install their kinds, controllers and webhooks too."
)
"""Shared by the Trainer and the JobSets that its TrainJobs consist of."""
PLATFORM_OPTION = InstallOption(
    flag="platform",
    help="Replace Kubeflow's notebooks, TensorBoards, volumes and profiles: install their kinds and controllers too.",
)
"""Shared by the apps of the platform that people sign in to."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why an object's server does not answer, as a condition, a container or an event gives it."""

    reason: str
    """A CamelCase reason, such as `ErrImagePull`; empty if there is only a message."""
    message: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Entrance:
    """An entrance of the gateway: `/<prefix>/<namespace>/<name>/…` leads to the server of an object."""

    prefix: str
    """The first segment of the path."""
    kind: type[DeclaredObject]
    """The declared kind of the object."""
    enter: str
    """The verb on the object that entering needs: `update` if the server runs code of its users."""
    why_not_ready: Callable[[Any], Cause | None]
    """Return why the object's server does not answer; None if its status gives no reason.

    The gateway recognises deleted and stopped objects, and looks for warnings about an object without a reason.
    """
    service_name: Callable[[str], str] = str
    """Return the name of the Service before the server. Only a Service that the object controls is served."""
    reading_accesses: Callable[[Any], Sequence[Access]] | None = None
    """Return the rights that together open the object's server to readers; empty if it is closed to them."""
    write_access: Callable[[str], Access] | None = None
    """Return the right in a namespace of which `x-windlass-may-write` informs the server, if the server reads it."""
    server_tokens: TokenSecrets | None = None
    """The Secrets with the tokens by which servers recognise the gateway, if they do."""
    token_scope: str = ""
    """The scope of access tokens that count below the prefix as `?token=` and `Authorization: token`, if any do."""
    asserts_identity: bool = False
    """Whether requests carry a signed assertion of their sender, for servers that verify it."""
    on_use: str = ""
    """`module:class` in the app's web modules, if its gateway records use: made with a client, it has `record(key)`."""

    @cached_property
    def declared(self) -> Kind:
        """The name and place of the kind."""
        return KINDS.of(self.kind)

    def access(self, namespace: str, name: str) -> Access:
        """Return the right that entering the server of an object needs."""
        kind = self.declared
        return Access(self.enter, kind.group, kind.plural, namespace, name)


@dataclass(frozen=True, kw_only=True)
class App:
    """An app. Everything in it is data, the name of a module, or a pure function."""

    name: str
    """The name of its folder."""

    # Kinds
    definitions: Callable[[], list[Object]]
    """The CustomResourceDefinitions, ready to create."""
    conversion: Conversion | None = None
    rules: Sequence[Rule] = ()
    """Admission: the same rules run in the embedded server and as webhooks on a cluster."""
    user_rules: Sequence[UserRules]
    provided: Callable[[], list[Provided]] = list

    # Controllers
    controllers: str
    """The module with `app_controllers(context)`, which only the manager imports; empty if there is none."""
    schemes: frozenset[str]
    """Names of the controllers for `windlass manager --enable-scheme`."""
    manager_rights: Rights = field(default_factory=dict[str, Mapping[str, str]])
    """Permissions of the controllers and webhooks on a cluster."""
    controllers_declare_rights: bool = False
    """Whether the kinds that its controllers use (`controllers_of_all_configurations()`) add to these permissions."""
    required: Sequence[type] = ()
    """Declared kinds that a cluster must serve before the controllers can work."""
    in_no_namespace: str = ""
    """Cluster-scoped kinds that keep a manager of one namespace from running the app; empty without any."""

    # Options
    options: type | None = None
    """The class `Options` of its module `options`, whose fields are annotated with `Option`."""
    use_options: Callable[[Any], None] | None = None
    """Have the admission of a server or webhook use these options, when the process starts. Raises BadOption."""

    # The gateway
    entrances: Sequence[Entrance] = ()
    """The paths of the gateway that lead to servers of the app's objects."""
    web: str = ""
    """The package whose module `contributions` only the gateway imports; empty if there is none."""
    gateway_rules: Sequence[str] = ()
    """Permissions of the gateway itself, which may list and watch everything: rules like those of `UserRules`."""
    embedded_gateway_rules: Sequence[str] = ()
    """Permissions that only the embedded server's gateway needs besides."""

    # Installation on a cluster
    install_option: InstallOption | None = None
    """The flag that installs the app; None if it is always installed."""
    foreign_groups: frozenset[str] = frozenset()
    """API groups whose definitions only the embedded server needs: on a cluster other products install them."""
    parts: Mapping[str, Callable[[], list[Object]]] = field(default_factory=dict[str, Callable[[], list[Object]]])
    """Parts of `windlass manifests` besides the common parts."""
    deployment: str = ""
    """The module with `DEPLOYMENT`: flags, ports and objects of an installation; empty if there are none."""

    # Namespaces of users
    tenants: Tenants | None = None
    """The namespaces that it gives to users; None if it gives none."""
    stops: Sequence[AnyStop] = ()
    """How its objects stop while their profile is in the recycle bin."""
    stops_all_apps: bool = False
    """Whether its controllers stop and restore objects of all apps, as their `stops` say."""

    @property
    def gives_namespaces(self) -> bool:
        """Whether it binds users to kubeflow-admin, -edit and -view, which it then installs too."""
        return self.tenants is not None

    def is_wanted(self, schemes: frozenset[str], *, is_embedded: bool) -> bool:
        """Whether a manager runs the app. Default: all if embedded, on a cluster those without an install option."""
        return bool(self.schemes & schemes) if schemes else is_embedded or self.install_option is None

    def cluster_definitions(self) -> list[Object]:
        """Return the definitions to install on a cluster."""
        return [crd for crd in self.definitions() if crd["spec"]["group"] not in self.foreign_groups]
