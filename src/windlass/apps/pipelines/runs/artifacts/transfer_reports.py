"""Reports of pods that copy artifacts themselves: what they have published, or why they could not."""

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.transfer_containers import PUBLISH
from windlass.apps.pipelines.artifacts.transfer_plan import TransferReport
from windlass.kube.json import dig

MAX_REPORT = 64 << 20


async def read_report(store: RemoteStore, namespace: str, uri: str) -> TransferReport:
    """Raises StoreError, also where there is no report."""
    content = await store.open(namespace, uri)
    if content is None:
        raise StoreError(f"The outputs were not published: there is no {uri}")
    try:
        return msgspec.json.decode(await content.read(MAX_REPORT), type=TransferReport)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        raise StoreError(f"Cannot read {uri}: {error}") from error
    finally:
        content.close()


def publishing_failure(pod: Pod | None) -> str:
    """What the sidecar of a pod said when it failed; empty if it did not."""
    for status in pod.status.init_container_statuses if pod is not None else ():
        for state in (status.state, status.last_state):
            if status.name == PUBLISH and dig(state, "terminated", "exitCode"):
                detail = str(dig(state, "terminated", "message") or "").strip()
                return detail or "The outputs could not be published: the container publish-artifacts failed"
    return ""
