"""`windlass kubeconfig --user`: a kubeconfig with the rights of one user of the gateway."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from windlass.cli.failure import Failure
from windlass.cli.settings import Settings
from windlass.cli.user.directory import open_directory
from windlass.formats import yaml_writer
from windlass.gateway.account.kubeconfig import kubeconfig_of
from windlass.gateway.identity.emails import normalised
from windlass.supervisor.datadir import DataDir, write_atomically

TOKEN_NAME = "kubeconfig"
LIFE = timedelta(days=30)


def personal_kubeconfig(
    settings: Settings, data: DataDir, own: dict[str, Any], email: str
) -> tuple[str, Path, dict[str, Any]]:
    """The context's name, the file, and its contents: the administrator's cluster with a new token of the user."""
    with open_directory(settings) as directory:
        user = directory.users.find(normalised(email))
        if user is None:
            raise Failure(f"there is no user {email}. See: windlass user list")
        token = directory.access_tokens.create(user.email, TOKEN_NAME, LIFE, ["api"])
        directory.audit.record("token.created", user=user.email, token=TOKEN_NAME)
    config = kubeconfig_of(user.email, token, own["clusters"][0]["cluster"])
    path = data.gateway / "kubeconfigs" / f"{user.email}.kubeconfig"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    write_atomically(path, yaml_writer.write(config, ascii_only=True).encode(), mode=0o600)
    return config["current-context"], path, config
