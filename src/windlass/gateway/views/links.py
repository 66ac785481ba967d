"""Paths of the dashboard's pages. Pure."""

from urllib.parse import quote

from windlass.apis.wellknown import KUBEFLOW_GROUP, VOLCANO_BATCH_GROUP

OWN_PAGES = {
    "Notebook": "/jupyter/notebook/details/{0}/{1}",
    "Tensorboard": "/tensorboards/details/{0}/{1}",
    "PersistentVolumeClaim": "/volumes/details/{0}/{1}",
    "Workflow": "/pipelines/workflows/{0}/{1}",
    "CronWorkflow": "/pipelines/cron-workflows/{0}/{1}",
}
PLURALS = {"Pod": "pods", "Service": "services", "ConfigMap": "configmaps", "PodGroup": "podgroups", "Node": "nodes"}


def job_page(kind: str, namespace: str, name: str) -> str:
    return f"/jobs/{quote(kind)}/{quote(namespace)}/{quote(name)}"


def object_page(api_version: str, kind: str, namespace: str, name: str, plural: str = "") -> str:
    """The page of its own, where a kind has one, else the generic page."""
    if kind in OWN_PAGES:
        return OWN_PAGES[kind].format(quote(namespace), quote(name))
    if (kind.endswith("Job") and KUBEFLOW_GROUP in api_version) or api_version.startswith(VOLCANO_BATCH_GROUP):
        return job_page(kind, namespace, name)
    group, slash, version = api_version.partition("/")
    if not slash:
        group, version = "core", api_version
    resource = plural or PLURALS.get(kind) or f"{kind.lower()}s"
    return f"/objects/{quote(group)}/{quote(version)}/{quote(resource)}/{quote(namespace or '-')}/{quote(name)}"
