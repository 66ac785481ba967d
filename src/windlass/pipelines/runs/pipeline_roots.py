"""Where the artifacts of a run go: what the run says, its pipeline, the namespace's `kfp-launcher`, or the default."""

from windlass.apis.pipelines.names import DEFAULT_PIPELINE_ROOT
from windlass.pipelines.artifacts.store_settings import LauncherConfig
from windlass.pipelines.model import Run


def pipeline_root(run: Run, launcher: LauncherConfig) -> str:
    own = run.pipeline_root or run.spec.get("defaultPipelineRoot")
    root = own if isinstance(own, str) and own else launcher.default_root or DEFAULT_PIPELINE_ROOT
    return root.rstrip("/")
