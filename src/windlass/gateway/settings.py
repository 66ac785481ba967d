"""What the gateway is given at its start; the flags of `windlass gateway` carry the same names."""

from dataclasses import dataclass
from pathlib import Path

from windlass.apis.istio.routing import Routing
from windlass.apis.options import WithOptions

LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, kw_only=True)
class GatewaySettings(WithOptions):
    folder: Path
    """Database and generated secrets; for the owner alone."""
    audit_log: Path
    listen: str = "127.0.0.1"
    port: int = 8080
    external_url: str = ""
    """Where browsers find the gateway, without a path; empty for the address that it listens on."""
    tls_cert: Path | None = None
    tls_key: Path | None = None
    users_file: Path | None = None
    spawner_config: Path | None = None
    """The form defaults of new notebooks, in the format of spawner_ui_config.yaml; need not exist."""
    ui_folder: Path | None = None
    """The built dashboard; None for the one that belongs to this Windlass."""
    insecure_http: bool = False
    demo: bool = False
    registration_flow: bool = False
    """Whether users may make a profile of their own."""
    pods_socket: Path | None = None
    """The way into the pods' network on the embedded server; None on a cluster, where pods are reached directly."""
    data_dir: Path | None = None
    """The data directory of the embedded platform, for volumes, sizes and health; None on a cluster."""
    max_backups: int = 10
    """How many backups that were written from the dashboard are kept; 0 keeps all."""
    api_kubeconfig: Path | None = None
    """Where the API server is for people outside, as kubeconfigs made for them say; None if that is not known."""
    api_context: str = ""
    """The context of it; empty for its current one."""
    csrf_same_site: str = "Strict"
    """`SameSite` of the cookie that pages of the web apps send back as a header."""
    ingress_tokens: bool = False
    """Whether an ingress in front asks about sessions, and gets a token for each request that has one."""
    review_socket: Path | None = None
    """Where the embedded API server asks about tokens; None on a cluster."""

    @property
    def database(self) -> Path:
        return self.folder / "gateway.db"

    @property
    def istio_gateway(self) -> str:
        """The Gateway whose VirtualServices are served, as `namespace/name`."""
        return self.options_of(Routing).istio_gateway

    @property
    def is_loopback(self) -> bool:
        return self.listen in LOOPBACK

    @property
    def scheme(self) -> str:
        return "https" if self.tls_cert is not None else "http"

    @property
    def origin(self) -> str:
        """Scheme, host and port under which browsers find the gateway."""
        if self.external_url:
            return self.external_url.rstrip("/")
        host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(self.listen, self.listen)
        return f"{self.scheme}://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def issuer(self) -> str:
        """The `iss` of the ID tokens."""
        return f"{self.origin}/dex"
