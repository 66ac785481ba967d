"""The containers beside a task's own one on a cluster, which fetch its inputs and publish its outputs. Pure.

Only these two see the credentials of stores. The sidecar is an init container that is restarted, as Kubernetes has them
since 1.29: it is sent SIGTERM once the main container has ended, and may then take PUBLISH_SECONDS. Until then it is a
sleeping shell: Python starts when there is something to publish.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from windlass.apps.pipelines.artifacts.stores.providers import SCHEMES, parse_providers, provider_of
from windlass.apps.pipelines.artifacts.transfer_plan import (
    SECRETS_PATH,
    VOLUME_PATH,
    WORKSPACE_MOUNT,
    TransferPlan,
    as_arguments,
)
from windlass.apps.pipelines.artifacts.uris import split_uri
from windlass.kube.json import Object, dig, dig_list, is_object

FETCH, PUBLISH = "fetch-artifacts", "publish-artifacts"
CONTAINERS = (FETCH, PUBLISH)
PROGRAM = ("python3", "-I", "-m", "windlass.apps.pipelines.artifacts.transfer")
WAIT = """ended=
trap 'ended=1' TERM
while [ -z "$ended" ]; do sleep 10 >/dev/null 2>&1 & wait $!; done
trap '' TERM
exec "$@"
"""
"""Sleeps until SIGTERM, which ends `wait` at once, then becomes the program of its arguments. A signal that comes just
before `wait` is found when the sleep is over."""
PUBLISH_SECONDS = 600
"""The pod's termination grace period: how long the sidecar may publish. A main container that ignores SIGTERM may stay
as long when its pod is evicted."""
RESOURCES: Object = {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}}
LAUNCHER = "the ConfigMap kfp-launcher"


@dataclass(frozen=True)
class Transfers:
    """What a pod gets in addition."""

    init_containers: list[Object] = field(default_factory=list[Object])
    volumes: list[Object] = field(default_factory=list[Object])
    """Volumes that only these containers mount."""

    @property
    def has_sidecar(self) -> bool:
        return any(container["name"] == PUBLISH for container in self.init_containers)


@dataclass(frozen=True, kw_only=True)
class TransferSettings:
    """How the pods of a namespace reach its stores."""

    image: str
    """The image of Windlass."""
    providers: str = ""
    """The key `providers` of the namespace's ConfigMap `kfp-launcher`."""

    def check(self, uris: Iterable[str]) -> None:
        """Refuse URIs that are in no store. Raises ValueError that names the setting."""
        parsed = parse_providers(self.providers)
        for uri in uris:
            if provider_of(parsed, uri) is None:
                raise ValueError(no_store(uri))

    def containers(
        self, plan: TransferPlan, volume: str, security: Object, *, publishes: bool, workspace: str = ""
    ) -> Transfers:
        """The containers for a plan. `volume` and `workspace` are names of volumes of the pod. Raises ValueError."""
        secrets = [(f"windlass-store-keys-{number}", name) for number, name in enumerate(self._secrets(plan))]
        mounts: list[Object] = [{"name": volume, "mountPath": VOLUME_PATH}]
        mounts += [
            {"name": name, "mountPath": f"{SECRETS_PATH}/{secret}", "readOnly": True} for name, secret in secrets
        ]
        made: list[Object] = []
        if plan.inputs or plan.placed_inputs or plan.texts:
            in_workspace = any(one.workspace_path for one in plan.inputs)
            extra: list[Object] = [{"name": workspace, "mountPath": WORKSPACE_MOUNT}] if in_workspace else []
            fetching = TransferPlan(
                namespace=plan.namespace,
                providers=plan.providers,
                inputs=plan.inputs,
                placed_inputs=plan.placed_inputs,
                texts=plan.texts,
            )
            words = [*PROGRAM, "fetch", *as_arguments(fetching)]
            made.append(self._container(FETCH, words, [*mounts, *extra], security))
        if publishes:
            words = ["sh", "-c", WAIT, "sh", *PROGRAM, "publish", *as_arguments(replace(plan, texts={}))]
            made.append({**self._container(PUBLISH, words, mounts, security), "restartPolicy": "Always"})
        # A Secret that does not exist must not keep the pod from starting: a public bucket needs none, and the program
        # says which one is missing.
        volumes: list[Object] = [
            {"name": name, "secret": {"secretName": secret, "optional": True}} for name, secret in secrets
        ]
        return Transfers(made, volumes if made else [])

    def _secrets(self, plan: TransferPlan) -> Sequence[str]:
        """Names of all Secrets that the providers name: an executor output may name any URI."""
        parsed = parse_providers(self.providers)
        used = {
            found.secret.name
            for uri in (*(one.uri for one in plan.inputs), *plan.artifacts.values(), *plan.folders, plan.report)
            if uri and (found := provider_of(parsed, uri)) is not None and found.secret is not None
        }
        placed = (*plan.placed_inputs, *plan.placed_outputs)
        return sorted(used | _named_secrets(parsed) | {secret.name for one in placed for secret in one.place.secrets})

    def _container(self, name: str, words: list[str], mounts: list[Object], security: Object) -> Object:
        return {
            "name": name,
            "image": self.image,
            "command": words,
            "env": [{"name": "HOME", "value": "/tmp"}],
            "resources": RESOURCES,
            "securityContext": container_security(security),
            "volumeMounts": mounts,
        }


def _named_secrets(providers: Object) -> set[str]:
    """Names of the Secrets that the settings of providers name."""
    settings = [
        one
        for provider in providers.values()
        if is_object(provider)
        for one in (provider.get("default"), *dig_list(provider, "overrides"))
    ]
    names = (dig(one, "credentials", "secretRef", "secretName") for one in settings)
    return {name for name in names if isinstance(name, str)}


def container_security(main: Object) -> Object:
    """The security context beside that of the main container, with whose files these containers work.

    The main container's user if it has one, else root, since files belong to whichever user its image names. Root has
    the one capability that lets it read and write other users' files.
    """
    user = {key: main[key] for key in ("runAsUser", "runAsGroup", "runAsNonRoot") if main.get(key) is not None}
    capabilities: Object = {"drop": ["ALL"]}
    if not user.get("runAsUser") and not user.get("runAsNonRoot"):
        user["runAsUser"] = 0
        capabilities["add"] = ["DAC_OVERRIDE"]
    return {**user, "allowPrivilegeEscalation": False, "capabilities": capabilities}


def no_store(uri: str) -> str:
    """Why a URI cannot be used on a cluster, and what to set."""
    scheme = split_uri(uri)[0]
    if scheme == "minio":
        return f"{uri} is in no object store: set providers.minio.default.endpoint in {LAUNCHER} of the namespace"
    return f"{uri} is in no object store: its scheme is none of {', '.join(SCHEMES)}"
