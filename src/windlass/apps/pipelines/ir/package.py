"""Reads what a user uploads: a pipeline in IR with its platform document, or an Argo Workflow."""

from dataclasses import dataclass, field
from typing import Any

from windlass.apps.pipelines.ir.check import check_pipeline
from windlass.apps.pipelines.ir.errors import InvalidPipeline
from windlass.formats import yaml_reader
from windlass.kube.json import Object, dig, is_object

UNKNOWN_FORMAT = "unknown template format: the text is neither a pipeline specification nor an Argo Workflow"


@dataclass(frozen=True, kw_only=True)
class Package:
    """A pipeline as uploaded. Either `workflow` is set, or `pipeline_spec`."""

    pipeline_spec: Object = field(default_factory=dict[str, Any])
    platform_spec: Object = field(default_factory=dict[str, Any])
    """The document with `platforms:`; empty without one."""
    workflow: Object | None = None

    @property
    def name(self) -> str:
        """The name in the specification."""
        if self.workflow is not None:
            metadata = self.workflow.get("metadata")
            return str(dig(metadata, "name") or dig(metadata, "generateName") or "").rstrip("-")
        return str(dig(self.pipeline_spec, "pipelineInfo", "name") or "")


def read_package(text: str | bytes) -> Package:
    """Read and check an uploaded text, in YAML or JSON. Raises InvalidPipeline."""
    documents = [document for document in _documents(text) if document is not None]
    return _package(documents)


def inline_package(document: Object) -> Package:
    """Read and check the `pipeline_spec` of a request: IR, a Workflow, or both documents under their names."""
    spec = document.get("pipeline_spec", document.get("pipelineSpec"))
    if not is_object(spec):
        return _package([document])
    platform = document.get("platform_spec", document.get("platformSpec"))
    return _package([spec, platform] if platform else [spec])


def _package(documents: list[Any]) -> Package:
    specs: list[Object] = []
    platforms: list[Object] = []
    for document in documents:
        if not is_object(document):
            raise InvalidPipeline(UNKNOWN_FORMAT)
        if _is_workflow(document):
            if len(documents) > 1:
                raise InvalidPipeline("an Argo Workflow must be the only document")
            return Package(workflow=document)
        if dig(document, "pipelineInfo", "name") and is_object(document.get("root")):
            specs.append(document)
        elif "platforms" in document:
            platforms.append(document)
        else:
            raise InvalidPipeline(UNKNOWN_FORMAT)
    if not specs:
        raise InvalidPipeline(UNKNOWN_FORMAT)
    if len(specs) > 1 or len(platforms) > 1:
        raise InvalidPipeline("at most one pipeline specification and one platform document are allowed")
    platform = platforms[0] if platforms else {}
    check_pipeline(specs[0], platform)
    return Package(pipeline_spec=specs[0], platform_spec=platform)


def _is_workflow(document: Object) -> bool:
    return str(document.get("apiVersion", "")).startswith("argoproj.io/") and document.get("kind") == "Workflow"


def _documents(text: str | bytes) -> list[Any]:
    try:
        return yaml_reader.as_json(yaml_reader.read_all(text))
    except yaml_reader.BadYaml as error:
        raise InvalidPipeline(f"the text is not YAML: {' '.join(str(error).split())}") from error
