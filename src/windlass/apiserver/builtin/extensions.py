"""What extends the API: `apiextensions.k8s.io` (CustomResourceDefinition), `apiregistration.k8s.io` (APIService)."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin, Plain

RESOURCES = (
    resource(
        "apiextensions.k8s.io",
        "v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "crd",
        "crds",
        namespaced=False,
        strategy=Builtin,
        categories=("api-extensions",),
        subresources=("status",),
    ),
    resource(
        "apiregistration.k8s.io",
        "v1",
        "APIService",
        "apiservices",
        namespaced=False,
        strategy=Plain,
        categories=("api-extensions",),
        subresources=("status",),
    ),
)
