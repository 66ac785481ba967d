"""Pod subresources that write: binding to a node, eviction under a disruption budget, debug containers."""

from typing import Any, NoReturn

from windlass.apiserver.api import Api
from windlass.apiserver.call import Call, Path
from windlass.apiserver.connection import Response
from windlass.apiserver.verbs import write
from windlass.apiserver.verbs.answers import plain_answer
from windlass.apiserver.verbs.bodies import media_type, read_document
from windlass.apiserver.verbs.delete import check_preconditions, options_from, remove
from windlass.apiserver.verbs.patch import live_object, patch
from windlass.apiserver.verbs.subresources.admitted import admit
from windlass.apiserver.verbs.update import rewrite, update
from windlass.kube.errors import BadRequest, Cause, Conflict, Invalid, TooManyRequests, required
from windlass.kube.json import Object, dig, dig_list, dig_object, is_object
from windlass.kube.selector import from_object

_SUCCESS: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _body(call: Call) -> Object:
    document = read_document(call.request.body, media_type(call))
    if not is_object(document):
        raise BadRequest("the body of the request must be an object")
    return document


async def bind_by_body(api: Api, call: Call) -> Response:
    """POST of a Binding to the namespace: the pod is the one that the body names."""
    name = dig(_body(call), "metadata", "name")
    if not isinstance(name, str) or not name:
        raise BadRequest("metadata.name must name the pod to bind")
    pods = api.registry.find("", "v1", "pods")
    assert pods is not None
    path = Path("", "v1", "pods", call.path.namespace, name, "binding")
    return await bind(api, Call(call.request, call.user, "create", path, pods, call.query, call.warnings))


async def bind(api: Api, call: Call) -> Response:
    """Give a pod its node, once."""
    body = await admit(api, call, _body(call), "v1", "Binding")
    target, metadata = dig_object(body, "target"), dig_object(body, "metadata")
    node = target.get("name")
    if not isinstance(node, str) or not node:
        raise Invalid.of("Binding", "", call.path.name, [required("target.name")])
    if target.get("kind") not in (None, "", "Node"):
        cause = Cause("target.kind", f'Unsupported value: "{target["kind"]}": supported values: "Node", "<empty>"')
        raise Invalid.of("Binding", "", call.path.name, [cause])
    uid = metadata.get("uid")

    def change(pod: Object) -> Object:
        _check_bindable(call, pod, uid)
        pod["spec"]["nodeName"] = node
        annotations = dig_object(metadata, "annotations")
        if annotations:
            pod["metadata"].setdefault("annotations", {}).update(annotations)
        _set_condition(pod, {"type": "PodScheduled", "status": "True", "lastTransitionTime": write.now()})
        pod["status"].pop("nominatedNodeName", None)
        return pod

    response = await rewrite(api, call, change)
    return response if call.dry_run else plain_answer(call, _SUCCESS, 201)


def _check_bindable(call: Call, pod: Object, uid: Any) -> None:
    name = call.path.name
    if uid and uid != pod["metadata"]["uid"]:
        raise write.conflict(call, f"uid {uid} does not match that of the pod")
    why = ""
    if pod["metadata"].get("deletionTimestamp"):
        why = f"pod {name} is being deleted, cannot be assigned to a host"
    elif dig(pod, "spec", "nodeName"):
        why = f'pod {name} is already assigned to node "{pod["spec"]["nodeName"]}"'
    elif dig_list(pod, "spec", "schedulingGates"):
        why = f"pod {name} has non-empty .spec.schedulingGates"
    if why:
        raise Conflict(f'Operation cannot be fulfilled on pods/binding "{name}": {why}', kind="pods/binding", name=name)


def _set_condition(pod: Object, condition: Object) -> None:
    conditions: list[Any] = pod.setdefault("status", {}).setdefault("conditions", [])
    conditions[:] = [c for c in conditions if c.get("type") != condition["type"]] + [condition]


async def add_ephemeral(api: Api, call: Call) -> Response:
    """Debug containers: only `spec.ephemeralContainers` may grow, and what is there stays."""
    if call.verb == "patch":
        return await patch(api, call)
    return await update(api, call)


async def evict(api: Api, call: Call) -> Response:
    """Delete a pod if its disruption budgets allow."""
    body = _body(call) if call.request.body.strip() else {}
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
    return plain_answer(call, _SUCCESS, 201)


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
    """Whether a pod that is not ready may go at no cost: always, or while the others are enough."""
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
