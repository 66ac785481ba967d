"""The namespace of a process that runs as a pod."""


def own_namespace(in_cluster: bool) -> str:
    """The namespace of this pod; empty outside a cluster."""
    from windlass.kube.connect import SERVICE_ACCOUNT

    file = SERVICE_ACCOUNT / "namespace"
    return file.read_text().strip() if in_cluster and file.exists() else ""
