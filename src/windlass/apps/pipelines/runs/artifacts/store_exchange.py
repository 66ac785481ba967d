"""Artifacts on a cluster: in object stores. Containers of the pods copy them; this process reads their reports."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.artifacts.stores.remote_store import RemoteStore, StoreError
from windlass.apps.pipelines.artifacts.stores.store_settings import StoreSettings
from windlass.apps.pipelines.artifacts.transfer_containers import TransferSettings, no_store
from windlass.apps.pipelines.artifacts.transfer_plan import TransferReport
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.apps.pipelines.executor.context import TaskContext
from windlass.apps.pipelines.executor.storage import ClusterStorage, Storage, has_outputs, report_uri
from windlass.apps.pipelines.executor.task_outputs import ContainerOutputs, collect
from windlass.apps.pipelines.model import Artifact, Run
from windlass.apps.pipelines.names import LAUNCHER_CONFIG_MAP
from windlass.apps.pipelines.runs.artifacts.container_outputs import declared_parameters, decoded_output
from windlass.apps.pipelines.runs.artifacts.exchange import BadOutputs, TransferFailed
from windlass.apps.pipelines.runs.artifacts.pipeline_roots import pipeline_root
from windlass.apps.pipelines.runs.artifacts.remote_artifacts import NO_WORKSPACE
from windlass.apps.pipelines.runs.artifacts.transfer_reports import publishing_failure, read_report
from windlass.apps.pipelines.runs.artifacts.transfers import Transfers
from windlass.kube.json import dig_object
from windlass.kube.meta import Key

NO_ROOT = (
    "no object store is set up for artifacts: set defaultPipelineRoot in the ConfigMap "
    f"{LAUNCHER_CONFIG_MAP} of the namespace, or WINDLASS_PIPELINES_ROOT of the manager "
    "(windlass manifests --pipelines-root)"
)


class StoreExchange:
    """An `ArtifactExchange`."""

    def __init__(
        self, settings: StoreSettings, store: RemoteStore, image: str, root: str, wake: Callable[[Key], None]
    ) -> None:
        """`image` is that of Windlass, `root` the pipeline root of namespaces that have none."""
        self._settings, self._store, self._image, self._root = settings, store, image, root
        self._transfers = Transfers(wake)
        self._reports: dict[str, TransferReport] = {}
        """Reports that were read and not yet used, by their URI."""
        self._missing: set[str] = set()
        """URIs of artifacts without content that are about to be recorded."""

    @property
    def fills_workspaces(self) -> bool:
        return False  # the pods that read imports fetch them

    async def prepare(self, run: Run) -> str:
        root = pipeline_root(run, await self._settings.refresh(run.namespace)) or self._root.rstrip("/")
        if not root:
            raise ValueError(NO_ROOT)
        if not await self._store.is_remote(run.namespace, root):
            raise ValueError(no_store(root))
        return root

    def storage(self, namespace: str) -> Storage:
        providers = self._settings.known(namespace).providers
        return ClusterStorage(TransferSettings(image=self._image, providers=providers))

    async def are_inputs_ready(self, context: TaskContext) -> bool:
        return True  # the pod fetches them

    async def forget_attempt(self, context: TaskContext) -> None:
        return  # each pod has a volume of its own

    async def outputs(self, context: TaskContext, pod: Pod | None) -> ContainerOutputs | None:
        if not has_outputs(context):
            return ContainerOutputs()
        run, uri = context.run, report_uri(context)
        try:
            name = f"outputs of {context.task.task_id}, attempt {context.task.attempt}"
            if not self._transfers.is_done(
                Key(run.namespace, run.resource_name), name, lambda: self._read(run.namespace, uri)
            ):
                return None
        except StoreError as error:
            raise TransferFailed(publishing_failure(pod) or str(error)) from error
        return self._container_outputs(context, self._reports.pop(uri, TransferReport()))

    async def _read(self, namespace: str, uri: str) -> None:
        self._reports[uri] = await read_report(self._store, namespace, uri)

    def _container_outputs(self, context: TaskContext, report: TransferReport) -> ContainerOutputs:
        for name in declared_parameters(context):
            if name in report.problems:
                raise BadOutputs(f"The output parameter {name} {report.problems[name]}")
        content = report.executor_output
        executor_output = decoded_output(content.encode() if content is not None else None)
        raw = ContainerOutputs(executor_output=executor_output, parameters=report.parameters)
        self._missing |= _uris(context, raw) - set(report.published)
        return raw

    async def with_content(self, artifacts: Sequence[Artifact]) -> list[Artifact]:
        checked = [replace(one, has_content=False) if one.uri in self._missing else one for one in artifacts]
        self._missing -= {one.uri for one in artifacts}
        return checked

    async def exists(self, artifact: Artifact) -> bool:
        if claim_path(artifact.uri) is None or not artifact.has_content:
            return True
        try:
            return await self._store.exists(artifact.namespace, artifact.uri)
        except StoreError:
            return False

    async def is_in_workspace(self, run: Run, task_id: str, uri: str) -> bool:
        """The pods that read the artifact fetch it into the workspace."""
        if "workspace" not in dig_object(run.platform_spec, "platforms", "kubernetes", "pipelineConfig"):
            raise ValueError(NO_WORKSPACE)
        if claim_path(uri) is None or not await self._store.is_remote(run.namespace, uri):
            raise ValueError(no_store(uri))
        return True

    async def clean_up(self, namespace: str, folder: str) -> None:
        return  # the volumes of pods go with them

    def forget(self, key: Key) -> None:
        self._transfers.forget(key)

    async def close(self) -> None:
        self._transfers.close()
        await self._store.close()


def _uris(context: TaskContext, raw: ContainerOutputs) -> set[str]:
    """URIs of the task's output artifacts."""
    try:
        collected = collect(context, raw).artifacts
    except ValueError:
        return set()  # the engine finds the same, and fails the task
    return {artifact.uri for artifacts in collected.values() for artifact in artifacts}
