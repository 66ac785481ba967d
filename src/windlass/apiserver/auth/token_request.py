"""The `token` subresource of a service account: validates a TokenRequest, binds it, and issues the token."""

from windlass.apiserver.auth.service_accounts import BOUND_RESOURCES, BoundObject, Get, ServiceAccountTokens
from windlass.kube.errors import BadRequest, Conflict, Invalid, NotFound, invalid
from windlass.kube.json import Object, dig, dig_list, dig_object

GROUP = "authentication.k8s.io"
SHORTEST, LONGEST, USUAL = 600, 1 << 32, 3600


def answer_token_request(tokens: ServiceAccountTokens, get: Get, service_account: Object, request: Object) -> Object:
    """Return `request` with its status; raises Kubernetes' error for an invalid one."""
    meta = dig_object(service_account, "metadata")
    namespace, name = str(meta.get("namespace")), str(meta.get("name"))
    seconds = _seconds(name, dig(request, "spec", "expirationSeconds"))
    audiences = [str(audience) for audience in dig_list(request, "spec", "audiences")] or list(tokens.audiences)
    bound, node = _bound(get, namespace, name, dig_object(request, "spec", "boundObjectRef"))
    token, expires = tokens.issue(namespace, name, str(meta.get("uid")), audiences, seconds, bound, node)
    spec = {**dig_object(request, "spec"), "audiences": audiences, "expirationSeconds": seconds}
    return {
        **request,
        "apiVersion": f"{GROUP}/v1",
        "kind": "TokenRequest",
        "metadata": {**dig_object(request, "metadata"), "name": name, "namespace": namespace},
        "spec": spec,
        "status": {"token": token, "expirationTimestamp": expires},
    }


def _seconds(name: str, asked: object) -> int:
    if asked is None:
        return USUAL
    field = "spec.expirationSeconds"
    if not isinstance(asked, int) or asked < SHORTEST:
        problem = invalid(field, asked, "may not specify a duration less than 10 minutes")
        raise Invalid.of("TokenRequest", GROUP, name, [problem])
    if asked > LONGEST:
        problem = invalid(field, asked, "may not specify a duration larger than 2^32 seconds")
        raise Invalid.of("TokenRequest", GROUP, name, [problem])
    return asked


def _bound(get: Get, namespace: str, account: str, ref: Object) -> tuple[BoundObject | None, BoundObject | None]:
    """Return (the bound object, the node of a bound pod)."""
    if not ref:
        return None, None
    kind, name = str(ref.get("kind") or ""), str(ref.get("name") or "")
    resource = BOUND_RESOURCES.get(kind)
    if resource is None:
        raise BadRequest(f"cannot bind token to object of type {ref.get('apiVersion') or ''}, Kind={kind}")
    live = get(resource, "" if kind == "Node" else namespace, name)
    if live is None:
        raise NotFound(f'{resource} "{name}" not found', kind=resource, name=name)
    uid = str(dig(live, "metadata", "uid") or "")
    if ref.get("uid") and ref["uid"] != uid:
        raise Conflict(
            f'Operation cannot be fulfilled on {resource} "{name}": the UID in the bound object reference '
            f"({ref['uid']}) does not match the UID in record. The object might have been deleted and then recreated",
            kind=resource,
            name=name,
        )
    return BoundObject(kind, name, uid), _node_of(get, account, live) if kind == "Pod" else None


def _node_of(get: Get, account: str, pod: Object) -> BoundObject | None:
    if (dig(pod, "spec", "serviceAccountName") or "default") != account:
        raise BadRequest(
            f'cannot bind token for serviceaccount "{account}" to pod running with different serviceaccount name.'
        )
    node = str(dig(pod, "spec", "nodeName") or "")
    live = get("nodes", "", node) if node else None
    return BoundObject("Node", node, str(dig(live, "metadata", "uid") or "")) if live is not None else None
