"""How a manager or a gateway runs pipelines."""

from dataclasses import dataclass, field

from windlass.apis.images import WINDLASS

POD_VARIABLES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "CABUNDLE_SECRET_NAME",
    "CABUNDLE_CONFIGMAP_NAME",
    "CABUNDLE_KEY_NAME",
    "DEFAULT_SECURITY_CONTEXT_RUN_AS_USER",
    "DEFAULT_SECURITY_CONTEXT_RUN_AS_GROUP",
    "DEFAULT_SECURITY_CONTEXT_RUN_AS_NON_ROOT",
    "DEFAULT_SECURITY_CONTEXT_HOST_USERS",
)
"""Variables of the manager that set up the pods of all tasks, under upstream's names."""


@dataclass(frozen=True, kw_only=True)
class PipelineOptions:
    database_url: str = ""
    """The database of runs as a URL of SQLAlchemy; empty where pipelines are not run."""
    volumes: str = ""
    """The folder with the volumes of the embedded node; empty on a cluster, where artifacts are in an object store."""
    pipeline_root: str = ""
    """`WINDLASS_PIPELINES_ROOT`: on a cluster, where artifacts go if the namespace's `kfp-launcher` does not say."""
    transfer_image: str = WINDLASS
    """`WINDLASS_PIPELINES_IMAGE`: the image of the containers that copy artifacts on a cluster: that of Windlass."""
    api_port: int = 0
    """`WINDLASS_PIPELINES_API_PORT`: on a cluster, the port at which the gateway serves the API to pods; 0 for none."""
    is_cache_enabled: bool = True
    """`CACHEENABLED`: whether outputs of earlier tasks are reused."""
    default_cache_staleness: str = ""
    """`DEFAULT_CACHE_STALENESS`: how old reused outputs may be unless the task says so, such as P7D; empty for any."""
    maximum_cache_staleness: str = ""
    """`MAXIMUM_CACHE_STALENESS`: how old reused outputs may be, whatever the task says."""
    artifact_ttl_days: int = 0
    """`WINDLASS_PIPELINES_ARTIFACT_TTL_DAYS`: how long artifacts are kept after their run has finished; 0 for ever."""
    workflow_ttl_seconds: int = 86_400
    """`TTL_SECONDS_AFTER_WORKFLOW_FINISH`: how long the Workflow of a finished run and its pods are kept."""
    cron_time_zone: str = "UTC"
    """`CRON_SCHEDULE_TIMEZONE`: the time zone of cron expressions of recurring runs."""
    pod_defaults: dict[str, str] = field(default_factory=dict[str, str])
    """Settings of the server for the pods of tasks: proxies, CA bundle, security context, by their variable names."""
    url_domains: tuple[str, ...] = ()
    """`PIPELINE_URL_ALLOWED_DOMAINS`: hosts from which the API downloads pipelines; empty for all public ones."""
    is_url_http_allowed: bool = False
    """`PIPELINE_URL_ALLOW_HTTP`: whether pipelines are downloaded without TLS too."""
    is_url_validated: bool = True
    """`PIPELINE_URL_VALIDATION_ENABLED`: whether those URLs are checked; if not, the API connects to any address."""
    requires_namespace: bool = False
    """`REQUIRE_NAMESPACE_FOR_PIPELINES`: whether pipelines cannot be shared by all namespaces."""
    url_timeout_seconds: float = 30.0
    """`PIPELINE_URL_TIMEOUT`: for one download."""
    allow_local_endpoints: bool = False
    """`WINDLASS_PIPELINES_LOCAL_ENDPOINTS`: whether object stores of artifacts may be on this machine."""


DEFAULTS = PipelineOptions()
