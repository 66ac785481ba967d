"""A pod in a new namespace waits a moment for the service account `default`, which a controller makes there.

Without it `kubectl create namespace x && kubectl run …` would fail or not by luck. Kubernetes waits about as long.
"""

import asyncio

from windlass.apiserver.api import Api
from windlass.kube.json import Object, dig

_TRIES, _PAUSE = 30, 0.05
_NAME = "default"


async def await_default_account(api: Api, namespace: str, pod: Object) -> None:
    """Return when the account is there, or when there is nothing to wait for; admission decides either way."""
    if api.store.newest(("/serviceaccounts", namespace, _NAME)) is not None or not _expects_default(pod):
        return
    for _ in range(_TRIES):
        row = api.read("/namespaces", "", namespace)
        if row is None or row["metadata"].get("deletionTimestamp"):
            return
        await asyncio.sleep(_PAUSE)
        if api.store.newest(("/serviceaccounts", namespace, _NAME)) is not None:
            return


def _expects_default(pod: Object) -> bool:
    return (dig(pod, "spec", "serviceAccountName") or dig(pod, "spec", "serviceAccount") or _NAME) == _NAME
