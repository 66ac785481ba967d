"""The token between a notebook's server and the gateway: 256 random bits in a Secret, made once.

A server without a token would admit every process that reaches its port. Making one is no decision, so it is apart
from the reconcile, which starts no server before the Secret is there.
"""

from base64 import b64encode
from collections.abc import Callable
from functools import partial
from secrets import token_hex

from windlass.apis.core_v1 import Secret
from windlass.apis.kubeflow_v1 import Notebook
from windlass.apis.notebooks.names import NOTEBOOK_LABEL, TOKEN_KEY, TOKEN_VARIABLE, token_secret_name
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.kube.controller import Acted, Acting, Api, Observed
from windlass.kube.errors import AlreadyExists
from windlass.kube.json import dig_list
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta, PartialObjectMetadata
from windlass.kube.objects import is_deleting, owner_reference
from windlass.kube.plan import Event
from windlass.kube.view import View, metadata_only

TOKEN_BYTES = 32
TOKENS: View[PartialObjectMetadata] = metadata_only(Secret).narrowed(labels=NOTEBOOK_LABEL)
"""Secrets of notebooks, without what they hold."""


def needs_token(notebook: Notebook) -> bool:
    """Whether the server's token is Windlass' to make: not where the user has set one."""
    containers = dig_list(notebook.spec.template.spec, "containers")
    given = dig_list(containers[0], "env") if containers else []
    return all(variable.get("name") != TOKEN_VARIABLE for variable in given)


def secret(notebook: Notebook, token: str) -> Secret:
    name = notebook.metadata.name
    return Secret(
        metadata=ObjectMeta(
            name=token_secret_name(name),
            namespace=notebook.metadata.namespace,
            labels={NOTEBOOK_LABEL: name},
            owner_references=[owner_reference(notebook, KINDS.of(Notebook))],
        ),
        type="Opaque",
        data={TOKEN_KEY: b64encode(token.encode()).decode()},
        immutable=True,
    )


async def provide(make: Callable[[], str], notebook: Notebook, observed: Observed, api: Api) -> Acted | None:
    """Create the notebook's Secret if it needs one and has none."""
    name = token_secret_name(notebook.metadata.name)
    if is_deleting(notebook) or not needs_token(notebook) or observed.one(TOKENS, name) is not None:
        return None
    try:
        await api.create(secret(notebook, make()))
    except AlreadyExists:
        existing = await api.get(metadata_only(Secret), name, notebook.metadata.namespace)
        if existing.metadata.labels.get(NOTEBOOK_LABEL) == notebook.metadata.name:
            return None  # the cache is behind
        message = f"Secret {name} exists and is not of this Notebook: the server waits until it is deleted"
        return Acted(events=[Event(reason=NAME_CONFLICT, message=message, warning=True)])
    return None


CONTROLLER = Acting("notebook-tokens", Notebook, partial(provide, partial(token_hex, TOKEN_BYTES)), owns=[TOKENS])
