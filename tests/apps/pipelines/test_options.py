"""Settings of pipelines come from environment variables."""

import pytest

from windlass.apis.options import BadOption, read
from windlass.apps.pipelines.options import DEFAULTS, PipelineOptions


def options(**environment: str) -> PipelineOptions:
    return read(PipelineOptions, environment, flags={})


def test_empty_variables_count_as_none() -> None:
    assert options(CACHEENABLED="", PIPELINE_URL_TIMEOUT="", WINDLASS_PIPELINES_API_PORT="", HTTP_PROXY="") == DEFAULTS


def test_variables_are_converted() -> None:
    given = options(
        CACHEENABLED="false",
        PIPELINE_URL_TIMEOUT="30s",
        PIPELINE_URL_ALLOWED_DOMAINS="a.example, b.example,",
        WINDLASS_PIPELINES_API_PORT="8888",
        WINDLASS_PIPELINES_ARTIFACT_TTL_DAYS="7",
        CRON_SCHEDULE_TIMEZONE="Europe/Berlin",
        HTTP_PROXY="http://proxy",
    )

    assert (given.is_cache_enabled, given.url_timeout_seconds, given.api_port) == (False, 30.0, 8888)
    assert given.url_domains == ("a.example", "b.example")
    assert (given.artifact_ttl_days, given.cron_time_zone) == (7, "Europe/Berlin")
    assert given.pod_defaults == {"HTTP_PROXY": "http://proxy"}


@pytest.mark.parametrize(
    ("variable", "value", "problem"),
    [
        ("TTL_SECONDS_AFTER_WORKFLOW_FINISH", "1h", "'1h' is not a number of seconds"),
        ("WINDLASS_PIPELINES_ARTIFACT_TTL_DAYS", "-1", "'-1' is not a number of days"),
        ("WINDLASS_PIPELINES_API_PORT", "65536", "'65536' is not the number of a port"),
        ("PIPELINE_URL_TIMEOUT", "0", "'0' is not a number of seconds, such as 30 or 30s"),
        ("CRON_SCHEDULE_TIMEZONE", "Mars/Olympus", "'Mars/Olympus' is not a time zone, such as Europe/Berlin"),
    ],
)
def test_a_bad_value_is_named_with_its_variable(variable: str, value: str, problem: str) -> None:
    with pytest.raises(BadOption) as refused:
        options(**{variable: value})

    assert refused.value.message == f"{variable}: {problem}"
