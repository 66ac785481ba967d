"""Settings of the gateway that come from the environment."""

from pathlib import Path

import pytest

from windlass.cli.components.gateway import gateway_settings
from windlass.cli.settings import GatewaySettings
from windlass.gateway.sessions.csrf import same_site_of


@pytest.mark.parametrize(
    ("value", "same_site"), [(None, "Strict"), ("Lax", "Lax"), ("none", "None"), ("Sloppy", "Strict")]
)
def test_the_environment_says_with_what_the_csrf_cookie_is_sent(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str | None, same_site: str
) -> None:
    monkeypatch.delenv("CSRF_SAMESITE", raising=False)
    if value is not None:
        monkeypatch.setenv("CSRF_SAMESITE", value)

    assert same_site_of(gateway_settings(GatewaySettings(data_dir=tmp_path)).csrf_same_site) == same_site
