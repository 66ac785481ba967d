"""Which pods, PodGroup and batch Jobs belong to which job. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from windlass.apps.jobset.names import JOBSET_NAME
from windlass.apps.training.job import JOB_NAME
from windlass.apps.training.jobs.state import train_job
from windlass.apps.training.jobs.state.job_state import CHAINER_NAME
from windlass.apps.training.jobs.state.lookup import VOLCANO
from windlass.apps.volcano.names import JOB_NAME as VOLCANO_JOB
from windlass.gateway.views.reading import labels_of, name_of, namespace_of, text
from windlass.kube.json import Json, Object, dig, dig_list

Owner = tuple[str, str, str]
"""Which label names the job, its namespace, its name."""


def is_volcano(job: Json) -> bool:
    return text(dig(job, "apiVersion")).startswith(VOLCANO.group)


def label_of(job: Json) -> str:
    """The label by which a job's pods name it."""
    if is_volcano(job):
        return VOLCANO_JOB
    kind = text(dig(job, "kind"))
    if kind == train_job.KIND:
        return JOBSET_NAME
    return CHAINER_NAME if kind == "ChainerJob" else JOB_NAME


@dataclass(frozen=True)
class Belongings:
    """Pods, groups and batch Jobs by the job that they belong to."""

    pods: Mapping[Owner, Sequence[Object]] = field(default_factory=dict[Owner, Sequence[Object]])
    groups: Mapping[str, Object] = field(default_factory=dict[str, Object])
    """By the uid of their owner."""
    named_groups: Mapping[tuple[str, str], Object] = field(default_factory=dict[tuple[str, str], Object])
    batch_jobs: Mapping[tuple[str, str], Sequence[Object]] = field(
        default_factory=dict[tuple[str, str], Sequence[Object]]
    )

    def pods_of(self, job: Object) -> Sequence[Object]:
        return self.pods.get((label_of(job), namespace_of(job), name_of(job)), ())

    def group_of(self, job: Object) -> Object | None:
        """The PodGroup that the job owns, else the one of its name."""
        owned = self.groups.get(text(dig(job, "metadata", "uid")))
        return owned if owned is not None else self.named_groups.get((namespace_of(job), name_of(job)))

    def batch_jobs_of(self, job: Object) -> Sequence[Object]:
        return self.batch_jobs.get((namespace_of(job), name_of(job)), ()) if train_job.is_train_job(job) else ()


def belongings(pods: Iterable[Object], groups: Iterable[Object], batch_jobs: Iterable[Object]) -> Belongings:
    by_owner: defaultdict[Owner, list[Object]] = defaultdict(list)
    for pod in pods:
        labels = labels_of(pod)
        for label in (JOB_NAME, JOBSET_NAME, VOLCANO_JOB, CHAINER_NAME):
            if label in labels:
                by_owner[label, namespace_of(pod), text(labels[label])].append(pod)
    steps: defaultdict[tuple[str, str], list[Object]] = defaultdict(list)
    for job in batch_jobs:
        if name := text(labels_of(job).get(JOBSET_NAME)):
            steps[namespace_of(job), name].append(job)
    owned: dict[str, Object] = {}
    named: dict[tuple[str, str], Object] = {}
    for group in groups:
        named[namespace_of(group), name_of(group)] = group
        for owner in dig_list(group, "metadata", "ownerReferences"):
            owned[text(dig(owner, "uid"))] = group
    return Belongings(by_owner, owned, named, steps)
