"""The group `certificates.k8s.io`: CertificateSigningRequests."""

from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain

RESOURCES = (
    resource(
        "certificates.k8s.io",
        "v1",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        "csr",
        namespaced=False,
        strategy=Plain,
        subresources=("approval", "status"),
    ),
)
