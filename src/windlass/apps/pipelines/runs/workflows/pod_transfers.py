"""Workflows on a cluster: their pods have a volume of their own instead of the claim, and copy artifacts themselves.

Artifacts are at `minio://mlpipeline/<key>`, as Kubeflow has them, so the namespace's `kfp-launcher` needs an endpoint
for the provider minio.
"""

from collections.abc import Mapping
from posixpath import dirname

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.argo.observation import InputAnswer, InputLookup, OutputsRequest, PodOutputs, PodPlaces
from windlass.apps.pipelines.argo.pods.pod_manifest import BUCKET, STATE_ROOT, VOLUME
from windlass.apps.pipelines.argo.pods.wrapper import ARTIFACTS, KEY_FOLDERS, PARAMETERS_FOLDER, RESULT_FILE
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
from windlass.apps.pipelines.artifacts.transfer_containers import PUBLISH_SECONDS, TransferSettings
from windlass.apps.pipelines.artifacts.transfer_plan import InputArtifact, TransferPlan
from windlass.apps.pipelines.names import MAIN, REPORT_ANNOTATION, RETRIES_ANNOTATION
from windlass.apps.pipelines.runs.artifacts.transfer_reports import publishing_failure, read_report
from windlass.kube.json import Object, dig, dig_list, dig_object

STORE = f"minio://{BUCKET}"
NO_PLACES = PodPlaces()
NO_REPORT = "the pod was made for the artifact claim of an embedded Windlass"


class WorkflowTransfers:
    """Changes pods before they are created, and reads what they report."""

    def __init__(self, settings: StoreSettings, store: RemoteStore, image: str) -> None:
        """`image` is that of Windlass."""
        self._settings, self._store, self._image = settings, store, image

    async def prepare(self, pod: Object, files: Mapping[str, str], places: PodPlaces) -> Object:
        """The pod for a cluster; `files` are those of the claim that it needs. Raises ValueError and ApiError."""
        namespace = str(dig(pod, "metadata", "namespace"))
        providers = (await self._settings.refresh(namespace)).providers
        return with_transfers(pod, files, TransferSettings(image=self._image, providers=providers), places)

    async def find_input(self, namespace: str, lookup: InputLookup) -> InputAnswer:
        """Look for an optional artifact; the pod fails if it cannot fetch another."""
        if not lookup.is_optional:
            return InputAnswer()
        try:
            return InputAnswer(exists=await self._store.exists(namespace, lookup.uri))
        except StoreError as error:
            return InputAnswer(error=str(error))

    async def read(self, namespace: str, pod: Pod | None, request: OutputsRequest) -> PodOutputs:
        if not (request.parameters or request.artifacts or request.published or request.has_result):
            return PodOutputs()
        uri = pod.metadata.annotations.get(REPORT_ANNOTATION, "") if pod is not None else ""
        if not uri:
            return PodOutputs(error=NO_REPORT)
        try:
            report = await read_report(self._store, namespace, uri)
        except StoreError as error:
            return PodOutputs(error=publishing_failure(pod) or str(error))
        for name in request.parameters:
            if name in report.problems:
                return PodOutputs(error=f"the output parameter {name} {report.problems[name]}")
        published = set(report.published)
        return PodOutputs(
            parameters={name: report.parameters.get(name) for name in request.parameters},
            artifacts={
                **{name: uri in published for name, uri in request.artifacts.items()},
                **{name: made.place.uri in published for name, made in request.published.items()},
            },
            result=report.result if request.has_result else None,
        )


def with_transfers(
    pod: Object, files: Mapping[str, str], settings: TransferSettings, places: PodPlaces = NO_PLACES
) -> Object:
    """The pod with containers that copy its artifacts, in place of the claim. Raises ValueError."""
    metadata, spec = dig_object(pod, "metadata"), dig_object(pod, "spec")
    name, report = str(metadata["name"]), _report_uri(metadata)
    settings.check([report])
    main = next((container for container in dig_list(spec, "containers") if container.get("name") == MAIN), None)
    if main is None:
        raise ValueError(f"podSpecPatch: it removes the container {MAIN}, whose artifacts would be copied")
    mounts = {str(mount["mountPath"]): str(mount.get("subPath", "")) for mount in _claim_mounts(main)}
    outputs = {
        _uri(path) for place, path in mounts.items() if place == f"{ARTIFACTS}/outputs" or dirname(place) == KEY_FOLDERS
    }
    plan = TransferPlan(
        namespace=str(metadata["namespace"]),
        providers=settings.providers,
        inputs=[
            InputArtifact(uri=_uri(path), must_exist=True)
            for place, path in mounts.items()
            if place.startswith(f"{ARTIFACTS}/inputs/")
        ],
        placed_inputs=list(places.inputs),
        placed_outputs=list(places.outputs),
        texts=dict(files),
        folders=sorted(outputs),
        parameters=f"{STATE_ROOT}/{name}/{PARAMETERS_FOLDER}",
        result=f"{STATE_ROOT}/{name}/{RESULT_FILE}",
        report=report,
    )
    security = {**dig_object(spec, "securityContext"), **dig_object(main, "securityContext")}
    made = settings.containers(plan, VOLUME, security, publishes=True)
    volumes = [volume for volume in dig_list(spec, "volumes") if volume.get("name") != VOLUME]
    grace = spec.get("terminationGracePeriodSeconds")
    changed: Object = {
        **spec,
        # The user's init containers may read inputs, and sidecars end in reverse order: the outputs are published last.
        "initContainers": [*made.init_containers, *dig_list(spec, "initContainers")],
        "volumes": [*volumes, {"name": VOLUME, "emptyDir": {}}, *made.volumes],
        "terminationGracePeriodSeconds": max(grace if isinstance(grace, int) else 0, PUBLISH_SECONDS),
    }
    annotations = {**dig_object(metadata, "annotations"), REPORT_ANNOTATION: report}
    return {**pod, "metadata": {**metadata, "annotations": annotations}, "spec": changed}


def _claim_mounts(container: Object) -> list[Object]:
    return [mount for mount in dig_list(container, "volumeMounts") if mount.get("name") == VOLUME]


def _uri(path: str) -> str:
    """The URI of a path in the claim."""
    return f"minio://{path.removeprefix('minio/')}"


def _report_uri(metadata: Object) -> str:
    """The names of pods return when a Workflow of the same name is created again, and when it is retried."""
    owners = dig_list(metadata, "ownerReferences")
    owner = str(owners[0]["uid"]) if owners else "none"
    retries = str(dig(metadata, "annotations", RETRIES_ANNOTATION) or "0")
    return f"{STORE}/.windlass/{owner}/{metadata['name']}-{retries}.json"
