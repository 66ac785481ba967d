"""What an installation keeps secret is its own: made at the first start, and kept."""

from pathlib import Path
from typing import Any, cast

from windlass.gateway.context import open_context
from windlass.gateway.settings import GatewaySettings


def secrets_of(folder: Path) -> tuple[str, str]:
    """The secret of the gateway's OAuth client, and that which signs what browsers carry."""
    settings = GatewaySettings(folder=folder / "gateway", audit_log=folder / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        return context.own_client.secret, context.secret


def test_no_two_installations_share_a_secret(tmp_path: Path) -> None:
    made = [*secrets_of(tmp_path / "one"), *secrets_of(tmp_path / "other")]

    assert len(set(made)) == 4
    assert all(len(secret) >= 43 for secret in made)  # 256 random bits


def test_secrets_survive_a_restart(tmp_path: Path) -> None:
    assert secrets_of(tmp_path) == secrets_of(tmp_path)
