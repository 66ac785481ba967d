"""Waits for the service account `default` of a new namespace, which a controller creates, before creating a pod.

Without it the success of `kubectl create namespace x && kubectl run …` would depend on timing. Kubernetes waits about
as long.
"""

import asyncio

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.kube.json import Object, dig

_TRIES, _PAUSE = 30, 0.05
_NAME = "default"


def lacks_default_account(api: Api, call: Call, obj: Object) -> bool:
    """Whether the object is a pod with the service account `default`, which does not exist yet."""
    if call.resource.store_key != "/pods":
        return False
    return api.store.newest(("/serviceaccounts", call.path.namespace, _NAME)) is None and _expects_default(obj)


async def await_default_account(api: Api, namespace: str) -> None:
    """Wait until the account exists or cannot be expected; admission decides either way."""
    for _ in range(_TRIES):
        row = api.read("/namespaces", "", namespace)
        if row is None or row["metadata"].get("deletionTimestamp"):
            return
        await asyncio.sleep(_PAUSE)
        if api.store.newest(("/serviceaccounts", namespace, _NAME)) is not None:
            return


def _expects_default(pod: Object) -> bool:
    return (dig(pod, "spec", "serviceAccountName") or dig(pod, "spec", "serviceAccount") or _NAME) == _NAME
