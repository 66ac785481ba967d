"""A pod of a job: its template with the job's marks, its claims, and what the plugins add."""

from copy import deepcopy

from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION, TASK_SPEC_ANNOTATION
from windlass.apps.volcano import names
from windlass.apps.volcano.controllers.job import plugins
from windlass.apps.volcano.controllers.job.children import job_volumes
from windlass.apps.volcano.controllers.job.tasks import Task, group_name, pod_name
from windlass.apps.volcano.controllers.names import SCHEDULER
from windlass.apps.volcano.kinds.batch import Job
from windlass.kube.json import Object, dig_object


def pod(job: Job, task: Task, index: int) -> Object:
    """`PluginFault` where a plugin cannot do its work for this job."""
    written = dig_object(task.template, "metadata")
    spec: Object = deepcopy(dig_object(task.template, "spec"))
    spec["schedulerName"] = spec.get("schedulerName") or job.spec.scheduler_name or SCHEDULER
    metadata: Object = {
        "name": pod_name(job, task.name, index),
        "namespace": job.metadata.namespace,
        "labels": {**dig_object(written, "labels"), **_labels(job, task, index)},
        "annotations": {**dig_object(written, "annotations"), **_annotations(job, task, index)},
    }
    if written.get("finalizers"):
        metadata["finalizers"] = written["finalizers"]
    made: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    job_volumes.mount(job, spec)
    plugins.shape(job, task, index, made)
    return made


def _labels(job: Job, task: Task, index: int) -> dict[str, str]:
    copied = {key: value for key, value in job.metadata.labels.items() if key in names.COPIED_LABELS}
    labels = {
        **copied,
        names.JOB_NAME: job.metadata.name,
        names.JOB_NAMESPACE: job.metadata.namespace,
        TASK_SPEC_ANNOTATION: task.name,
        names.TASK_INDEX: str(index),
        names.QUEUE_NAME: job.spec.queue,
    }
    partition = task.partition(index)
    return labels | ({names.PARTITION: partition} if partition else {})


def _annotations(job: Job, task: Task, index: int) -> dict[str, str]:
    copied = {key: value for key, value in job.metadata.annotations.items() if key in names.COPIED_ANNOTATIONS}
    annotations = {
        **copied,
        names.TASK_INDEX: str(index),
        TASK_SPEC_ANNOTATION: task.name,
        POD_GROUP_NAME_ANNOTATION: group_name(job),
        names.JOB_NAME: job.metadata.name,
        names.QUEUE_NAME: job.spec.queue,
        names.JOB_VERSION: str(job.status.version),
        names.JOB_RETRY_COUNT: str(job.status.retry_count),
        names.TEMPLATE_UID: f"{job.metadata.name}-{task.name}",
    }
    return annotations | ({names.NUMA_POLICY: task.topology_policy} if task.topology_policy else {})
