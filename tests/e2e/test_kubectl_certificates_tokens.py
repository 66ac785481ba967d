"""Ways to log in that the server itself gives out: signed certificates and service account tokens."""

import base64
import subprocess

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def a_request(shell: Shell, name: str, **spec: object) -> str:
    """A key and a signing request for `jane` of the group devs, as a manifest."""
    subprocess.run(
        ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", "jane.key", "-out", "jane.csr", "-subj", "/O=devs/CN=jane"],
        cwd=shell.folder, check=True, capture_output=True,
    )  # fmt: skip
    encoded = base64.b64encode((shell.folder / "jane.csr").read_bytes()).decode()
    fields = {"signerName": "kubernetes.io/kube-apiserver-client", "usages": ["client auth"], **spec}
    return f"""
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: {{name: {name}}}
spec: {{request: {encoded}, {", ".join(f"{key}: {value}" for key, value in fields.items())}}}
"""


def test_an_approved_certificate_logs_in(kubectl: Shell) -> None:
    name = f"csr-{kubectl.namespace}"
    kubectl("create -f -", a_request(kubectl, name, expirationSeconds=3600))
    pending = kubectl.rows(f"get csr {name}")

    kubectl(f"certificate approve {name}")
    eventually(lambda: "certificate" in kubectl.json(f"get csr {name}")["status"], 60, "it is signed")
    issued = kubectl.json(f"get csr {name}")
    (kubectl.folder / "jane.crt").write_bytes(base64.b64decode(issued["status"]["certificate"]))

    assert pending[0] == ["NAME", "AGE", "SIGNERNAME", "REQUESTOR", "REQUESTEDDURATION", "CONDITION"]
    assert pending[1][2:] == ["kubernetes.io/kube-apiserver-client", "kubernetes-admin", "60m", "Pending"]
    assert kubectl.rows(f"get csr {name}")[1][-1] == "Approved,Issued"
    assert issued["status"]["conditions"][0]["reason"] == "KubectlApprove"
    assert "Common Name:    jane" in kubectl(f"describe csr {name}")
    jane = f"--kubeconfig=jane.config --server={kubectl.server.url} --certificate-authority={kubectl.server.ca}"
    files = "--client-certificate=jane.crt --client-key=jane.key --embed-certs"
    kubectl(f"config --kubeconfig=jane.config set-credentials jane {files}")
    me = kubectl.json(f"{jane} --user=jane auth whoami")["status"]["userInfo"]
    assert (me["username"], me["groups"]) == ("jane", ["devs", "system:authenticated"])
    assert 'User "jane" cannot list resource "pods"' in kubectl.fails(f"{jane} --user=jane get pods")


def test_a_denied_request_is_never_signed(kubectl: Shell) -> None:
    name = f"csr-{kubectl.namespace}"
    kubectl("create -f -", a_request(kubectl, name))

    kubectl(f"certificate deny {name}")

    assert kubectl.rows(f"get csr {name}")[1][-1] == "Denied"
    assert "is already Denied" in kubectl.fails(f"certificate approve {name}")
    assert "certificate" not in kubectl.json(f"get csr {name}")["status"]


def test_a_request_that_does_not_fit_its_signer_fails(kubectl: Shell) -> None:
    name = f"csr-{kubectl.namespace}"
    kubectl("create -f -", a_request(kubectl, name, usages=["server auth"]))

    kubectl(f"certificate approve {name}")
    kubectl(f"wait csr/{name} --for=condition=Failed --timeout=60s")

    condition = kubectl.json(f"get csr {name}")["status"]["conditions"][-1]
    assert (condition["reason"], condition["type"]) == ("SignerValidationFailure", "Failed")
    assert "usages did not match" in condition["message"]


def test_who_approves_needs_the_signer_too(kubectl: Shell) -> None:
    name = f"csr-{kubectl.namespace}"
    kubectl("create -f -", a_request(kubectl, name))
    rule = "--resource=certificatesigningrequests,certificatesigningrequests/approval"
    kubectl(f"create clusterrole {name} --verb=get,update {rule}")
    kubectl(f"create clusterrolebinding {name} --clusterrole={name} --user=gina")

    said = kubectl.fails(f"certificate approve {name} --as gina")
    kubectl(f"delete clusterrole,clusterrolebinding {name}")

    assert "user not permitted to approve requests with signerName" in said


def test_a_request_without_sense_is_refused(kubectl: Shell) -> None:
    said = kubectl.fails("create -f -", a_request(kubectl, "x", request="bm8=", usages=[]))

    assert "spec.usages: Required value" in said
    assert "PEM block type must be CERTIFICATE REQUEST" in said


def test_a_token_logs_its_account_in(kubectl: Shell) -> None:
    space = kubectl.namespace
    kubectl("create serviceaccount bot")
    kubectl("create role reader --verb=list --resource=pods")
    kubectl(f"create rolebinding reader --role=reader --serviceaccount={space}:bot")

    token = kubectl("create token bot --duration=20m")
    server = f"--server={kubectl.server.url} --certificate-authority={kubectl.server.ca}"
    login = f"--kubeconfig=/dev/null {server} --token={token}"

    me = kubectl.json(f"{login} auth whoami")["status"]["userInfo"]
    assert me["username"] == f"system:serviceaccount:{space}:bot"
    assert me["groups"] == ["system:serviceaccounts", f"system:serviceaccounts:{space}", "system:authenticated"]
    assert kubectl(f"{login} get pods") == ""
    assert "cannot delete resource" in kubectl.fails(f"{login} delete pod x")
    kubectl("delete serviceaccount bot")
    assert "You must be logged in to the server (Unauthorized)" in kubectl.fails(f"{login} get pods")


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("create token nobody", 'serviceaccounts "nobody" not found'),
        ("create token default --duration=1s", "may not specify a duration less than 10 minutes"),
        ("create token default --bound-object-kind=Secret --bound-object-name=x", 'secrets "x" not found'),
        ("get pods --token=nonsense", "You must be logged in to the server (Unauthorized)"),
    ],
)
def test_a_token_that_cannot_be_is_refused(kubectl: Shell, command: str, complaint: str) -> None:
    assert complaint in kubectl.fails(command)


def test_a_token_for_others_is_no_login_here(kubectl: Shell) -> None:
    made = kubectl.json("create token default --audience=https://elsewhere.example")

    assert made["spec"]["audiences"] == ["https://elsewhere.example"]
    assert "Unauthorized" in kubectl.fails(f"get pods --token={made['status']['token']}")


def test_every_namespace_has_an_account_and_the_clusters_certificate(kubectl: Shell) -> None:
    eventually(lambda: kubectl.run("get sa/default cm/kube-root-ca.crt").returncode == 0, 60, "both are there")

    assert kubectl.rows("get sa")[1][:2] == ["default", "0"]
    assert kubectl.json("get cm kube-root-ca.crt")["data"]["ca.crt"].startswith("-----BEGIN CERTIFICATE-----")
