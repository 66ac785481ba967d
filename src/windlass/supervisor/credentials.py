"""Reads the admin's kubeconfig, which the server writes at its first start."""

from typing import Any

import yaml

from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError


def read_kubeconfig(data: DataDir) -> dict[str, Any]:
    try:
        content = yaml.safe_load(data.kubeconfig.read_text())
    except FileNotFoundError as error:
        raise SupervisorError(f"{data.kubeconfig} does not exist yet. `windlass up` creates it") from error
    except PermissionError as error:
        raise SupervisorError(f"{data.kubeconfig} belongs to another user. Choose your own with --data-dir") from error
    except yaml.YAMLError as error:
        raise SupervisorError(f"{data.kubeconfig} is damaged. Delete it, and `windlass up` creates it again") from error
    return content if isinstance(content, dict) else {}


def admin_token(data: DataDir) -> str:
    """The admin's bearer token; empty if it cannot be read."""
    try:
        users = read_kubeconfig(data).get("users") or []
    except SupervisorError:
        return ""
    return next((entry["user"]["token"] for entry in users if "token" in entry.get("user", {})), "")
