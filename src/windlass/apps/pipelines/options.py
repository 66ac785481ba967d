"""How a manager or a gateway runs pipelines: environment variables, upstream's where it has one."""

from dataclasses import dataclass, field
from typing import Annotated

from windlass.apis.data_files import PIPELINES_DATABASE, VOLUMES
from windlass.apis.images import WINDLASS
from windlass.apis.options import Option, SecretKey, Site, boolean, is_whole_number, words
from windlass.apis.proxied_identity import API_PORT
from windlass.apps.pipelines.names import DATABASE_SECRET, DATABASE_SECRET_FLAG, ROOT_FLAG

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


def _database(site: Site) -> SecretKey:
    return SecretKey(site.flags.get(DATABASE_SECRET_FLAG) or DATABASE_SECRET, "url")


def _seconds(text: str) -> int:
    if not is_whole_number(text, digits=9):
        raise ValueError(f"{text!r} is not a number of seconds")
    return int(text)


def _timeout(text: str) -> float:
    digits = text.removesuffix("s")
    if not (digits.isascii() and digits.isdigit() and 0 < int(digits) <= 3600):
        raise ValueError(f"{text!r} is not a number of seconds, such as 30 or 30s")
    return float(digits)


def _days(text: str) -> int:
    if not is_whole_number(text, digits=5):
        raise ValueError(f"{text!r} is not a number of days")
    return int(text)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536):
        raise ValueError(f"{text!r} is not the number of a port")
    return int(text)


def _time_zone(name: str) -> str:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name).key
    except (KeyError, OSError, ValueError) as error:
        raise ValueError(f"{name!r} is not a time zone, such as Europe/Berlin") from error


@dataclass(frozen=True, kw_only=True)
class PipelineOptions:
    database_url: Annotated[
        str,
        Option(
            "Database of runs as a URL of SQLAlchemy; empty where pipelines are not run.",
            "WINDLASS_PIPELINES_DATABASE",
            embedded=lambda data: f"sqlite:///{data / PIPELINES_DATABASE}",
            in_manager=_database,
            in_gateway=_database,
        ),
    ] = ""
    volumes: Annotated[
        str,
        Option(
            "Folder with the volumes of the embedded node; empty on a cluster, where artifacts are in an object store.",
            embedded=lambda data: str(data / VOLUMES),
        ),
    ] = ""
    pipeline_root: Annotated[
        str,
        Option(
            "On a cluster, where artifacts go if the namespace's `kfp-launcher` does not say.",
            "WINDLASS_PIPELINES_ROOT",
            in_manager=lambda site: site.flags.get(ROOT_FLAG, ""),
        ),
    ] = ""
    transfer_image: Annotated[
        str,
        Option(
            "Image of the containers that copy artifacts on a cluster: that of Windlass.",
            "WINDLASS_PIPELINES_IMAGE",
            in_manager=lambda site: site.image,
        ),
    ] = WINDLASS
    api_port: Annotated[
        int,
        Option(
            "On a cluster, the port at which the gateway serves the API to pods; 0 for none.",
            "WINDLASS_PIPELINES_API_PORT",
            _port,
            in_gateway=lambda _: str(API_PORT),
        ),
    ] = 0
    is_cache_enabled: Annotated[
        bool, Option("Whether outputs of earlier tasks are reused.", "CACHEENABLED", boolean)
    ] = True
    default_cache_staleness: Annotated[
        str,
        Option(
            "How old reused outputs may be unless the task says so, such as P7D; empty for any.",
            "DEFAULT_CACHE_STALENESS",
        ),
    ] = ""
    maximum_cache_staleness: Annotated[
        str, Option("How old reused outputs may be, whatever the task says.", "MAXIMUM_CACHE_STALENESS")
    ] = ""
    artifact_ttl_days: Annotated[
        int,
        Option(
            "How long artifacts are kept after their run has finished; 0 for ever.",
            "WINDLASS_PIPELINES_ARTIFACT_TTL_DAYS",
            _days,
        ),
    ] = 0
    workflow_ttl_seconds: Annotated[
        int,
        Option(
            "How long the Workflow of a finished run and its pods are kept.",
            "TTL_SECONDS_AFTER_WORKFLOW_FINISH",
            _seconds,
        ),
    ] = 86_400
    cron_time_zone: Annotated[
        str, Option("Time zone of cron expressions of recurring runs.", "CRON_SCHEDULE_TIMEZONE", _time_zone)
    ] = "UTC"
    pod_defaults: Annotated[
        dict[str, str],
        Option(
            "Settings of the server for the pods of tasks: proxies, CA bundle, security context.",
            variables=POD_VARIABLES,
        ),
    ] = field(default_factory=dict[str, str])
    """By the names of the variables."""
    url_domains: Annotated[
        tuple[str, ...],
        Option(
            "Hosts from which the API downloads pipelines; empty for all public ones.",
            "PIPELINE_URL_ALLOWED_DOMAINS",
            words,
        ),
    ] = ()
    is_url_http_allowed: Annotated[
        bool, Option("Whether pipelines are downloaded without TLS too.", "PIPELINE_URL_ALLOW_HTTP", boolean)
    ] = False
    is_url_validated: Annotated[
        bool,
        Option(
            "Whether those URLs are checked; if not, the API connects to any address.",
            "PIPELINE_URL_VALIDATION_ENABLED",
            boolean,
        ),
    ] = True
    requires_namespace: Annotated[
        bool,
        Option("Whether pipelines cannot be shared by all namespaces.", "REQUIRE_NAMESPACE_FOR_PIPELINES", boolean),
    ] = False
    url_timeout_seconds: Annotated[
        float, Option("Time for one download, such as 30 or 30s.", "PIPELINE_URL_TIMEOUT", _timeout)
    ] = 30.0
    allow_local_endpoints: Annotated[
        bool,
        Option(
            "Whether object stores of artifacts may be on this machine.",
            "WINDLASS_PIPELINES_LOCAL_ENDPOINTS",
            boolean,
        ),
    ] = False


DEFAULTS = PipelineOptions()
Options = PipelineOptions
