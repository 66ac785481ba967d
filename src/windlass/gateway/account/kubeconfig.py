"""A kubeconfig with the rights of one user."""

from pathlib import Path
from typing import Any

from windlass.formats import yaml_reader
from windlass.kube.json import dig, dig_list


def kubeconfig_of(email: str, token: str, cluster: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    """`cluster`: where the API server is, as kubeconfigs say it."""
    name = f"windlass-{email}"
    context = {"cluster": name, "user": name, **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": token}}],
        "contexts": [{"name": name, "context": context}],
        "current-context": name,
    }


def read_cluster(path: Path, context: str = "") -> dict[str, Any] | None:
    """The cluster of a kubeconfig's context, with its certificate inside; None if the file does not have it."""
    import base64

    try:
        config: Any = yaml_reader.read(path.read_text())
        named = {entry["name"]: entry for entry in dig_list(config, "contexts")}
        wanted = dig(named.get(context or str(config.get("current-context"))), "context", "cluster")
        cluster = next((dict(e["cluster"]) for e in dig_list(config, "clusters") if e["name"] == wanted), None)
        if cluster is not None and (file := cluster.pop("certificate-authority", None)):
            authority = (path.parent / file).read_bytes()
            cluster["certificate-authority-data"] = base64.b64encode(authority).decode()
    except (OSError, yaml_reader.BadYaml, KeyError, TypeError, AttributeError):
        return None
    return cluster
