"""Where the artifacts of a run go: what the run says, its pipeline, or the namespace's `kfp-launcher`."""

from windlass.apps.pipelines.artifacts.stores.providers import parse_providers
from windlass.apps.pipelines.artifacts.stores.store_settings import LauncherConfig
from windlass.apps.pipelines.artifacts.uris import claim_path, split_uri
from windlass.apps.pipelines.model import Run


def pipeline_root(run: Run, launcher: LauncherConfig) -> str:
    """The root, without a slash at its end; empty if none of them names one.

    Kubeflow ignores the root in a pipeline specification, and compiled pipelines often have one that was never meant
    to exist (`dummy_root`, a bucket of their author). It counts only where artifacts can be written to it.
    """
    declared = run.spec.get("defaultPipelineRoot")
    of_pipeline = declared.rstrip("/") if isinstance(declared, str) else ""
    root = run.pipeline_root or (of_pipeline if _is_set_up(of_pipeline, launcher) else "") or launcher.default_root
    return root.rstrip("/")


def _is_set_up(root: str, launcher: LauncherConfig) -> bool:
    """Whether the root is in the claim, says itself how its store is reached, or has a provider in `kfp-launcher`."""
    scheme, _, query = split_uri(root)
    if claim_path(root) is None:
        return False
    if scheme == "minio" or query:
        return True
    try:
        return parse_providers(launcher.providers).get(scheme) is not None
    except ValueError:
        return True  # the first transfer fails, and says what is wrong with the providers
