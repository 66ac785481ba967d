"""Readers of JSON that users, pods or strangers write refuse nested text with their own error, or take it for none."""

import ast
import base64
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import windlass
from tests.scheduler.extender_server import Server
from windlass.apiserver.admission.reviews import patched
from windlass.apiserver.auth.jws import BadToken, split
from windlass.apiserver.builtin import RESOURCES
from windlass.apiserver.builtin.autoscaling import to_v2
from windlass.apiserver.builtin.configuration import Secrets
from windlass.apiserver.verbs.list import ContinueToken
from windlass.apps.notebooks.children import REQUEST_HEADERS, request_headers
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.pipelines.argo.kfp.metrics import read_metrics
from windlass.apps.pipelines.artifacts.stores.remote_records import UNFINISHED, record_version, recorded_version
from windlass.apps.pipelines.runs.artifacts.container_outputs import BadOutputs, decoded_output
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.listing import parsed_filter, read_token
from windlass.apps.tensorboards.controllers.runs import runs_of
from windlass.apps.training.conversion import round_trip
from windlass.formats import json_or_yaml
from windlass.gateway.live import messages
from windlass.gateway.tokens.bearer import claims_of
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, BadRequest, InternalError
from windlass.kube.exec_plugin import Plugin, read_answer
from windlass.kube.meta import ObjectMeta
from windlass.kube.transport import Request, Response
from windlass.node.images.image import PullFailed
from windlass.node.images.reference import parse as parse_reference
from windlass.node.oci.credentials import keyring
from windlass.node.oci.manifests import read as read_manifest
from windlass.node.seccomp.localhost import parse as parse_profile
from windlass.scheduler.extender_http import over_http
from windlass.scheduler.plugins.extender.client import CallbackFailed

N = 5_000  # more would not fit into the headers of a request
NESTED = ["[" * N, "[" * N + "]" * N, '{"a":' * N + "1" + "}" * N, '{"type":"subscribe","x":' + "[" * N + "]" * N + "}"]


def token(text: str) -> str:
    part = base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
    return f"{part}.{part}.{part}"


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def docker_config(text: str) -> dict[str, Any]:
    return {"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": base64_of(text)}}


def behavior(text: str) -> Any:
    annotations = {"autoscaling.alpha.kubernetes.io/behavior": text}
    return to_v2({"metadata": {"annotations": annotations}, "spec": {}})["spec"].get("behavior")


CONFIG_MAPS = next(each for each in RESOURCES if each.plural == "configmaps")
PLUGIN = Plugin("p", (), {}, "client.authentication.k8s.io/v1", "Never", "", None)
REFUSING: dict[str, tuple[Callable[[str], Any], type[Exception]]] = {
    "token": (lambda text: split(token(text)), BadToken),
    "page token": (lambda text: read_token(base64.b64encode(text.encode()).decode()), InvalidArgument),
    "filter": (parsed_filter, InvalidArgument),
    "message": (messages.read, BadRequest),
    "continue token": (lambda text: ContinueToken.decode(base64_of(text)), BadRequest),
    "patch of a webhook": (lambda text: patched("w", CONFIG_MAPS, {}, {"patch": base64_of(text)}), InternalError),
    "manifest": (lambda text: read_manifest(b'{"layers":[],"x":' + text.encode() + b"}"), PullFailed),
    "seccomp profile": (
        lambda text: parse_profile(b'{"defaultAction":"SCMP_ACT_ALLOW","x":' + text.encode() + b"}"),
        ValueError,
    ),
    "credential of a plug-in": (lambda text: read_answer(PLUGIN, b'{"x":' + text.encode() + b"}"), ValueError),
    "executor output": (lambda text: decoded_output(text.encode()), BadOutputs),
}
IGNORING: dict[str, tuple[Callable[[str], Any], Any]] = {
    "claims": (lambda text: claims_of(token(text)), {}),
    "headers": (lambda text: request_headers(Notebook(metadata=ObjectMeta(annotations={REQUEST_HEADERS: text}))), {}),
    "runs": (lambda text: runs_of(text.encode()), None),
    "annotation of an autoscaler": (behavior, None),
    "pull secret": (lambda text: keyring([docker_config(text)]).matching(parse_reference("a/b:1")), []),
    "metrics": (lambda text: read_metrics(text.encode()), []),
    "kept fields": (round_trip.read, round_trip.Kept()),
}


@pytest.mark.parametrize("text", NESTED, ids=range(4))
@pytest.mark.parametrize("name", REFUSING)
def test_nested_json_is_refused_with_the_reader_s_own_error(name: str, text: str) -> None:
    read, error = REFUSING[name]
    with pytest.raises(error):
        read(text)


@pytest.mark.parametrize("levels", [201, 300, 900])
def test_nesting_that_the_decoder_could_read_is_refused_too(levels: int) -> None:
    text = '{"a":' * levels + "1" + "}" * levels
    with pytest.raises(ValueError, match="nested deeper than 200 levels"):
        json_or_yaml.parse(text)
    with pytest.raises(BadOutputs, match="nested deeper than 200 levels"):
        decoded_output(text.encode())


@pytest.mark.parametrize("text", NESTED, ids=range(4))
@pytest.mark.parametrize("name", IGNORING)
def test_nested_json_of_pods_and_annotations_is_taken_for_none(name: str, text: str) -> None:
    read, nothing = IGNORING[name]
    assert read(text) == nothing


@pytest.mark.parametrize("text", NESTED, ids=range(4))
def test_a_secret_whose_docker_config_is_nested_is_refused_by_its_field(text: str) -> None:
    [cause] = Secrets().validate(docker_config(text))

    assert (cause.field, "nested deeper than 200 levels" in cause.message) == ("data[.dockerconfigjson]", True)


@pytest.mark.parametrize("text", NESTED, ids=range(4))
def test_a_nested_answer_of_an_extender_is_a_failed_callback(text: str) -> None:
    server = Server()
    server.answers["predicate"] = text.encode()
    try:
        with pytest.raises(CallbackFailed, match="the answer is not JSON: nested deeper than 200 levels"):
            over_http(server.url, 60)("predicate", {})
    finally:
        server.stop()


@pytest.mark.parametrize("text", NESTED, ids=range(4))
async def test_a_nested_error_of_a_server_is_an_error_with_its_beginning(text: str) -> None:
    class Failing:
        async def request(self, request: Request) -> Response:
            return Response(400, {}, text.encode())

    with pytest.raises(ApiError, match=re.escape(text[:100])):
        await Client(cast(Any, Failing())).send(Request("GET", "/x"))


@pytest.mark.parametrize("text", NESTED, ids=range(4))
def test_a_nested_record_is_that_of_a_transfer_that_has_not_ended(tmp_path: Path, text: str) -> None:
    record_version(tmp_path, "a", {"etag": "1"})
    [record] = [path for path in tmp_path.rglob("*") if path.is_file()]
    record.write_text(text)

    assert recorded_version(tmp_path, "a") == UNFINISHED


# --- no reader forgets it

DECODE_ERRORS = {"DecodeError", "MsgspecError", "JSONDecodeError"}
PERHAPS_DECODE_ERRORS = {"ValidationError", "ValueError"}
COVERING = {"RecursionError", "Exception", "BaseException"}
DECODING = {"json.loads", "json.load", "json.decode", "msgspec.json.decode", "jwt.decode"}
OWN_FILES = {
    # Written by Windlass itself or by the machine's administrator, and out of the reach of pods and users.
    "apiserver/pki.py",
    "formats/yaml_reader.py",  # what its composer has made, within limits
    "kube/view.py",  # what an API server has accepted
    "node/images/environments.py",
    "node/images/interpreters.py",
    "node/network/uplink.py",
    "node/runtimes/podman/engine.py",
    "node/runtimes/process/links.py",
    "node/runtimes/sandbox/store.py",
    "supervisor/datadir.py",
    "supervisor/leftover_pods.py",
    "supervisor/local_api.py",
    "supervisor/node_facts.py",
    "supervisor/run_state.py",
}
IN_PODS = "node/images/programs/"
"""Programs that run in the pod of the user who gives them their input, and with nobody else's rights."""


def suspects(source: str) -> Iterator[int]:
    """The lines of readers that expect malformed JSON, and not nested JSON."""
    tree = ast.parse(source)
    plain = any(
        isinstance(node, ast.ImportFrom)
        and node.module == "windlass.kube.json"
        and any(each.name == "decode" for each in node.names)
        for node in ast.walk(tree)
    )
    calls = DECODING | ({"decode"} if plain else set())
    for node in ast.walk(tree):
        match node:
            case ast.Try(body=body, handlers=[_, *_] as handlers):
                expected = {name for handler in handlers for name in caught(handler.type)}
            case ast.With(body=body, items=[ast.withitem(context_expr=ast.Call(func=func, args=args))]) if ast.unparse(
                func
            ).endswith("suppress"):
                expected = {name for each in args for name in caught(each)}
            case _:
                continue
        decodes = any(is_decoding(inner, calls) for each in body for inner in ast.walk(each))
        if expected & (DECODE_ERRORS | (PERHAPS_DECODE_ERRORS if decodes else set())) and not expected & COVERING:
            yield node.lineno


def caught(expression: ast.expr | None) -> Iterator[str]:
    if expression is None:
        yield "BaseException"
    elif isinstance(expression, ast.Tuple):
        for each in expression.elts:
            yield from caught(each)
    else:
        yield ast.unparse(expression).rpartition(".")[2]


def is_decoding(node: ast.AST, calls: set[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    return called in calls or called.endswith(("decoder.decode", ".raw_decode"))


@pytest.mark.parametrize(
    ("source", "is_suspect"),
    [
        ("try:\n x = read(a)\nexcept msgspec.DecodeError:\n pass", True),
        ("try:\n x = read(a)\nexcept (msgspec.DecodeError, RecursionError):\n pass", False),
        ("try:\n x = json.loads(a)\nexcept ValueError:\n pass", True),
        ("try:\n x = int(a)\nexcept ValueError:\n pass", False),
        ("try:\n x = self._decoder.decode(a)\nexcept msgspec.ValidationError:\n pass", True),
        ("try:\n x = msgspec.convert(a, A)\nexcept msgspec.ValidationError:\n pass", False),
        ("with contextlib.suppress(ValueError):\n x = msgspec.json.decode(a)", True),
        ("from windlass.kube.json import decode\ntry:\n x = decode(a)\nexcept ValueError:\n pass", True),
        ("from windlass.kube.json import parse\ntry:\n x = parse(a)\nexcept ValueError:\n pass", False),
    ],
)
def test_a_reader_that_forgets_nested_json_is_found(source: str, is_suspect: bool) -> None:
    assert bool(list(suspects(source))) is is_suspect


def test_every_reader_that_expects_malformed_json_expects_nested_json() -> None:
    """`windlass.kube.json.parse` and `parse_as` do; others catch RecursionError too."""
    root = Path(windlass.__file__).parent
    found = {
        f"{path.relative_to(root)}:{line}"
        for path in root.rglob("*.py")
        for line in suspects(path.read_text())
        if str(path.relative_to(root)) not in {"kube/json.py", *OWN_FILES}
        and not str(path.relative_to(root)).startswith(IN_PODS)
    }

    assert found == set()
