"""Where the artifacts of a run go: what the run says, its pipeline, or the namespace's `kfp-launcher`."""

from windlass.pipelines.artifacts.store_settings import LauncherConfig
from windlass.pipelines.model import Run


def pipeline_root(run: Run, launcher: LauncherConfig) -> str:
    """The root, without a slash at its end; empty if none of them names one."""
    own = run.pipeline_root or run.spec.get("defaultPipelineRoot")
    root = own if isinstance(own, str) and own else launcher.default_root
    return root.rstrip("/")
