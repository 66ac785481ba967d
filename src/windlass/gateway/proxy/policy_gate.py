"""Whether AuthorizationPolicies let a request pass the ingress, whose part the gateway plays, and reach its backend."""

from windlass.apis.istio.mesh import ROOT_NAMESPACE
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.gateway.access.policies import PolicyRequest, have_selectors, is_allowed, passes_ingress
from windlass.gateway.access.workloads import WorkloadLabels
from windlass.gateway.proxy.backends import Backends
from windlass.gateway.proxy.routing.routes import Backend
from windlass.kube.cache import Store


class PolicyGate:
    def __init__(self, policies: Store[AuthorizationPolicy], backends: Backends, labels: WorkloadLabels) -> None:
        self._policies, self._backends, self._labels = policies, backends, labels

    def is_guarded(self, backend: Backend) -> bool:
        """Whether any policy may hold for a backend; without one, RBAC alone decides."""
        return bool(self._in(ROOT_NAMESPACE) or self._in(backend.namespace))

    async def refusal(self, backend: Backend, asked: PolicyRequest) -> str:
        """Why a request does not pass; empty where it does. Raises ApiError where labels must be asked for."""
        root = self._in(ROOT_NAMESPACE)
        if not passes_ingress(root, asked):
            return f"an AuthorizationPolicy of namespace {ROOT_NAMESPACE} denies this"
        policies = root if backend.namespace == ROOT_NAMESPACE else [*root, *self._in(backend.namespace)]
        known = await self._labels.of(self._backends.pods(backend)) if have_selectors(policies) else []
        if all(is_allowed(policies, asked, labels) for labels in known or [self._backends.selector(backend)]):
            return ""
        user = asked.headers.get("kubeflow-userid", "")
        return f"no AuthorizationPolicy of namespace {backend.namespace} admits {user}"

    def _in(self, namespace: str) -> list[AuthorizationPolicy]:
        return self._policies.filed("namespace", namespace)
