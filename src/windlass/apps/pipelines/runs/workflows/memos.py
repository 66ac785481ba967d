"""Keeps the outputs of memoized nodes in ConfigMaps, with the permissions of the Workflow's service account."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from windlass.apis.core_v1 import ConfigMap
from windlass.apps.pipelines.argo.config_maps import TYPE_LABEL
from windlass.apps.pipelines.argo.execution.memoizing import CACHE_TYPE
from windlass.apps.pipelines.argo.execution.turn import Memo
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.view import untyped

if TYPE_CHECKING:
    from windlass.kube.client import Client

CONFIG_MAP = KINDS.of(ConfigMap)
CONFIG_MAPS = untyped(CONFIG_MAP)
REFUSALS = (errors.BadRequest, errors.Conflict, errors.Forbidden, errors.Invalid, errors.NotFound, errors.TooLarge)


async def keep_memos(api: Api, workflow: Object, memos: Sequence[Memo]) -> list[str]:
    """Keep outputs for later Workflows; why others cannot be kept. Those are only made again."""
    namespace, account = str(workflow["metadata"]["namespace"]), str(dig(workflow, "spec", "serviceAccountName") or "")
    results = [(memo, await keep_memo(api, memo, namespace, account)) for memo in memos]
    return [f"the ConfigMap {memo.config_map}: {problem}" for memo, problem in results if problem]


async def keep_memo(api: Api, memo: Memo, namespace: str, account: str) -> str:
    """Write an entry, unless the ConfigMap is none for caches. Returns why it was not written, else an empty text."""
    client = cast("Client", api).impersonating(f"system:serviceaccount:{namespace}:{account or 'default'}")
    manifest: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": memo.config_map, "namespace": namespace, "labels": {TYPE_LABEL: CACHE_TYPE}},
        "data": {memo.key: memo.value},
    }
    try:
        try:
            await client.create(manifest, kind=CONFIG_MAP)
        except errors.AlreadyExists:
            present = await client.get(CONFIG_MAPS, memo.config_map, namespace)
            if dig(present, "metadata", "labels", TYPE_LABEL) == CACHE_TYPE:
                await client.patch(CONFIG_MAP, Key(namespace, memo.config_map), {"data": {memo.key: memo.value}})
    except REFUSALS as error:
        return error.message
    return ""
