"""The webhooks over HTTPS, their certificate in a Secret of a real server, and the CA where API servers look for it."""

import base64
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.apis.verdicts import NO_CHECKS
from tests.kube.live import until
from tests.webhooks.builders import a_job, admission
from windlass.apps.training.app import APP as TRAINING
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.json import Json, Object, encode
from windlass.kube.listening import CannotListen
from windlass.kube.meta import Key
from windlass.webhooks.addresses import Service
from windlass.webhooks.configuration import VALIDATING, configurations, objects_with_ca
from windlass.webhooks.handlers import handlers
from windlass.webhooks.server import Handlers, Webhooks, serving
from windlass.webhooks.trust import SECRET, FileCertificates, SecretCertificates, Unusable

NAMES = ("localhost", "127.0.0.1")
WITH_CA = objects_with_ca([TRAINING])


def printed(namespace: str) -> Object:
    """The ValidatingWebhookConfiguration of training jobs."""
    return configurations([TRAINING], Service(name="hooks", namespace=namespace))[0]


def answering(client: Client) -> Handlers:
    return handlers([TRAINING], client, NO_CHECKS)


VALIDATE = "/validate-kubeflow-org-v1-pytorchjob"


@pytest.fixture
async def configuration(client: Client, room: str) -> AsyncIterator[str]:
    """The printed configuration; its name."""
    made = await client.create(printed(room), kind=VALIDATING)
    name = made["metadata"]["name"]
    yield name
    await client.delete(VALIDATING, Key("", name))


async def bundles(client: Client, name: str) -> set[str]:
    webhooks = (await client.get(VALIDATING, name))["webhooks"]
    return {webhook["clientConfig"].get("caBundle", "") for webhook in webhooks}


async def held(client: Client, room: str) -> dict[str, str]:
    return (await client.get(SECRET, "pair", room))["data"]


async def asked(port: int, path: str, body: bytes, ca: bytes) -> tuple[int, str]:
    tls = ssl.create_default_context(cadata=ca.decode())
    async with (
        aiohttp.ClientSession() as session,
        session.request(
            "GET" if body is None else "POST", f"https://localhost:{port}{path}", data=body, ssl=tls
        ) as got,
    ):
        return got.status, await got.text()


async def is_ready(port: int) -> bool:
    async with aiohttp.ClientSession() as session:
        try:
            async with session.get(f"https://localhost:{port}/readyz", ssl=False) as answer:
                return answer.status == 200
        except aiohttp.ClientError:  # there is no certificate to show yet
            return False


async def test_reviews_are_answered_with_a_certificate_that_the_configuration_trusts(
    client: Client, room: str, configuration: str
) -> None:
    async with serving(
        SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA), 0, answering(client), host="127.0.0.1"
    ) as webhooks:
        await until(lambda: is_ready(webhooks.port))
        (bundle,) = await bundles(client, configuration)
        ca = base64.b64decode(bundle)
        status, told = await asked(webhooks.port, VALIDATE, encode(admission(a_job())), ca)
        nonsense = await asked(webhooks.port, VALIDATE, b"{", ca)
        no_review = await asked(webhooks.port, VALIDATE, b"{}", ca)
        nowhere = await asked(webhooks.port, "/validate-nothing", b"{}", ca)

    assert status == 200
    assert "spec.pytorchReplicaSpecs: Required value" in told
    assert nonsense[0] == 400
    assert nonsense[1].startswith("the body is not JSON")
    assert no_review[0] == 400
    assert "AdmissionReview" in no_review[1]
    assert nowhere[0] == 404


async def test_managers_that_start_at_once_show_the_same_certificate(client: Client, room: str) -> None:
    one, other = (SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA) for _ in range(2))

    assert await one.current() == await other.current() == await one.current()


async def test_a_secret_that_is_gone_or_broken_is_made_again_and_trusted(
    client: Client, room: str, configuration: str
) -> None:
    webhooks = Webhooks(SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA), answering(client))
    await webhooks.refresh()
    first = await bundles(client, configuration)

    secret = await client.get(SECRET, "pair", room)
    await client.update({**secret, "data": {**secret["data"], "ca.crt": "AAAA"}}, kind=SECRET)
    await webhooks.refresh()
    second = await bundles(client, configuration)
    await client.delete(SECRET, Key(room, "pair"))
    await webhooks.refresh()

    third = await bundles(client, configuration)
    assert len(first) == len(second) == len(third) == 1
    assert len(first | second | third) == 3
    assert third == {(await held(client, room))["ca.crt"]}


async def test_a_configuration_that_lost_the_ca_gets_it_back(client: Client, room: str, configuration: str) -> None:
    webhooks = Webhooks(SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA), answering(client))
    await webhooks.refresh()
    before = await bundles(client, configuration)
    live = await client.get(VALIDATING, configuration)
    await client.update({**printed(room), "metadata": live["metadata"]}, kind=VALIDATING)
    assert await bundles(client, configuration) == {""}

    await webhooks.refresh()

    assert await bundles(client, configuration) == before


async def test_a_certificate_of_files_is_read_anew_and_its_ca_is_made_trusted(
    client: Client, room: str, configuration: str, tmp_path: Path
) -> None:
    await SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA).current()
    files = FileCertificates(client, tmp_path, WITH_CA)
    with pytest.raises(Unusable, match=r"tls\.crt: No such file or directory"):
        await files.current()

    for name, content in (await held(client, room)).items():
        (tmp_path / name).write_bytes(base64.b64decode(content))
    await Webhooks(files, answering(client)).refresh()

    assert await bundles(client, configuration) == {(await held(client, room))["ca.crt"]}


async def test_a_certificate_that_cannot_be_used_is_told(client: Client, tmp_path: Path) -> None:
    for name in ("tls.crt", "tls.key"):
        (tmp_path / name).write_text("nonsense")

    with pytest.raises(Unusable, match="the certificate and its key cannot be used"):
        await Webhooks(FileCertificates(client, tmp_path, WITH_CA), answering(client)).refresh()


async def test_a_secret_in_no_namespace_is_an_error_and_not_ready(client: Client) -> None:
    webhooks = Webhooks(SecretCertificates(client, Key("nowhere", "pair"), NAMES, WITH_CA), answering(client))

    with pytest.raises(errors.NotFound):
        await webhooks.refresh()


async def test_a_port_that_is_taken_is_told(client: Client, room: str) -> None:
    certificates = SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA)
    async with serving(certificates, 0, answering(client), host="127.0.0.1") as webhooks:
        with pytest.raises(CannotListen, match=f"cannot listen on 127.0.0.1:{webhooks.port}: Address already in use"):
            async with serving(certificates, webhooks.port, answering(client), host="127.0.0.1"):
                pass


async def test_a_webhook_that_cannot_learn_what_it_must_know_says_so(client: Client, room: str) -> None:
    async def nobody_answers(review: Json) -> Object:
        raise errors.Forbidden("queues is forbidden")

    certificates = SecretCertificates(client, Key(room, "pair"), NAMES, WITH_CA)
    async with serving(certificates, 0, {"/jobs/validate": nobody_answers}, host="127.0.0.1") as webhooks:
        await until(lambda: is_ready(webhooks.port))
        ca = base64.b64decode((await held(client, room))["ca.crt"])
        answer = await asked(webhooks.port, "/jobs/validate", b"{}", ca)

    assert answer == (503, "queues is forbidden\n")
