"""The group `certificates.k8s.io`: CertificateSigningRequests. The server records their author."""

from base64 import b64decode
from binascii import Error as Base64Error

from windlass.apiserver.builtin.fields import Causes, check_label_key, unsupported
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.apiserver.resources import keep_old
from windlass.kube.errors import Cause, duplicate, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)
_APPROVAL = ("Approved", "Denied")
_SHORTEST = 600
_SIGNER = 'must be a fully qualified domain and path of the form "example.com/signer-name"'


class SigningRequests(Plain):
    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        new["spec"] = old.get("spec") or {}

    def prepare_status(self, new: Object, old: Object) -> None:
        """Allow a signer to write the status, except for the approval conditions."""
        super().prepare_status(new, old)
        conditions = [c for c in dig_list(new, "status", "conditions") if c.get("type") not in _APPROVAL]
        said = [c for c in dig_list(old, "status", "conditions") if c.get("type") in _APPROVAL]
        if conditions or said:
            new["status"] = {**dig_object(new, "status"), "conditions": [*said, *map(dated, conditions)]}

    def prepare_subresource(self, subresource: str, new: Object, old: Object) -> None:
        """Allow an approver to write the conditions, and nothing else of the request."""
        conditions = dig_list(new, "status", "conditions")
        keep_old(new, old)
        new["status"] = {**(old.get("status") or {}), "conditions": [dated(c) for c in conditions]}

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        _check_request(spec.get("request"), causes)
        signer = spec.get("signerName")
        if not signer:
            causes.append(required("spec.signerName"))
        elif "/" not in signer or "." not in signer.partition("/")[0]:
            causes.append(invalid("spec.signerName", signer, _SIGNER))
        else:
            check_label_key("spec.signerName", signer, causes)
        seconds = spec.get("expirationSeconds")
        if seconds is not None and seconds < _SHORTEST:
            why = "may not specify a duration less than 600 seconds (10 minutes)"
            causes.append(invalid("spec.expirationSeconds", seconds, why))
        usages = dig_list(spec, "usages")
        if not usages:
            causes.append(required("spec.usages"))
        for index, usage in enumerate(usages):
            if usage not in _USAGES:
                causes.append(unsupported(f"spec.usages[{index}]", usage, _USAGES))
            elif usage in usages[:index]:
                causes.append(duplicate(f"spec.usages[{index}]", usage))
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"spec.signerName": dig(obj, "spec", "signerName") or ""}


def dated(condition: Object) -> Object:
    """Return the condition with its times, which clients may leave to the server."""
    moment = timestamp()
    return {**condition, **{name: condition.get(name) or moment for name in ("lastTransitionTime", "lastUpdateTime")}}


def _check_request(request: str | None, causes: Causes) -> None:
    try:
        pem = b64decode(request or "", validate=True)
    except (Base64Error, ValueError):
        pem = b""
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in pem and b"-----BEGIN NEW CERTIFICATE REQUEST-----" not in pem:
        why = "PEM block type must be CERTIFICATE REQUEST"
        causes.append(invalid("spec.request", request or "", why))


RESOURCES = (
    resource(
        "certificates.k8s.io",
        "v1",
        "CertificateSigningRequest",
        "certificatesigningrequests",
        "csr",
        namespaced=False,
        strategy=SigningRequests,
        subresources=("approval", "status"),
    ),
)
