"""The group `admissionregistration.k8s.io`: webhook configurations and admission policies."""

from functools import partial

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin

_admission = partial(resource, "admissionregistration.k8s.io", "v1", namespaced=False, categories=("api-extensions",))

RESOURCES = (
    _admission("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", strategy=Builtin),
    _admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies", strategy=Builtin, subresources=("status",)),
    _admission("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", strategy=Builtin),
    _admission("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", strategy=Builtin),
)
