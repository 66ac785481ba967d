"""A kubeconfig's exec plug-in logs in as Kubernetes' protocol says, and its faults name the program."""

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from windlass.kube.errors import ServiceUnavailable
from windlass.kube.exec_plugin import (
    NO_EXPIRY,
    Plugin,
    PluginCredential,
    exec_info,
    read_answer,
    read_plugin,
    run_plugin,
)

V1 = "client.authentication.k8s.io/v1"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_plugin(folder: Path = Path("/home/me/.kube"), cluster: dict[str, Any] | None = None, **fields: Any) -> Plugin:
    return read_plugin({"apiVersion": V1, "command": "login", **fields}, cluster or {}, folder)


def a_program(folder: Path, script: str, **fields: Any) -> Plugin:
    """A plug-in that is a Python script."""
    program = folder / "login.py"
    program.write_text(script)
    return a_plugin(folder, command=sys.executable, args=[str(program)], **fields)


def printed(**status: Any) -> bytes:
    return json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": status}).encode()


@pytest.mark.parametrize(
    ("command", "run"),
    [
        ("gke-gcloud-auth-plugin", "gke-gcloud-auth-plugin"),
        ("bin/login", "/home/me/.kube/bin/login"),
        ("./login", "/home/me/.kube/login"),
        ("/opt/login", "/opt/login"),
    ],
)
def test_a_relative_path_starts_at_the_kubeconfig_and_a_name_is_looked_up(command: str, run: str) -> None:
    assert a_plugin(command=command).command == run


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"command": ""}, "exec.command: is required"),
        (
            {"apiVersion": "client.authentication.k8s.io/v1alpha1"},
            "exec.apiVersion: 'client.authentication.k8s.io/v1alpha1'",
        ),
        ({"interactiveMode": "Maybe"}, "exec.interactiveMode: 'Maybe' is none of"),
    ],
)
def test_an_entry_that_cannot_be_used_names_its_field(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        a_plugin(**fields)


def test_a_plug_in_learns_of_the_cluster_only_where_the_kubeconfig_provides_it() -> None:
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "prod"}}
    cluster = {"server": "https://prod", "certificate-authority-data": "Q0E=", "extensions": [extension]}

    without = json.loads(exec_info(a_plugin(cluster=cluster), is_interactive=False))
    provided = json.loads(exec_info(a_plugin(cluster=cluster, provideClusterInfo=True), is_interactive=True))

    assert without == {"apiVersion": V1, "kind": "ExecCredential", "spec": {"interactive": False}}
    assert provided["spec"] == {
        "interactive": True,
        "cluster": {"server": "https://prod", "certificate-authority-data": "Q0E=", "config": {"audience": "prod"}},
    }


def test_an_answer_is_a_token_a_certificate_or_both() -> None:
    token = read_answer(a_plugin(), printed(token="t", expirationTimestamp="2026-01-01T12:00:00Z"))
    certificate = read_answer(a_plugin(), printed(clientCertificateData="C", clientKeyData="K"))

    assert (token.token, token.certificate, token.expires) == ("t", b"", NOON)
    assert (certificate.token, certificate.certificate, certificate.private_key) == ("", b"C", b"K")
    assert certificate.expires == NO_EXPIRY


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"", "no ExecCredential"),
        (b"not JSON", "no ExecCredential"),
        (b'{"kind": "ExecCredential"}', "no ExecCredential"),
        (printed(), "neither a token nor a client certificate"),
        (printed(clientCertificateData="C"), "without its key"),
        (printed(token="t").replace(b"/v1", b"/v1beta1"), "of client.authentication.k8s.io/v1beta1, not"),
    ],
)
def test_another_answer_says_what_is_wrong(answer: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_answer(a_plugin(), answer)


async def test_the_program_gets_its_arguments_variables_and_question(tmp_path: Path) -> None:
    plugin = a_program(
        tmp_path,
        "import json, os\n"
        "asked = json.loads(os.environ['KUBERNETES_EXEC_INFO'])\n"
        "token = os.environ['ACCOUNT'] + '/' + asked['kind']\n"
        "print(json.dumps({**asked, 'status': {'token': token}}))\n",
        env=[{"name": "ACCOUNT", "value": "me"}],
    )

    assert (await run_plugin(plugin)).token == "me/ExecCredential"


@pytest.mark.parametrize(
    ("script", "problem"),
    [("raise SystemExit(3)", "failed with exit code 3"), ("print('hello')", "printed no ExecCredential")],
)
async def test_a_program_that_fails_is_named(tmp_path: Path, script: str, problem: str) -> None:
    with pytest.raises(ServiceUnavailable, match=f"the login {sys.executable}.*{problem}"):
        await run_plugin(a_program(tmp_path, script))


async def test_a_missing_program_says_how_to_install_it() -> None:
    plugin = a_plugin(command="no-such-login", installHint="Install it with: apt-get install login")

    with pytest.raises(ServiceUnavailable, match=r"no-such-login cannot be run: .*apt-get install login"):
        await run_plugin(plugin)


async def test_a_login_that_always_asks_needs_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)

    with pytest.raises(ServiceUnavailable, match="no terminal"):
        await run_plugin(a_plugin(interactiveMode="Always"))


async def test_the_program_runs_again_when_its_answer_has_expired_or_was_refused(tmp_path: Path) -> None:
    count, now = tmp_path / "count", NOON
    plugin = a_program(
        tmp_path,
        "import json, pathlib, sys\n"
        f"count = pathlib.Path({str(count)!r})\n"
        "number = int(count.read_text()) + 1 if count.exists() else 1\n"
        "count.write_text(str(number))\n"
        "status = {'token': f't{number}', 'expirationTimestamp': '2026-01-01T13:00:00Z' if number == 1 else None,\n"
        "          'clientCertificateData': f'C{number}', 'clientKeyData': 'K'}\n"
        f"print(json.dumps({{'apiVersion': {V1!r}, 'kind': 'ExecCredential', 'status': status}}))\n",
    )
    certificates: list[bytes] = []
    credential = PluginCredential(plugin, lambda certificate, _: certificates.append(certificate), lambda: now)

    assert [await credential.header(), await credential.header()] == ["Bearer t1", "Bearer t1"]
    now += timedelta(hours=1)
    assert [await credential.header(), await credential.header()] == ["Bearer t2", "Bearer t2"]
    assert credential.refused()
    assert await credential.header() == "Bearer t3"
    assert certificates == [b"C1", b"C2", b"C3"]
