"""The thin part of the webhooks of training jobs and JobSets: what a decision must know is asked for just before."""

from collections.abc import Mapping
from datetime import UTC, datetime

from windlass.apis.core_v1 import ConfigMap, PersistentVolumeClaim
from windlass.apis.jobset.admission import TemplateCheck
from windlass.apis.jobset_v1alpha2 import JobSet
from windlass.apis.trainer.admission import Known
from windlass.apis.trainer.snapshots import kept_runtime, snapshot_name
from windlass.apis.trainer.validation import NAMESPACED, reference, unsupported
from windlass.apis.trainer_v1alpha1 import ClusterTrainingRuntime, TrainingRuntime
from windlass.kube.api import Api
from windlass.kube.errors import NotFound
from windlass.kube.json import Json, Object, is_object
from windlass.kube.kind import KINDS
from windlass.kube.view import View, untyped
from windlass.webhooks.paths import ADMISSION
from windlass.webhooks.reviews import AskingHandler, answered, request_of
from windlass.webhooks.trainer_reviews import REVIEWS, Facts, Review, asked_claims

CONFIG_MAPS, CLAIMS, JOB_SETS, RUNTIMES, CLUSTER_RUNTIMES = (
    untyped(KINDS.of(struct))
    for struct in (ConfigMap, PersistentVolumeClaim, JobSet, TrainingRuntime, ClusterTrainingRuntime)
)


def trainer_handlers(api: Api, template: TemplateCheck) -> Mapping[str, AskingHandler]:
    """By path; `template` is the API server's own check of a Job's template."""
    return {review.path: _handler(review, api, template) for review in REVIEWS}


def _handler(review: Review, api: Api, template: TemplateCheck) -> AskingHandler:
    async def handle(asked: Json) -> Object:
        request = request_of(asked, "AdmissionReview", ADMISSION)
        now = datetime.now(UTC)
        facts = Facts(now, template)
        if review.needs == "runtime":
            facts = Facts(now, template, trainer=await _known(request, api))
        elif review.needs == "claims":
            facts = Facts(now, template, claims=await _claims(request, api))
        return answered(asked, review.answer(request, facts))

    return handle


async def _known(request: Object, api: Api) -> Known:
    """A job that has begun keeps to the runtime as it was then."""
    job, namespace, name = request.get("object"), str(request.get("namespace") or ""), str(request.get("name") or "")
    if not is_object(job) or unsupported(job):
        return Known()
    _, kind, runtime = reference(job)
    if request.get("operation") == "CREATE":
        return Known(runtime=await _runtime(api, kind, namespace, runtime))
    kept = kept_runtime(await _found(api, CONFIG_MAPS, namespace, snapshot_name(name)))
    return Known(
        runtime=kept or await _runtime(api, kind, namespace, runtime),
        job_set=await _found(api, JOB_SETS, namespace, name),
    )


async def _runtime(api: Api, kind: str, namespace: str, name: str) -> Object | None:
    if kind == NAMESPACED:
        return await _found(api, RUNTIMES, namespace, name)
    return await _found(api, CLUSTER_RUNTIMES, "", name)


async def _claims(request: Object, api: Api) -> Mapping[str, Object]:
    namespace = str(request.get("namespace") or "")
    found = {name: await _found(api, CLAIMS, namespace, name) for name in asked_claims(request)}
    return {name: claim for name, claim in found.items() if claim is not None}


async def _found(api: Api, of: View[Object], namespace: str, name: str) -> Object | None:
    try:
        return await api.get(of, name, namespace)
    except NotFound:
        return None
