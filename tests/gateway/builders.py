"""Parts of a gateway for tests that need no running one."""

from pathlib import Path
from typing import Any

from windlass.gateway.settings import GatewaySettings


def settings(*, with_tls: bool = False, folder: Path = Path("/nowhere"), **more: Any) -> GatewaySettings:
    files = {"tls_cert": Path("tls.crt"), "tls_key": Path("tls.key")} if with_tls else {}
    return GatewaySettings(folder=folder, audit_log=folder / "audit.log", **files, **more)
