"""The keys of a profile's namespace for the S3 endpoint of pods: a Secret with a random secret key, made once.

The Secret is Kubeflow's, by name and form, and users may put keys of another store into it, or make it themselves: what
exists is never overwritten. Generated keys have a label, and are never sent to another store (`store_settings`).
"""

from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from secrets import token_hex

from windlass.apis.core_v1 import Namespace, Secret
from windlass.apps.pipelines.names import ACCESS_KEY, ARTIFACT_SECRET, GENERATED_KEYS_LABEL, SECRET_KEY
from windlass.apps.profiles.kinds import Profile
from windlass.kube.controller import Acting, Api, Key, Observed
from windlass.kube.errors import AlreadyExists
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta, PartialObjectMetadata
from windlass.kube.objects import is_deleting, owner_reference
from windlass.kube.view import View, metadata_only

SECRET_KEY_BYTES = 32
GENERATED: View[PartialObjectMetadata] = metadata_only(Secret).narrowed(labels=GENERATED_KEYS_LABEL)
"""Secrets with generated keys, without what they hold."""


def secret(profile: Profile, secret_key: str) -> Secret:
    namespace = profile.metadata.name
    values = {ACCESS_KEY: namespace, SECRET_KEY: secret_key}
    return Secret(
        metadata=ObjectMeta(
            name=ARTIFACT_SECRET,
            namespace=namespace,
            labels={GENERATED_KEYS_LABEL: "true"},
            owner_references=[owner_reference(profile, KINDS.of(Profile))],
        ),
        type="Opaque",
        data={name: b64encode(value.encode()).decode() for name, value in values.items()},
    )


async def provide(make: Callable[[], str], profile: Profile, observed: Observed, api: Api) -> None:
    """Create the Secret in the profile's own namespace, if there is none of this name."""
    name = profile.metadata.name
    namespace = observed.one(Namespace, name)
    if is_deleting(profile) or namespace is None or is_deleting(namespace):
        return
    owner = namespace.metadata.controller
    if owner is None or owner.uid != profile.metadata.uid:  # a namespace that was there before the profile
        return
    if observed.one(GENERATED, ARTIFACT_SECRET, name) is None:
        with suppress(AlreadyExists):  # a Secret of the user's, or the cache is behind
            await api.create(secret(profile, make()))


def profile_of(namespace: Namespace) -> Key:
    return Key("", namespace.metadata.name)


CONTROLLER = Acting(
    "pipeline-profile-keys",
    Profile,
    partial(provide, partial(token_hex, SECRET_KEY_BYTES)),
    owns=[GENERATED],
    watches=[(Namespace, profile_of)],
)
