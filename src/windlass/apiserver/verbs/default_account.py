"""A pod in a new namespace waits a moment for the service account `default`, which a controller makes there.

Without it `kubectl create namespace x && kubectl run …` would fail or not by luck. Kubernetes waits about as long.
"""

import asyncio

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call
from windlass.kube.json import Object, dig

_TRIES, _PAUSE = 30, 0.05
_NAME = "default"


def lacks_default_account(api: Api, call: Call, obj: Object) -> bool:
    """Whether the object is a pod that is to run as the account `default`, which is not there."""
    if call.resource.store_key != "/pods":
        return False
    return api.store.newest(("/serviceaccounts", call.path.namespace, _NAME)) is None and _expects_default(obj)


async def await_default_account(api: Api, namespace: str) -> None:
    """Return when the account is there, or when there is nothing to wait for; admission decides either way."""
    for _ in range(_TRIES):
        row = api.read("/namespaces", "", namespace)
        if row is None or row["metadata"].get("deletionTimestamp"):
            return
        await asyncio.sleep(_PAUSE)
        if api.store.newest(("/serviceaccounts", namespace, _NAME)) is not None:
            return


def _expects_default(pod: Object) -> bool:
    return (dig(pod, "spec", "serviceAccountName") or dig(pod, "spec", "serviceAccount") or _NAME) == _NAME
