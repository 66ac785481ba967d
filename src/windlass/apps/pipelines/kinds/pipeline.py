"""pipelines.kubeflow.org/v2beta1: Pipelines and their versions as Kubernetes objects."""

from windlass.apis.fields import Foreign
from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.kube.kind import kind
from windlass.kube.meta import Condition, Object, Struct, field


class PipelineSpec(Struct):
    display_name: str = ""
    description: str = ""
    tags: dict[str, str] = {}


class PipelineStatus(Struct):
    """Observed state, written by the controller."""

    conditions: list[Condition] = []


@kind(f"{PIPELINES_GROUP}/v2beta1", plural="pipelines")
class Pipeline(Object):
    """A named pipeline; its definition is in its versions."""

    spec: PipelineSpec = PipelineSpec()
    status: PipelineStatus = PipelineStatus()


class PipelineVersionSpec(Struct):
    """The definition of a pipeline. It never changes."""

    pipeline_name: str = ""
    version_name: str = ""
    display_name: str = ""
    description: str = ""
    code_source_url: str = field(name="codeSourceURL", default="")
    pipeline_spec: Foreign = {}
    platform_spec: Foreign = {}
    tags: dict[str, str] = {}


@kind(f"{PIPELINES_GROUP}/v2beta1", plural="pipelineversions")
class PipelineVersion(Object):
    """One version of a pipeline."""

    spec: PipelineVersionSpec = PipelineVersionSpec()
    status: PipelineStatus = PipelineStatus()
