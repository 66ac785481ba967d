"""scheduling.x-k8s.io/v1alpha1: the PodGroup of the coscheduling plugin of scheduler-plugins."""

from typing import Annotated, Literal

from windlass.apis.fields import Count, Int32, Moment, ResourceList
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct

GROUP_VERSION = "scheduling.x-k8s.io/v1alpha1"
LABEL = "scheduling.x-k8s.io/pod-group"
"""The pod label with the name of its PodGroup."""


class PodGroupSpec(Struct):
    min_member: Annotated[int, Meta(ge=1, extra_json_schema={"format": "int32"})] | None = None
    min_resources: ResourceList | None = None
    schedule_timeout_seconds: Int32 | None = None


class PodGroupStatus(Struct):
    phase: (
        Literal["Pending", "PreScheduling", "Scheduling", "Scheduled", "Running", "Unknown", "Finished", "Failed"]
        | None
    ) = None
    occupied_by: str = ""
    scheduled: Count = 0
    running: Count = 0
    succeeded: Count = 0
    failed: Count = 0
    schedule_start_time: Moment | None = None


@kind(
    GROUP_VERSION,
    plural="podgroups",
    short=("pg", "pgs"),
    columns=(
        Column("Phase", ".status.phase"),
        Column("MinMember", ".spec.minMember", "integer"),
        Column("Running", ".status.running", "integer"),
        Column("Succeeded", ".status.succeeded", "integer"),
        Column("Failed", ".status.failed", "integer"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class PodGroup(Object):
    """Group of pods that start together or not at all."""

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()
