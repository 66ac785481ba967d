"""RBAC's privilege escalation check: users cannot grant permissions that they do not have."""

from windlass.apis.wellknown import RBAC_GROUP
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.api import Api
from windlass.apiserver.auth.escalation import check_escalation

GROUP = RBAC_GROUP


class Escalation(Plugin):
    kinds = frozenset(
        f"{GROUP}/{plural}" for plural in ("roles", "clusterroles", "rolebindings", "clusterrolebindings")
    )
    operations = frozenset({"CREATE", "UPDATE"})

    def __init__(self, api: Api) -> None:
        self._api = api

    def validate(self, attributes: Attributes) -> None:
        assert attributes.obj is not None
        check_escalation(self._api.rbac, attributes.user, attributes.resource.plural, attributes.obj, attributes.old)
