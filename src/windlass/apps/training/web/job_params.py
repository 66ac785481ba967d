"""Names a job in requests of pages."""

from windlass.gateway.views.live_view import ViewParams
from windlass.kube.errors import BadRequest
from windlass.kube.names import dns_label_errors, dns_subdomain_errors


class JobParams(ViewParams, forbid_unknown_fields=True):
    kind: str
    namespace: str
    name: str

    def check(self) -> None:
        """Raises BadRequest, which names the field."""
        if errors := dns_label_errors(self.namespace):
            raise BadRequest(f"namespace: {errors[0]}")
        if errors := dns_subdomain_errors(self.name):
            raise BadRequest(f"name: {errors[0]}")
