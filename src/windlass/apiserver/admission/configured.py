"""The admission that users configure: mutating webhooks, then validating policies, then validating webhooks."""

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.webhooks import MUTATING, VALIDATING, Webhooks
from windlass.apiserver.api import Api
from windlass.kube.json import Object, dig

POLICIES = "admissionregistration.k8s.io/validatingadmissionpolicies"
BINDINGS = "admissionregistration.k8s.io/validatingadmissionpolicybindings"
_CONFIGURATIONS = (MUTATING, VALIDATING, BINDINGS)


class Configured:
    """The `Remote` of a server."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._webhooks = Webhooks(api)

    @property
    def configured(self) -> bool:
        return self._api.store.has_any(_CONFIGURATIONS)

    async def mutate(self, attributes: Attributes) -> bool:
        return await self._webhooks.mutate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        if self._api.store.count(BINDINGS):
            await self._judge(attributes)
        await self._webhooks.validate(attributes)

    async def _judge(self, attributes: Attributes) -> None:
        from windlass.apiserver.admission.facts import facts_for
        from windlass.apiserver.admission.policies import judge

        policies = sorted(self._api.read_all(POLICIES), key=_name)
        await self._fetch_params(policies)
        bindings = sorted(self._api.read_all(BINDINGS), key=_name)
        verdict = judge(policies, bindings, attributes, facts_for(self._api, attributes))
        attributes.warnings += verdict.warnings
        refusal = verdict.refusal(attributes)
        if refusal is not None:
            raise refusal

    async def _fetch_params(self, policies: list[Object]) -> None:
        """Convert parameters to the requested version ahead of time, where only a webhook can convert them."""
        for policy in policies:
            group, _, version = str(dig(policy, "spec", "paramKind", "apiVersion") or "").rpartition("/")
            kind = str(dig(policy, "spec", "paramKind", "kind") or "")
            resource = self._api.registry.by_kind(group, version, kind) if kind else None
            if resource is not None and resource.conversion is not None:
                await resource.conversion.fetch(self._api.store.newest_rows(resource.store_key))


def _name(obj: Object) -> str:
    return str(obj["metadata"]["name"])
