"""What the server adds to every task's pod: proxies, a bundle of certificate authorities, and a security context.

`TaskContext.defaults` has these settings as strings, by the names of the variables that Kubeflow's API server reads.
"""

from windlass.apps.pipelines.executor.context import Json, TaskContext
from windlass.apps.pipelines.executor.platform.fields import integer, mapping

SETTINGS = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "CLUSTER_DOMAIN",
    "CABUNDLE_SECRET_NAME",
    "CABUNDLE_CONFIGMAP_NAME",
    "CABUNDLE_KEY_NAME",
    "DEFAULT_SECURITY_CONTEXT_RUN_AS_USER",
    "DEFAULT_SECURITY_CONTEXT_RUN_AS_GROUP",
    "DEFAULT_SECURITY_CONTEXT_RUN_AS_NON_ROOT",
    "DEFAULT_SECURITY_CONTEXT_HOST_USERS",
)
NOT_PROXIED = (
    "localhost,127.0.0.1,.svc.{domain},kubernetes.default.svc,minio-service.kubeflow,metadata-grpc-service,"
    "metadata-grpc-service.kubeflow,ml-pipeline.kubeflow"
)
CA_VOLUME, CA_PATH, CA_FILE = "custom-ca", "/kfp/certs", "ca.crt"


def proxy_variables(settings: Json) -> list[Json]:
    """Return the variables of the proxies, in upper and lower case as programs differ."""
    values = {name: str(settings.get(name) or "") for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")}
    if any(values.values()) and not values["NO_PROXY"]:
        values["NO_PROXY"] = NOT_PROXIED.format(domain=settings.get("CLUSTER_DOMAIN") or "cluster.local")
    names = [(spelling, value) for name, value in values.items() if value for spelling in (name, name.lower())]
    return [{"name": name, "value": value} for name, value in names]


def ca_bundle(settings: Json) -> Json | None:
    """Return the volume source of the bundle; a Secret wins over a ConfigMap."""
    entries = [{"key": str(settings.get("CABUNDLE_KEY_NAME") or CA_FILE), "path": CA_FILE}]
    if settings.get("CABUNDLE_SECRET_NAME"):
        return {"secret": {"secretName": str(settings["CABUNDLE_SECRET_NAME"]), "items": entries}}
    if settings.get("CABUNDLE_CONFIGMAP_NAME"):
        return {"configMap": {"name": str(settings["CABUNDLE_CONFIGMAP_NAME"]), "items": entries}}
    return None


def security_context(context: TaskContext) -> Json:
    """Return the container's security context; the server's settings win over those of the platform spec."""
    given = mapping(context.platform.get("securityContext"), "securityContext")
    settings, fields = context.defaults, dict[str, object]()
    for key, setting in (("runAsUser", "RUN_AS_USER"), ("runAsGroup", "RUN_AS_GROUP")):
        name = f"DEFAULT_SECURITY_CONTEXT_{setting}"
        default = integer(settings.get(name), name)
        number = integer(given.get(key), f"securityContext.{key}") if default is None else default
        fields |= {key: number} if number is not None else {}
    non_root = _boolean(settings, "DEFAULT_SECURITY_CONTEXT_RUN_AS_NON_ROOT")
    non_root = given.get("runAsNonRoot") if non_root is None else non_root
    fields |= {"runAsNonRoot": bool(non_root)} if non_root is not None else {}
    return {**fields, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def host_users(settings: Json) -> bool | None:
    return _boolean(settings, "DEFAULT_SECURITY_CONTEXT_HOST_USERS")


def _boolean(settings: Json, name: str) -> bool | None:
    value = str(settings.get(name) if settings.get(name) is not None else "").lower()
    if value in ("", "true", "false"):
        return value == "true" if value else None
    raise ValueError(f"{name} must be true or false, and is {value!r}")
