"""Where a process runs that is a pod of a cluster."""


def own_namespace(in_cluster: bool) -> str:
    """Of the pod that this is; none outside a cluster."""
    from windlass.kube.connect import SERVICE_ACCOUNT

    file = SERVICE_ACCOUNT / "namespace"
    return file.read_text().strip() if in_cluster and file.exists() else ""
