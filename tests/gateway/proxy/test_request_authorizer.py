"""Which rights open a route for reading."""

from typing import Any

import msgspec

from windlass.apis.access import Access
from windlass.apps.volumes.admission import default_pod_spec
from windlass.apps.volumes.kinds import PVCViewer
from windlass.gateway.proxy.entrances.lookup import needed_access
from windlass.gateway.proxy.request_authorizer import reading_accesses
from windlass.kube.cache import Store

ENTER = Access("update", "kubeflow.org", "pvcviewers", "ml", "files")


def a_store(*viewers: PVCViewer) -> Store[PVCViewer]:
    store: Store[PVCViewer] = Store()
    for viewer in viewers:
        store.put(viewer)
    return store


def a_viewer() -> PVCViewer:
    body: Any = {"metadata": {"name": "files", "namespace": "ml"}}
    return msgspec.convert({**body, "spec": {"pvc": "data", "podSpec": default_pod_spec("data")}}, PVCViewer)


def test_file_browser_opens_for_readers_of_the_viewer_and_its_claim() -> None:
    assert reading_accesses(ENTER, {"pvcviewers": a_store(a_viewer())}) == (
        Access("get", "kubeflow.org", "pvcviewers", "ml", "files"),
        Access("get", "", "persistentvolumeclaims", "ml", "data"),
    )


def test_other_routes_and_unknown_viewers_need_update() -> None:
    notebook = needed_access("/notebook/ml/files/")

    assert notebook is not None
    assert notebook.verb == "update"
    assert reading_accesses(notebook, {"pvcviewers": a_store(a_viewer())}) == ()
    assert reading_accesses(ENTER, {"pvcviewers": a_store()}) == ()
