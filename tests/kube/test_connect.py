import base64
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support import Windlass
from windlass.apis.core_v1 import Namespace
from windlass.apiserver.pki import Pki
from windlass.kube.connect import by_address, by_kubeconfig, in_cluster
from windlass.kube.json import encode
from windlass.kube.transport import TOKEN_FILE_SECONDS, TokenFile


def kubeconfig(server: Windlass, user: dict[str, Any], folder: Path, **cluster: Any) -> Path:
    path = folder / "config"
    document = {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "clusters": [{"name": "k", "cluster": {"server": server.url, **cluster}}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(yaml.safe_dump(document))
    return path


async def namespace_by(path: Path, context: str = "") -> str:
    async with await by_kubeconfig(path, context=context) as client:
        return (await client.get(Namespace, "default")).metadata.name


async def test_a_token_and_a_ca_inline(bare_server: Windlass, tmp_path: Path) -> None:
    ca = base64.b64encode(bare_server.ca.read_bytes()).decode()
    path = kubeconfig(bare_server, {"token": bare_server.token}, tmp_path, **{"certificate-authority-data": ca})

    assert await namespace_by(path) == "default"


async def test_files_beside_the_kubeconfig(bare_server: Windlass, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(bare_server.token + "\n")
    (tmp_path / "ca.crt").write_bytes(bare_server.ca.read_bytes())
    path = kubeconfig(bare_server, {"tokenFile": "token"}, tmp_path, **{"certificate-authority": "ca.crt"})

    assert await namespace_by(path) == "default"


async def test_no_verification_where_the_kubeconfig_says_so(bare_server: Windlass, tmp_path: Path) -> None:
    path = kubeconfig(bare_server, {"token": bare_server.token}, tmp_path, **{"insecure-skip-tls-verify": True})

    assert await namespace_by(path) == "default"


async def test_an_exec_plug_in_logs_in(bare_server: Windlass, tmp_path: Path) -> None:
    plug_in = tmp_path / "plug-in"
    credential = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}'
    plug_in.write_text(f"#!/bin/sh\necho '{credential % bare_server.token}'\n")
    plug_in.chmod(0o755)
    (tmp_path / "ca.crt").write_bytes(bare_server.ca.read_bytes())
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plug_in)}}
    path = kubeconfig(bare_server, user, tmp_path, **{"certificate-authority": str(tmp_path / "ca.crt")})

    assert await namespace_by(path) == "default"


async def test_a_client_certificate_of_an_exec_plug_in_is_shown_to_the_server(
    bare_server: Windlass, tmp_path: Path
) -> None:
    pki = Pki(bare_server.data_dir / "pki")
    certificate, private_key = pki.client_certificate("jane", ["system:masters"], timedelta(hours=1))
    status = {"clientCertificateData": certificate.decode(), "clientKeyData": private_key.decode()}
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
    (tmp_path / "answer.json").write_bytes(encode(answer))
    user = {"exec": {"apiVersion": answer["apiVersion"], "command": "cat", "args": [str(tmp_path / "answer.json")]}}
    path = kubeconfig(bare_server, user, tmp_path, **{"certificate-authority": str(bare_server.ca)})

    assert await namespace_by(path) == "default"


async def test_a_login_that_exec_plug_ins_have_replaced_is_refused_by_name(
    bare_server: Windlass, tmp_path: Path
) -> None:
    path = kubeconfig(bare_server, {"auth-provider": {"name": "gcp"}}, tmp_path)

    with pytest.raises(ValueError, match='user "u": auth-provider: "gcp" is not supported'):
        await by_kubeconfig(path)


async def test_a_context_that_is_not_there_is_named(bare_server: Windlass, tmp_path: Path) -> None:
    path = kubeconfig(bare_server, {}, tmp_path)

    with pytest.raises(ValueError, match='no entry "other" in contexts'):
        await by_kubeconfig(path, context="other")


async def test_a_pods_service_account(bare_server: Windlass, tmp_path: Path) -> None:
    (tmp_path / "token").write_text(bare_server.token)
    (tmp_path / "ca.crt").write_bytes(bare_server.ca.read_bytes())
    environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(bare_server.port)}

    async with in_cluster(environment, folder=tmp_path) as client:
        assert await client.get(Namespace, "default")


def test_outside_a_cluster_it_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not in a cluster"):
        in_cluster({}, folder=tmp_path)


async def test_a_rotated_token_file_is_read_again_when_it_is_old_or_refused(tmp_path: Path) -> None:
    now = 0.0
    path = tmp_path / "token"
    path.write_text("first\n")
    token = TokenFile(path, lambda: now)

    assert await token.header() == "Bearer first"
    path.write_text("second")
    assert await token.header() == "Bearer first"
    now = TOKEN_FILE_SECONDS
    assert await token.header() == "Bearer second"
    path.write_text("third")
    assert token.refused()
    assert await token.header() == "Bearer third"


async def test_a_refused_token_is_tried_again_once_with_what_the_file_says_now(
    bare_server: Windlass, tmp_path: Path
) -> None:
    path = tmp_path / "token"
    path.write_text("stale")
    async with by_address(bare_server.url, ca=bare_server.ca.read_bytes(), token_file=path) as client:
        credential = client._transport._credential  # pyright: ignore[reportPrivateUsage, reportAttributeAccessIssue]
        assert await credential.header() == "Bearer stale"
        path.write_text(bare_server.token)

        assert await client.get(Namespace, "default")
