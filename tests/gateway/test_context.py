"""What an installation keeps secret is its own: made at the first start, and kept until it is renewed."""

from contextlib import closing
from pathlib import Path
from typing import Any, cast

from windlass.gateway.context import open_context
from windlass.gateway.database import Database
from windlass.gateway.identity.clients import OWN_CLIENT
from windlass.gateway.identity.own_secrets import OwnSecrets
from windlass.gateway.settings import GatewaySettings


def secrets_of(folder: Path) -> tuple[str, str]:
    """The secret of the gateway's OAuth client, and that which signs what browsers carry."""
    settings = GatewaySettings(folder=folder / "gateway", audit_log=folder / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        return context.own_client.secret, context.own_secrets.signing


def test_no_two_installations_share_a_secret(tmp_path: Path) -> None:
    made = [*secrets_of(tmp_path / "one"), *secrets_of(tmp_path / "other")]

    assert len(set(made)) == 4
    assert all(len(secret) >= 43 for secret in made)  # 256 random bits


def test_secrets_survive_a_restart(tmp_path: Path) -> None:
    assert secrets_of(tmp_path) == secrets_of(tmp_path)


def test_a_running_gateway_uses_the_secrets_that_another_process_renews(tmp_path: Path) -> None:
    settings = GatewaySettings(folder=tmp_path / "gateway", audit_log=tmp_path / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        old = context.own_client.secret
        carried = context.signer("state").sign({"a": 1}, 0)
        assert context.signer("state").read(carried, 0, 60) == {"a": 1}
        with closing(Database(settings.database)) as other:
            OwnSecrets(other).renew()

        own = context.oauth_client(OWN_CLIENT)
        assert own is not None
        assert not own.check_client_secret(old)
        assert own.check_client_secret(context.own_client.secret)
        assert context.signer("state").read(carried, 0, 60) is None
        assert old not in secrets_of(tmp_path)


def test_every_change_of_who_may_sign_in_is_noticed(tmp_path: Path) -> None:
    settings = GatewaySettings(folder=tmp_path, audit_log=tmp_path / "audit.log", users_file=tmp_path / "users.yaml")
    with open_context(settings, cast(Any, None), {}) as context:
        states = [context.sign_ins_as_of]
        assert context.sign_ins_as_of == states[0]
        (tmp_path / "users.yaml").write_text("staticPasswords: []\n")
        states.append(context.sign_ins_as_of)
        (tmp_path / "users.yaml").unlink()
        states.append(context.sign_ins_as_of)
        context.sessions.start("ann@example.com")
        states.append(context.sign_ins_as_of)

    assert len(set(states)) == 4
