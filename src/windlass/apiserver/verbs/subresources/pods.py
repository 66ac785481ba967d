"""Pod subresources that write: eviction under a disruption budget, ephemeral containers."""

from typing import NoReturn

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call, Path
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import succeeded
from windlass.apiserver.verbs.delete import check_preconditions, options_from, remove
from windlass.apiserver.verbs.patch import live_object, patch
from windlass.apiserver.verbs.subresources.admitted import admit, read_plain
from windlass.apiserver.verbs.update import rewrite, update
from windlass.kube.errors import BadRequest, Cause, TooManyRequests
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.selector import from_object


async def add_ephemeral(api: Api, call: Call) -> Response:
    """Add ephemeral containers; everything else stays unchanged."""
    if call.verb == "patch":
        return await patch(api, call)
    return await update(api, call)


async def evict(api: Api, call: Call) -> Response:
    """Delete a pod if its disruption budgets allow it."""
    body = read_plain(call) if call.request.body.strip() else {}
    dry_run = options_from(call, dig_object(body, "deleteOptions")).dry_run
    body = await admit(api, call, body, "policy/v1", "Eviction", dry_run=dry_run)
    options = options_from(call, dig_object(body, "deleteOptions"))
    pod = live_object(api, call)
    check_preconditions(call, options, pod)
    costs_nothing = dig(pod, "status", "phase") in ("Pending", "Succeeded", "Failed")
    if not costs_nothing and not pod["metadata"].get("deletionTimestamp"):
        await _use_budget(api, call, pod, dry_run=options.dry_run)
    newest = live_object(api, call)
    gone, _, durable = remove(api, call.resource, newest, options)
    if durable is not None:
        await durable
        api.react(call.resource, newest, gone=gone)
    return succeeded(call)


async def _use_budget(api: Api, call: Call, pod: Object, *, dry_run: bool) -> None:
    namespace = call.path.namespace
    labels = dig_object(pod, "metadata", "labels")
    budgets = [
        budget
        for budget in api.read_all("policy/poddisruptionbudgets", namespace)
        if "selector" in dig_object(budget, "spec") and from_object(budget["spec"]["selector"]).matches(labels)
    ]
    if len(budgets) > 1:
        raise BadRequest(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
    for budget in budgets:
        if _is_free(budget, pod):
            continue
        _check_budget(budget)
        if not dry_run:
            await _spend(api, call, budget, pod["metadata"]["name"])


def _is_free(budget: Object, pod: Object) -> bool:
    """Whether a pod that is not ready may be evicted freely: always, or while enough others are healthy."""
    conditions = dig_list(pod, "status", "conditions")
    if any(condition.get("type") == "Ready" and condition.get("status") == "True" for condition in conditions):
        return False
    if dig(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = dig_object(budget, "status")
    desired = status.get("desiredHealthy") or 0
    return desired > 0 and (status.get("currentHealthy") or 0) >= desired


def _check_budget(budget: Object) -> None:
    name, status = budget["metadata"]["name"], dig_object(budget, "status")
    if (status.get("observedGeneration") or 0) < budget["metadata"].get("generation", 0):
        _refuse_eviction(f"The disruption budget {name} is still being processed by the server.", retry_after=10)
    if (status.get("disruptionsAllowed") or 0) <= 0:
        desired, current = status.get("desiredHealthy") or 0, status.get("currentHealthy") or 0
        _refuse_eviction(f"The disruption budget {name} needs {desired} healthy pods and has {current} currently")


def _refuse_eviction(why: str, retry_after: int = 0) -> NoReturn:
    raise TooManyRequests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        causes=[Cause("", why, "DisruptionBudget")],
        retry_after=retry_after,
    )


async def _spend(api: Api, call: Call, budget: Object, pod: str) -> None:
    resource = api.registry.find("policy", "v1", "poddisruptionbudgets")
    assert resource is not None
    path = Path("policy", "v1", resource.plural, call.path.namespace, budget["metadata"]["name"], "status")

    def change(obj: Object) -> Object:
        status = obj.setdefault("status", {})
        status["disruptionsAllowed"] = max((status.get("disruptionsAllowed") or 0) - 1, 0)
        status.setdefault("disruptedPods", {})[pod] = write.now()
        return obj

    await rewrite(api, Call(call.request, call.user, "update", path, resource, {}), change)
