"""Settings of the platform's controllers: environment variables of the manager, under upstream's names."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from windlass.cli.failure import Failure

if TYPE_CHECKING:
    from windlass.apps.notebooks.options import Options
    from windlass.apps.pipelines.options import PipelineOptions
    from windlass.supervisor.datadir import DataDir


def notebook_options(environment: Mapping[str, str]) -> "Options":
    """Raises Failure for a number of minutes that is none."""
    from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing
    from windlass.apps.notebooks.options import DEFAULTS, Options

    def minutes(name: str, default: timedelta) -> timedelta:
        given = environment.get(name, "")
        if not given:
            return default
        if not given.isascii() or not given.isdigit() or not int(given[:9]) > 0 or len(given) > 9:
            raise Failure(f"{name}: {given!r} is not a number of minutes")
        return timedelta(minutes=int(given))

    routing = Routing(
        use_istio=is_true(environment, "USE_ISTIO", default=True),
        istio_gateway=environment.get("ISTIO_GATEWAY") or DEFAULT_ROUTING.istio_gateway,
        istio_host=environment.get("ISTIO_HOST") or DEFAULT_ROUTING.istio_host,
        cluster_domain=environment.get("CLUSTER_DOMAIN") or DEFAULT_ROUTING.cluster_domain,
    )
    return Options(
        routing=routing,
        add_fs_group=is_true(environment, "ADD_FSGROUP", default=True),
        enable_culling=is_true(environment, "ENABLE_CULLING", default=False),
        cull_idle_time=minutes("CULL_IDLE_TIME", DEFAULTS.cull_idle_time),
        idleness_check_period=minutes("IDLENESS_CHECK_PERIOD", DEFAULTS.idleness_check_period),
        cull_consider_cpu=is_true(environment, "CULL_CONSIDER_CPU", default=DEFAULTS.cull_consider_cpu),
        cull_busy_millicores=_millicores(environment, "CULL_BUSY_CPU", DEFAULTS.cull_busy_millicores),
    )


def _millicores(environment: Mapping[str, str], name: str, default: int) -> int:
    from windlass.kube.quantity import Quantity

    given = environment.get(name, "")
    if not given:
        return default
    try:
        amount = Quantity.parse(given).milli()
    except ValueError:
        amount = 0
    if amount <= 0:
        raise Failure(f"{name}: {given!r} is not an amount of CPU, such as 100m")
    return amount


def is_true(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    given = environment.get(name, "")
    return given == "true" if given else default


def url_timeout(text: str) -> float:
    from windlass.apps.pipelines.options import DEFAULTS

    digits = text.removesuffix("s")
    if not text:
        return DEFAULTS.url_timeout_seconds
    if not (digits.isascii() and digits.isdigit() and 0 < int(digits) <= 3600):
        raise Failure(f"PIPELINE_URL_TIMEOUT: {text!r} is not a number of seconds, such as 30 or 30s")
    return float(digits)


def words(text: str) -> tuple[str, ...]:
    """The words of a list that is separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def pipeline_options(environment: Mapping[str, str], data: "DataDir", *, is_embedded: bool) -> "PipelineOptions":
    """Raises Failure for a number of seconds that is none."""
    from windlass.apps.pipelines.options import DEFAULTS, POD_VARIABLES, PipelineOptions

    url = environment.get("WINDLASS_PIPELINES_DATABASE", "")
    ttl = environment.get("TTL_SECONDS_AFTER_WORKFLOW_FINISH", "")
    if ttl and not (ttl.isascii() and ttl.isdigit() and len(ttl) <= 9):
        raise Failure(f"TTL_SECONDS_AFTER_WORKFLOW_FINISH: {ttl!r} is not a number of seconds")
    days = environment.get("WINDLASS_PIPELINES_ARTIFACT_TTL_DAYS", "")
    if days and not (days.isascii() and days.isdigit() and len(days) <= 5):
        raise Failure(f"WINDLASS_PIPELINES_ARTIFACT_TTL_DAYS: {days!r} is not a number of days")
    return PipelineOptions(
        database_url=url or (f"sqlite:///{data.pipelines}" if is_embedded else ""),
        volumes=str(data.root / "volumes") if is_embedded else "",
        pipeline_root=environment.get("WINDLASS_PIPELINES_ROOT", ""),
        transfer_image=environment.get("WINDLASS_PIPELINES_IMAGE") or DEFAULTS.transfer_image,
        api_port=_port(environment.get("WINDLASS_PIPELINES_API_PORT", "")),
        is_cache_enabled=is_true(environment, "CACHEENABLED", default=True),
        default_cache_staleness=environment.get("DEFAULT_CACHE_STALENESS", ""),
        maximum_cache_staleness=environment.get("MAXIMUM_CACHE_STALENESS", ""),
        artifact_ttl_days=int(days) if days else 0,
        workflow_ttl_seconds=int(ttl) if ttl else DEFAULTS.workflow_ttl_seconds,
        cron_time_zone=_time_zone(environment.get("CRON_SCHEDULE_TIMEZONE", "")),
        pod_defaults={name: environment[name] for name in POD_VARIABLES if environment.get(name)},
        url_domains=words(environment.get("PIPELINE_URL_ALLOWED_DOMAINS", "")),
        is_url_http_allowed=is_true(environment, "PIPELINE_URL_ALLOW_HTTP", default=False),
        is_url_validated=is_true(environment, "PIPELINE_URL_VALIDATION_ENABLED", default=True),
        requires_namespace=is_true(environment, "REQUIRE_NAMESPACE_FOR_PIPELINES", default=False),
        url_timeout_seconds=url_timeout(environment.get("PIPELINE_URL_TIMEOUT", "")),
        allow_local_endpoints=is_true(environment, "WINDLASS_PIPELINES_LOCAL_ENDPOINTS", default=False),
    )


def _port(text: str) -> int:
    if text and not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536):
        raise Failure(f"WINDLASS_PIPELINES_API_PORT: {text!r} is not the number of a port")
    return int(text or "0")


def _time_zone(name: str) -> str:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name or "UTC").key
    except (KeyError, OSError, ValueError) as error:
        raise Failure(f"CRON_SCHEDULE_TIMEZONE: {name!r} is not a time zone, such as Europe/Berlin") from error
