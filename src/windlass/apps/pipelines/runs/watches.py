"""Which Workflows each of the controllers sees."""

from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.names import IR_LABEL, RUN_ID_LABEL
from windlass.kube.kind import KINDS
from windlass.kube.view import metadata_only, untyped

CHILDREN = metadata_only(Workflow)
"""Those of a CronWorkflow."""
_ALL = untyped(KINDS.of(Workflow))
IR_WORKFLOWS = _ALL.narrowed(labels=f"{IR_LABEL}=true")
"""Those of runs in IR."""
ARGO_WORKFLOWS = _ALL.narrowed(labels=f"{IR_LABEL}!=true")
"""Those that are advanced by Argo's rules: all others."""
V1_WORKFLOWS = _ALL.narrowed(labels=f"{RUN_ID_LABEL},!{IR_LABEL}")
"""Those of runs of v1 pipelines, which are recorded."""
