"""`windlass ssh` of a person who has the address of the gateway and an access token, and nothing else."""

import json
import subprocess
from collections.abc import Iterator
from typing import Any

import aiohttp
import pytest

from tests.e2e.notebooks.desk import Desk, desk_of_a_person
from tests.e2e.notebooks.test_other_servers import SERVER, a_notebook
from tests.gateway.platform import Platform
from tests.support import KUBECTL

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(300),
]

MAY_LOOK = """
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {{name: reader}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}}
subjects: [{{apiGroup: rbac.authorization.k8s.io, kind: User, name: {email}}}]
"""


@pytest.fixture
def other(platform: Platform) -> Iterator[Desk]:
    with desk_of_a_person(platform) as desk:
        yield desk


@pytest.fixture
def lab(desk: Desk) -> Desk:
    server = {"image": "windlass/file-browser", "command": ["python3", "-c", SERVER]}
    desk.apply(a_notebook("lab", "group-one", {}, **server))
    desk.until_ready("notebook", "lab")
    return desk


def token_of(desk: Desk) -> str:
    done = desk.platform.windlass("user", "token", desk.person.email, "--name", "laptop")
    assert done.returncode == 0, done.stderr
    return next(word for word in done.stdout.split() if word.startswith("wlp_"))


def ssh(who: Desk, namespace: str, *command: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """From a machine without a data directory or kubeconfig."""
    elsewhere = {"WINDLASS_DATA_DIR": "/nowhere", "WINDLASS_URL": who.platform.url, "WINDLASS_TOKEN": token_of(who)}
    return who.platform.windlass("ssh", "-n", namespace, "lab", "--", *command, stdin=stdin, **elsewhere)


def audited(platform: Platform, user: str) -> list[dict[str, Any]]:
    log = (platform.data_dir / "logs" / "audit.log").read_text()
    lines = [json.loads(line) for line in log.splitlines()]
    return [line for line in lines if line["event"].startswith("exec") and line["user"] == user]


def test_a_command_runs_in_ones_own_notebook_and_in_no_other(lab: Desk, other: Desk) -> None:
    done = ssh(lab, lab.namespace, "sh", "-c", "read line; echo $line at $(hostname); exit 3", stdin="hello\n")
    assert (done.returncode, done.stdout) == (3, "hello at lab-0\n"), done.stderr

    refused = ssh(other, lab.namespace, "id")
    assert refused.returncode == 1
    assert 'cannot get resource "notebooks"' in refused.stderr

    lab.apply(MAY_LOOK.format(email=other.person.email))
    refused = ssh(other, lab.namespace, "id")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "needs the right to create pods/exec" in refused.stderr

    (own,), (others,) = (audited(lab.platform, desk.person.email) for desk in (lab, other))
    assert (own["event"], own["namespace"], own["pod"]) == ("exec", lab.namespace, "lab-0")
    assert (others["event"], others["pod"]) == ("exec.refused", "lab-0")


async def test_an_open_shell_ends_when_the_right_to_it_is_withdrawn(lab: Desk) -> None:
    path = f"/api/k8s/api/v1/namespaces/{lab.namespace}/pods/lab-0/exec?command=cat&stdin=true&stdout=true"
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {token_of(lab)}"}) as session,
        session.ws_connect(lab.platform.url + path, protocols=["v4.channel.k8s.io"]) as socket,
    ):
        await socket.send_bytes(b"\0still here")
        while (await socket.receive_bytes(timeout=30)) != b"\1still here":
            pass
        lab.kubectl("delete", "rolebinding", "person")

        ended = await socket.receive(timeout=30)

    assert ended.type in (aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSE)


async def test_a_page_of_another_site_opens_no_shell_with_the_cookie(lab: Desk) -> None:
    path = f"/api/k8s/api/v1/namespaces/{lab.namespace}/pods/lab-0/exec?command=id&stdout=true"
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookies=lab.browser.cookies, cookie_jar=jar) as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(lab.platform.url + path, headers={"Origin": "https://evil.example.com"})

    assert refused.value.status == 403
