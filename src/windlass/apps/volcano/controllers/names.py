"""Names that Volcano's controllers share: who they are, and the marks that they leave on objects."""

from windlass.apis.core_v1 import Pod
from windlass.apis.scheduling_volcano_v1beta1 import VOLCANO_SCHEDULER, PodGroup, Queue
from windlass.apps.volcano.kinds.bus import Command
from windlass.kube.kind import KINDS

COMPONENT = "vc-controller-manager"
"""Who all their events come from."""

COMMAND, POD, POD_GROUP, QUEUE = KINDS.of(Command), KINDS.of(Pod), KINDS.of(PodGroup), KINDS.of(Queue)

SCHEDULER = VOLCANO_SCHEDULER
DEFAULT_QUEUE, ROOT_QUEUE = "default", "root"
OPEN, CLOSING, CLOSED = "Open", "Closing", "Closed"
OPEN_QUEUE, CLOSE_QUEUE = "OpenQueue", "CloseQueue"
CLOSED_BY_PARENT = "volcano.sh/closed-by-parent"

GROUP_MIN_MEMBER = "scheduling.volcano.sh/group-min-member"
INHERITED = "volcano.sh/"
"""Annotations that begin so go from a pod and its owner to their group."""
