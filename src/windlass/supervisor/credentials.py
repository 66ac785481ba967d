"""Reads the admin's kubeconfig, which the server writes at its first start."""

from typing import Any

from windlass.formats import yaml_reader
from windlass.kube.json import dig, dig_list, is_object
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError


def read_kubeconfig(data: DataDir) -> dict[str, Any]:
    try:
        content = yaml_reader.read(data.kubeconfig.read_text())
    except FileNotFoundError as error:
        raise SupervisorError(f"{data.kubeconfig} does not exist yet. `windlass up` creates it") from error
    except PermissionError as error:
        raise SupervisorError(f"{data.kubeconfig} belongs to another user. Choose your own with --data-dir") from error
    except yaml_reader.BadYaml as error:
        raise SupervisorError(f"{data.kubeconfig} is damaged. Delete it, and `windlass up` creates it again") from error
    return content if is_object(content) else {}


def admin_token(data: DataDir) -> str:
    """The admin's bearer token; empty if it cannot be read."""
    try:
        users = dig_list(read_kubeconfig(data), "users")
    except SupervisorError:
        return ""
    return next((str(token) for entry in users if (token := dig(entry, "user", "token"))), "")
