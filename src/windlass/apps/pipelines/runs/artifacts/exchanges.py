"""Which exchange of artifacts a manager uses: claims where it shares a disk with the node, object stores elsewhere."""

from collections.abc import Callable
from pathlib import Path

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders
from windlass.apps.pipelines.artifacts.stores.remote_store import NoFolders, RemoteStore
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.runs.artifacts.claim_exchange import ClaimExchange
from windlass.apps.pipelines.runs.artifacts.exchange import ArtifactExchange
from windlass.apps.pipelines.runs.artifacts.store_exchange import StoreExchange
from windlass.kube.api import Api
from windlass.kube.meta import Key


def artifact_exchange(api: Api, options: PipelineOptions, wake: Callable[[Key], None]) -> ArtifactExchange:
    """`wake` is called with the key of a run that has waited for a transfer of artifacts."""
    settings = StoreSettings(api, has_own_store=bool(options.volumes))
    if options.volumes:
        folders = ClaimFolders(api, Path(options.volumes))
        return ClaimExchange(settings, folders, wake, allow_local=options.allow_local_endpoints)
    store = remote_store(settings, options)
    return StoreExchange(settings, store, options.transfer_image, options.pipeline_root, wake)


def remote_store(settings: StoreSettings, options: PipelineOptions) -> RemoteStore:
    """The stores of a cluster, for a process that keeps no copies."""
    return RemoteStore(settings, NoFolders(), allow_local=options.allow_local_endpoints)
