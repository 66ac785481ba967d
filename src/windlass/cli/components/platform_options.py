"""Settings of the platform's controllers: environment variables of the manager, under upstream's names."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from windlass.cli.failure import Failure

if TYPE_CHECKING:
    from windlass.apis.notebooks.options import Options


def notebook_options(environment: Mapping[str, str]) -> "Options":
    """Raises Failure for a number of minutes that is none."""
    from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing
    from windlass.apis.notebooks.options import DEFAULTS, Options

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
    )


def is_true(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    given = environment.get(name, "")
    return given == "true" if given else default
