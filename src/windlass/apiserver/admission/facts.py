"""What expressions of policies and match conditions may read: namespaces, parameters and permissions."""

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.policies import Authorize, Facts, FindParams
from windlass.apiserver.api import Api, load
from windlass.apiserver.auth.attributes import Attributes as Asked
from windlass.apiserver.auth.user import authenticated, service_account_groups, split_service_account
from windlass.kube.json import Object, dig_object
from windlass.kube.selector import from_object


def facts_for(api: Api, attributes: Attributes) -> Facts:
    return Facts(namespace_of(api, attributes), find_params(api), authorizer(api, attributes))


def namespace_of(api: Api, attributes: Attributes) -> Object | None:
    """The namespace of a write; None for a write of a namespace itself."""
    if not attributes.namespace or not attributes.resource.namespaced:
        return None
    return api.read("/namespaces", "", attributes.namespace)


def authorizer(api: Api, attributes: Attributes) -> Authorize:
    """Check permissions of the author of the write, or of a service account that the expression names."""

    def authorize(asked: Object) -> tuple[bool, str]:
        user = attributes.user
        account = split_service_account(str(asked.get("serviceAccount") or ""))
        if account is not None:
            user = authenticated(str(asked["serviceAccount"]), groups=service_account_groups(account[0]))
        fields = ("verb", "group", "resource", "subresource", "namespace", "name", "path")
        decision = api.rbac.allowed(user, Asked(**{name: str(asked.get(name) or "") for name in fields}))
        return decision.allowed, decision.reason

    return authorize


def find_params(api: Api) -> FindParams:
    def find(api_version: str, kind: str, namespace: str, name: str, selector: Object | None) -> list[Object] | None:
        group, _, version = api_version.rpartition("/")
        resource = api.registry.by_kind(group, version, kind)
        if resource is None:
            return None
        place = namespace if resource.namespaced else ""
        if name:
            row = api.store.newest((resource.store_key, place, name))
            return [] if row is None else [load(resource, row)]
        wanted = from_object(selector or {})
        rows = sorted(api.store.newest_rows(resource.store_key, place), key=lambda row: row.key)
        objects = [load(resource, row) for row in rows]
        return [obj for obj in objects if wanted.matches(dig_object(obj, "metadata", "labels"))]

    return find
