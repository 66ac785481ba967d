"""All that is known of a container task when its pod is built."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.apps.pipelines.model import Artifact, Run, Task

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TaskContext:
    run: Run
    task: Task
    component: Json
    """ComponentSpec: the declared inputs and outputs."""
    executor: Json
    """ExecutorSpec of the component's executorLabel, such as {"container": {…}}."""
    platform: Json
    """KubernetesExecutorConfig of the executorLabel; empty without one."""
    pipeline_config: Json
    """`platforms.kubernetes.pipelineConfig`, such as the workspace."""
    parameters: Mapping[str, Any]
    """Resolved inputs. An optional input without a value is absent, and the component's default is not yet applied."""
    artifacts: Mapping[str, Sequence[Artifact]]
    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Inputs that are constants of the specification, with placeholders that only the container can replace."""
    resolve: Callable[[Json], Any]
    """Resolve an input-parameter spec of the platform spec (`secretNameParameter` …) in the task's DAG.

    None where an optional value is missing. Raises ValueError with the reason."""
    pipeline_root: str = ""
    """Where the run's artifacts go, such as minio://mlpipeline/v2/artifacts."""
    parent_execution_id: str = ""
    retry_index: int = 0
    defaults: Json = field(default_factory=dict[str, Any])
    """Pod settings of the server: proxies, CA bundle, security context."""
