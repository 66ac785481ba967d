"""Whatever is sent, the API refuses it by name or takes it: it never fails inside."""

import json
import random
import re
from typing import Any
from urllib.parse import quote

import pytest

from tests.apps.pipelines.wire.people import IR, WORKFLOW, PipelinesUser
from windlass.apps.pipelines.wire.routes import V2, Route
from windlass.apps.pipelines.wire.shapes import EXPERIMENT, PIPELINE, RECURRING_RUN, RUN, VERSION
from windlass.apps.pipelines.wire.v1 import shapes as v1_shapes
from windlass.apps.pipelines.wire.v1.routes import V1

STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 2**70, "", "x", "\0", "\ud800", "é🚂", "x" * 5000, "'; --",
    [], [None], {}, {"a": {"b": []}},
)  # fmt: skip
STRANGE_PARTS = ("x", "..", "%2e%2e", "a:b", "%00", "é", "x" * 600, "'", "%25", "-")
ROUNDS = 25


def variables(route: Route) -> list[str]:
    return list(route.pattern.groupindex)


def path_of(route: Route, part: str) -> str:
    path = re.sub(r"\(\?P<\w+>[^)]*\)", "\0", route.pattern.pattern).replace("\\", "")
    return "/" + path.replace("\0", part)


def strange_body(chance: random.Random) -> Any:
    """A message some of whose fields have values that do not belong there."""
    message = chance.choice((EXPERIMENT, PIPELINE, VERSION, RUN, RECURRING_RUN, v1_shapes.RUN, v1_shapes.JOB))
    body: dict[str, Any] = {name: chance.choice(STRANGE) for name in message.fields if chance.random() < 0.3}
    if chance.random() < 0.5:
        body |= {"display_name": "x", "pipeline_spec": mutated(chance.choice((IR, WORKFLOW)), chance)}
    elif chance.random() < 0.5:
        body |= {"name": "x", "pipeline_spec": {"workflow_manifest": json.dumps(mutated(WORKFLOW, chance))}}
    return chance.choice((body, body, body, chance.choice(STRANGE), [body]))


def mutated(value: Any, chance: random.Random) -> Any:
    if chance.random() < 0.06:
        return chance.choice(STRANGE)
    if isinstance(value, dict):
        return {key: mutated(item, chance) for key, item in value.items()}
    if isinstance(value, list):
        return [mutated(item, chance) for item in value]
    return value


def sendable(value: Any) -> bytes:
    return json.dumps(value).encode()


def name_of(value: Any) -> str:
    return value if isinstance(value, str) else f"{value.method} {value.pattern.pattern}"


@pytest.mark.parametrize(
    ("version", "route"), [*(("v2beta1", each) for each in V2), *(("v1beta1", each) for each in V1)], ids=name_of
)
def test_no_request_fails_inside(anna: PipelinesUser, version: str, route: Route) -> None:
    chance = random.Random(f"{route.method} {route.pattern.pattern}")
    for part in STRANGE_PARTS if variables(route) else ("x",):
        for _ in range(ROUNDS if route.method in ("POST", "PATCH") and part == "x" else 2):
            body = sendable(strange_body(chance)) if route.method in ("POST", "PATCH") else None
            if body is not None and chance.random() < 0.1:
                body = body[: chance.randrange(len(body) + 1)]
            query = strange_query(chance)
            answer = anna.send(route.method, path_of(route, part) + query, version=version, data=body)
            assert answer.status_code < 500 or answer.status_code == 501, (part, body, query, answer.text)


def strange_query(chance: random.Random) -> str:
    names = ("page_size", "page_token", "sort_by", "filter", "namespace", "experiment_id", "view", "name", "task_ids")
    given = {name: chance.choice(STRANGE) for name in names if chance.random() < 0.3}
    texts = (f"{name}={quote(str(value).encode('utf-8', 'replace'))}" for name, value in given.items())
    return "?" + "&".join(texts) if given else ""
