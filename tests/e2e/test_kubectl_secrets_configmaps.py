"""Secrets and ConfigMaps: made from literals, files and folders, of every type, and frozen when they say so."""

import base64
import subprocess

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def plain(data: dict[str, str]) -> dict[str, str]:
    return {key: base64.b64decode(value).decode() for key, value in data.items()}


def test_a_secret_comes_from_literals_and_files(kubectl: Shell) -> None:
    kubectl.file("user.txt", "admin")
    kubectl.file("settings.env", "first=1\nsecond=two words\n# a comment\n")

    kubectl("create secret generic one --from-literal=word=s3cret --from-file=user.txt --from-file=name=user.txt")
    kubectl("create secret generic two --from-env-file=settings.env --type=example.com/mine")

    assert plain(kubectl.json("get secret one")["data"]) == {"word": "s3cret", "user.txt": "admin", "name": "admin"}
    assert plain(kubectl.json("get secret two")["data"]) == {"first": "1", "second": "two words"}
    assert [row[:3] for row in kubectl.rows("get secrets")] == [
        ["NAME", "TYPE", "DATA"], ["one", "Opaque", "3"], ["two", "example.com/mine", "2"],
    ]  # fmt: skip
    described = kubectl("describe secret one")
    assert "word:      6 bytes" in described
    assert "s3cret" not in described


def test_a_secret_holds_a_certificate_or_a_registrys_password(kubectl: Shell) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", "tls.key", "-out", "tls.crt", "-days", "2", "-subj", "/CN=x"],
        cwd=kubectl.folder, check=True, capture_output=True,
    )  # fmt: skip

    kubectl("create secret tls cert --cert=tls.crt --key=tls.key")
    kubectl("create secret docker-registry pull --docker-server=r.example --docker-username=u --docker-password=p")

    assert kubectl.json("get secret cert")["type"] == "kubernetes.io/tls"
    pull = kubectl.json("get secret pull")
    assert pull["type"] == "kubernetes.io/dockerconfigjson"
    assert '"username":"u"' in plain(pull["data"])[".dockerconfigjson"]


SECRETS = """
apiVersion: v1
kind: Secret
metadata: {name: no-cert}
type: kubernetes.io/tls
data: {x: eQ==}
---
apiVersion: v1
kind: Secret
metadata: {name: no-password}
type: kubernetes.io/basic-auth
---
apiVersion: v1
kind: Secret
metadata: {name: no-key}
type: kubernetes.io/ssh-auth
---
apiVersion: v1
kind: Secret
metadata: {name: no-json}
type: kubernetes.io/dockerconfigjson
stringData: {.dockerconfigjson: nope}
---
apiVersion: v1
kind: Secret
metadata: {name: no-account}
type: kubernetes.io/service-account-token
---
apiVersion: v1
kind: Secret
metadata: {name: no-base64}
data: {x: "%%%"}
---
apiVersion: v1
kind: Secret
metadata: {name: bad-key}
stringData: {"a/b": "c"}
---
apiVersion: v1
kind: Secret
metadata: {name: good-basic}
type: kubernetes.io/basic-auth
stringData: {username: u, password: p}
---
apiVersion: v1
kind: Secret
metadata: {name: good-ssh}
type: kubernetes.io/ssh-auth
stringData: {ssh-privatekey: k}
---
apiVersion: v1
kind: Secret
metadata: {name: good-account, annotations: {kubernetes.io/service-account.name: default}}
type: kubernetes.io/service-account-token
"""


def test_each_type_needs_its_keys(kubectl: Shell) -> None:
    done = kubectl.run("create -f -", SECRETS)

    assert done.stdout.split() == [
        "secret/good-basic", "created", "secret/good-ssh", "created", "secret/good-account", "created",
    ]  # fmt: skip
    for complaint in (
        'Secret "no-cert" is invalid: [data[tls.crt]: Required value, data[tls.key]: Required value]',
        'Secret "no-password" is invalid: ',
        'Secret "no-key" is invalid: data[ssh-privatekey]: Required value',
        'Secret "no-json" is invalid: data[.dockerconfigjson]: Invalid value: "<secret contents redacted>"',
        'Secret "no-account" is invalid: metadata.annotations[kubernetes.io/service-account.name]: Required value',
        "cannot be handled as a Secret: illegal base64 data at input byte 0",
        'Secret "bad-key" is invalid: data[a/b]: Invalid value: "a/b": a valid config key must consist of',
    ):
        assert complaint in done.stderr


def test_a_token_is_put_into_a_secret_for_an_account(kubectl: Shell) -> None:
    annotation = "kubernetes.io/service-account.name: default"
    manifest = f"---\n{{apiVersion: v1, kind: Secret, metadata: {{name: t, annotations: {{{annotation}}}}}, "

    kubectl("create -f -", manifest + "type: kubernetes.io/service-account-token}")
    eventually(lambda: "data" in kubectl.json("get secret t"), 60, "the token is there")

    token = plain(kubectl.json("get secret t")["data"])["token"]
    who = kubectl.json(f"auth whoami --token={token}")["status"]["userInfo"]["username"]
    assert who == f"system:serviceaccount:{kubectl.namespace}:default"


@pytest.mark.parametrize("kind", ["secret", "configmap"])
def test_what_is_immutable_cannot_be_thawed(kubectl: Shell, kind: str) -> None:
    kubectl("create secret generic x --from-literal=a=1" if kind == "secret" else "create cm x --from-literal=a=1")
    kubectl(f"""patch {kind} x -p '{{"immutable":true}}'""")

    frozen = "Forbidden: field is immutable when `immutable` is set"
    assert f"data: {frozen}" in kubectl.fails(f"""patch {kind} x -p '{{"data":{{"a":"Mg=="}}}}'""")
    assert f"immutable: {frozen}" in kubectl.fails(f"""patch {kind} x -p '{{"immutable":null}}'""")
    kubectl(f"label {kind} x still=labelled")


def test_the_type_of_a_secret_is_fixed(kubectl: Shell) -> None:
    kubectl("create secret generic x")

    said = kubectl.fails("""patch secret x -p '{"type":"other"}'""")

    assert said == 'The Secret "x" is invalid: type: Invalid value: "other": field is immutable'


def test_a_configmap_comes_from_a_folder(kubectl: Shell) -> None:
    kubectl.file("conf/plain.txt", "hello")
    (kubectl.folder / "conf" / "binary.dat").write_bytes(b"\xff\xfe\x00")

    kubectl("create configmap one --from-file=conf --from-literal=a=b")

    found = kubectl.json("get configmap one")
    assert found["data"] == {"plain.txt": "hello", "a": "b"}
    assert found["binaryData"] == {"binary.dat": "//4A"}
    assert kubectl.rows("get cm one")[1][:2] == ["one", "3"]
    assert "BinaryData\n====\nbinary.dat: 3 bytes" in kubectl("describe cm one")


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (
            '"data":{"a":"1"},"binaryData":{"a":"MQ=="}',
            'data[a]: Invalid value: "a": duplicate of key present in binaryData',
        ),
        ('"data":{"..":"1"}', "data[..]: Invalid value: \"..\": must not be '..'"),
        ('"data":{"a":1}', "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"),
    ],
)
def test_a_configmap_that_makes_no_sense_is_refused(kubectl: Shell, body: str, complaint: str) -> None:
    said = kubectl.fails("create -f -", f'{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"x"}},{body}}}')

    assert complaint in said


def test_a_configmap_may_not_be_too_large(kubectl: Shell) -> None:
    kubectl.file("big", "x" * (1024 * 1024 + 1))

    assert "Too long: may not be more than 1048576 bytes" in kubectl.fails("create configmap big --from-file=big")
