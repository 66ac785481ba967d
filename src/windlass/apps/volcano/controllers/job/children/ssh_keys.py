"""The ssh keys of jobs: one pair a job, made once. Making one is no decision, so it is apart from the reconcile."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from windlass.apis.core_v1 import Secret
from windlass.apps.volcano.controllers.job import phases, plugins
from windlass.apps.volcano.controllers.job.plugins import ssh
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.controller import Acted, Acting, Api, Observed
from windlass.kube.errors import AlreadyExists, ApiError
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta
from windlass.kube.objects import owner_reference
from windlass.kube.plan import Event
from windlass.kube.view import metadata_only

BITS, EXPONENT = 2048, 65537
AGAIN_IN = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class KeyPair:
    """`private` in PEM, `public` as a line of authorized_keys."""

    private: str
    public: str


def make_keys() -> KeyPair:
    """RSA, the private key as PKCS #1."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(EXPONENT, BITS)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    return KeyPair(private.decode(), public.decode() + "\n")


def secret(job: Job, make: Callable[[], KeyPair]) -> Secret:
    """With the keys that the job brings, or else with new ones."""
    given = plugins.given(job, ssh.PLUGIN)
    private, public = str(given[ssh.PRIVATE_KEY]), str(given[ssh.PUBLIC_KEY])
    keys = KeyPair(private, public) if private and public else make()
    files = {
        ssh.PRIVATE: keys.private,
        ssh.PUBLIC: keys.public,
        ssh.AUTHORIZED: keys.public,
        ssh.CONFIG: ssh.client_config(job, int(given[ssh.PORT])),
    }
    return Secret(
        metadata=ObjectMeta(
            name=ssh.secret_name(job),
            namespace=job.metadata.namespace,
            owner_references=[owner_reference(job, KINDS.of(Job))],
        ),
        data={name: b64encode(text.encode()).decode() for name, text in files.items()},
    )


def uses_keys(job: Job) -> bool:
    return ssh.PLUGIN in plugins.asked_for(job)


async def provide(make: Callable[[], KeyPair], job: Job, observed: Observed, api: Api) -> Acted | None:
    """Make the secret of a job at work if there is none."""
    at_work = job.status.state.phase in phases.AT_WORK and job.metadata.deletion_timestamp is None
    if not at_work or not uses_keys(job) or observed.one(metadata_only(Secret), ssh.secret_name(job)) is not None:
        return None
    try:
        await api.create(secret(job, make))
    except AlreadyExists:  # made meanwhile
        return None
    except ApiError as error:
        message = f"Execute plugin when job add failed, err: {error.message}"
        return Acted(again_in=AGAIN_IN, events=[Event(reason="PluginError", message=message, warning=True)])
    return None


CONTROLLER = Acting(
    "volcano-job-keys", Job, partial(provide, make_keys), owns=[metadata_only(Secret)], component=COMPONENT
)
