"""Settings of notebooks come from upstream's environment variables."""

from datetime import timedelta

import pytest

from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing
from windlass.apis.options import BadOption, read
from windlass.apps.notebooks.options import DEFAULTS, Options


def notebook_options(environment: dict[str, str]) -> Options:
    return read(Options, environment, flags={})


def test_without_variables_the_defaults_hold() -> None:
    assert notebook_options({}) == DEFAULTS
    assert read(Routing, {}, flags={}) == DEFAULT_ROUTING


def test_each_variable_is_a_setting() -> None:
    environment = {
        "ENABLE_CULLING": "true",
        "CULL_IDLE_TIME": "30",
        "IDLENESS_CHECK_PERIOD": "5",
        "USE_ISTIO": "false",
        "ISTIO_GATEWAY": "ns/gateway",
        "ISTIO_HOST": "example.com",
        "CLUSTER_DOMAIN": "corp",
        "ADD_FSGROUP": "false",
        "CULL_CONSIDER_CPU": "true",
        "CULL_BUSY_CPU": "0.5",
    }
    options = notebook_options(environment)

    assert options.enable_culling
    assert options.cull_idle_time == timedelta(minutes=30)
    assert options.idleness_check_period == timedelta(minutes=5)
    assert not options.add_fs_group
    assert (options.cull_consider_cpu, options.cull_busy_millicores) == (True, 500)
    routing = read(Routing, environment, flags={})
    assert (routing.use_istio, routing.istio_gateway, routing.istio_host, routing.cluster_domain) == (
        False,
        "ns/gateway",
        "example.com",
        "corp",
    )


@pytest.mark.parametrize("minutes", ["soon", "0", "-1", "1.5", "99999999999"])
def test_what_is_no_number_of_minutes_is_refused(minutes: str) -> None:
    with pytest.raises(BadOption, match="CULL_IDLE_TIME"):
        notebook_options({"CULL_IDLE_TIME": minutes})


@pytest.mark.parametrize("amount", ["much", "0", "-1"])
def test_what_is_no_amount_of_cpu_is_refused(amount: str) -> None:
    with pytest.raises(BadOption, match="CULL_BUSY_CPU"):
        notebook_options({"CULL_BUSY_CPU": amount})
