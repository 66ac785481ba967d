"""The metadata store at the gateway, by gRPC-web as upstream's pages speak it."""

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
import requests

from tests.apps.pipelines.wire.metadata.history import History
from tests.apps.pipelines.wire.people import PipelinesUser
from tests.gateway.platform import Platform
from windlass.apps.pipelines.rows import open_database
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.wire.metadata.methods import READS
from windlass.formats.protobuf_messages import decode, encode

BINARY, TEXT = "application/grpc-web+proto", "application/grpc-web-text"


@pytest.fixture
async def database(platform: Platform) -> AsyncIterator[Database]:
    database = await open_database(f"sqlite:///{platform.data_dir}/pipelines/pipelines.db")
    yield database
    await database.close()


def frame(message: bytes) -> bytes:
    return b"\0" + len(message).to_bytes(4) + message


def send(
    user: PipelinesUser | None, url: str, method: str, body: bytes, content_type: str = BINARY, **headers: str
) -> requests.Response:
    token = {"Authorization": f"Bearer {user.token}"} if user is not None else {}
    return requests.post(
        f"{url}/ml_metadata.MetadataStoreService/{method}",
        data=body,
        headers={**token, "Content-Type": content_type, **headers},
        timeout=60,
    )


def asked(user: PipelinesUser, method: str, content_type: str = BINARY, root: str = "/pipeline", **request: Any) -> Any:
    """The decoded answer of a successful call."""
    body = frame(encode(READS[method].request, request))
    is_text = content_type.startswith(TEXT)
    sent = base64.b64encode(body) if is_text else body
    response = send(user, user.url + root, method, sent, content_type)
    content = base64.b64decode(response.content) if is_text else response.content
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith(TEXT if is_text else BINARY)
    size = int.from_bytes(content[1:5])
    assert content[5 + size :].startswith(b"\x80\0\0\0")
    assert b"grpc-status:0\r\n" in content[5 + size :]
    return decode(READS[method].response, content[5 : 5 + size])


@pytest.mark.parametrize("content_type", [BINARY, "application/grpc-web", TEXT, f"{TEXT}+proto"])
@pytest.mark.parametrize("root", ["/pipeline", ""])
async def test_a_run_is_found_with_its_executions(
    anna: PipelinesUser, database: Database, content_type: str, root: str
) -> None:
    history = await History(namespace=anna.namespace).save(database)
    how = {"content_type": content_type, "root": root}
    named = {"type_name": "system.PipelineRun", "context_name": history.run_id}
    context = asked(anna, "GetContextByTypeAndName", **how, **named)["context"]
    executions = asked(anna, "GetExecutionsByContext", **how, context_id=context["id"])["executions"]

    assert {each["id"] for each in executions} == {history.number(name) for name in ("root", "import", "train", "use")}


async def test_the_numbers_are_those_of_the_api(anna: PipelinesUser, database: Database) -> None:
    history = await History(namespace=anna.namespace).save(database)
    details = {each["task_id"]: each for each in anna.get(f"/runs/{history.run_id}")["run_details"]["task_details"]}
    train = details[history.id("train")]
    (model,) = train["outputs"]["model"]["artifact_ids"]

    artifacts = asked(anna, "GetArtifactsByID", artifact_ids=[int(model)])["artifacts"]
    executions = asked(anna, "GetExecutionsByID", execution_ids=[int(train["execution_id"])])["executions"]
    assert [each["name"] for each in artifacts] == [history.id("model")]
    assert [each["name"] for each in executions] == [history.id("train")]


async def test_people_see_their_own_namespaces_alone(
    anna: PipelinesUser, bert: PipelinesUser, database: Database
) -> None:
    history = await History(namespace=anna.namespace).save(database)
    numbers = [history.number("model")]

    assert len(asked(anna, "GetArtifactsByID", artifact_ids=numbers)["artifacts"]) == 1
    assert asked(bert, "GetArtifactsByID", artifact_ids=numbers)["artifacts"] == []
    assert asked(bert, "GetEventsByArtifactIDs", artifact_ids=numbers)["events"] == []
    shown = str(asked(bert, "GetContexts"))
    assert history.run_id not in shown


@pytest.mark.parametrize(
    ("method", "body", "status", "message"),
    [
        ("PutArtifacts", frame(b""), "12", "Windlass records executions itself"),
        ("GetLineageGraph", frame(b""), "12", "GetLineageGraph"),
        ("GetExecutionType", frame(b""), "5", "No type found"),
        ("GetArtifacts", b"nonsense", "3", "not one gRPC message"),
        ("GetArtifacts", frame(b"\x0a\x09"), "3", "unexpected EOF"),
    ],
)
def test_refusals_are_statuses_of_grpc(
    anna: PipelinesUser, method: str, body: bytes, status: str, message: str
) -> None:
    response = send(anna, f"{anna.url}/pipeline", method, body)

    assert (response.status_code, response.headers["grpc-status"]) == (200, status)
    assert message in response.headers["grpc-message"]
    assert response.content == b""


@pytest.mark.parametrize("root", ["/pipeline", ""])
def test_nobody_reads_without_a_login(anna: PipelinesUser, root: str) -> None:
    without = send(None, anna.url + root, "GetArtifacts", frame(b""))
    wrong = send(None, anna.url + root, "GetArtifacts", frame(b""), TEXT, Authorization="Bearer nonsense")
    plain = send(None, anna.url + root, "GetArtifacts", frame(b""), "application/octet-stream")

    for response in (without, wrong):
        assert (response.status_code, response.headers["grpc-status"]) == (200, "16")
        assert "sign in" in response.headers["grpc-message"]
    assert plain.status_code == 401


def test_another_type_of_body_is_refused(anna: PipelinesUser) -> None:
    response = send(anna, f"{anna.url}/pipeline", "GetArtifacts", frame(b""), "application/json")

    assert (response.status_code, "application/grpc-web" in response.text) == (415, True)
