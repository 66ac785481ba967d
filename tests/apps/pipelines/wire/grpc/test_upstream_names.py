"""The tables of v2beta1 against the package kfp-server-api, which upstream generates from the same proto files.

It has the names of fields, enumerations and routes. Numbers it does not have: see test_tables.py.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.wire.grpc.clients import V2
from tests.e2e.pipelines.sdk import KFP2
from tests.e2e.training.sdk_environment import run_story, sdk_python
from windlass.apps.pipelines.wire.grpc import v2_messages
from windlass.apps.pipelines.wire.grpc.api import SERVICES
from windlass.formats.protobuf_messages import EnumOf, Message

PRINTED = Path(__file__).with_name("upstream_api.py")
MESSAGES = {
    message.name: message
    for message in vars(v2_messages).values()
    if isinstance(message, Message) and "." not in message.name
}
NOT_BY_GRPC = {"DummyFilterServiceApi", "PipelineUploadServiceApi"}
OLDER = {("runs/{}/nodes/{}/artifacts/{}:read", "GET")}
"""Routes of earlier versions that are still served."""


@pytest.fixture(scope="module")
def upstream() -> Any:
    return run_story(sdk_python(*KFP2), PRINTED, (), 120)


def test_messages_have_upstreams_fields(upstream: Any) -> None:
    fields = upstream["fields"]
    compared = {name: message for name, message in MESSAGES.items() if f"V2beta1{name}" in fields}

    assert len(compared) > 20
    for name, message in compared.items():
        assert sorted(message.fields) == fields[f"V2beta1{name}"], name


@pytest.mark.parametrize(
    ("model", "message", "field"),
    [
        ("V2beta1RuntimeState", v2_messages.RUN, "state"),
        ("V2beta1RunStorageState", v2_messages.RUN, "storage_state"),
        ("V2beta1ExperimentStorageState", v2_messages.EXPERIMENT, "storage_state"),
        ("RecurringRunMode", v2_messages.RECURRING_RUN, "mode"),
        ("V2beta1RecurringRunStatus", v2_messages.RECURRING_RUN, "status"),
        ("V2beta1PluginState", v2_messages.PLUGIN_OUTPUT, "state"),
        ("MetadataValueRenderType", v2_messages.METADATA_VALUE, "render_type"),
        ("V2beta1VisualizationType", v2_messages.VISUALIZATION, "type"),
    ],
)
def test_enumerations_have_upstreams_names_in_its_order(
    upstream: Any, model: str, message: Message, field: str
) -> None:
    type = message.fields[field][1]

    assert isinstance(type, EnumOf)
    assert [name for name in type.names if name] == upstream["values"][model]


def test_methods_have_upstreams_routes(upstream: Any) -> None:
    served = {
        (re.sub(r"\{[^}]+\}", "{}", method.route.path), method.route.method)
        for service, methods in SERVICES.items()
        if service.startswith(V2)
        for method in methods.values()
    }
    generated = {
        (re.sub(r"\{[^}]+\}", "{}", path), verb)
        for name, routes in upstream["routes"].items()
        if name not in NOT_BY_GRPC
        for path, verb in routes
    }

    assert served == generated | OLDER
