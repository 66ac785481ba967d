"""What the server does on its own, time and again: events expire, approved certificate requests get signed, and such.

Each chore is one function of an object that has changed, called for those that were there before as well.
"""

import asyncio
import base64
import logging
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

from windlass.apiserver import aggregation, observed
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.certificates import dated
from windlass.apiserver.internal import delete_quietly, modify, resource_of
from windlass.apiserver.store import Compacted, Row
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp
from windlass.kube.moments import span

log = logging.getLogger("windlass.housekeeping")

_REST = 5.0
EVENT_LIFE = timedelta(hours=1)  # Kubernetes' --event-ttl
_CSRS = "certificates.k8s.io/certificatesigningrequests"


CHORES: tuple[Callable[[Api], Coroutine[Any, Any, None]], ...] = (
    aggregation.publish_local,
    aggregation.keep_remote,
    lambda api: expire_events(api),
    lambda api: _each_change(api, _CSRS, sign_approved),
    lambda api: _each_change(api, "/secrets", fill_token_secret),
    lambda api: _each_change(api, observed.POLICIES, observed.observe_policy),
    lambda api: _each_change(api, observed.SERVICE_CIDRS, observed.ready_service_cidr),
)


async def keep_at(chore: Callable[[Api], Coroutine[Any, Any, None]], api: Api) -> None:
    """Do a chore until it is done; one that fails is logged and taken up again."""
    while True:
        try:
            return await chore(api)
        except Exception:  # whatever it is, the other chores and the next try must not suffer from it
            log.exception("a chore failed; it is taken up again in %s s", _REST)
        await asyncio.sleep(_REST)


def last_written(obj: Object) -> str:
    """When an object was last written, as its field managers tell: an event lives an hour from there."""
    times = [str(entry.get("time") or "") for entry in dig_list(obj, "metadata", "managedFields")]
    return max([str(dig(obj, "metadata", "creationTimestamp") or ""), *times])


async def expire_events(api: Api, every: float = 60.0) -> None:
    resource = resource_of(api, "v1", "Event")
    while True:
        oldest = timestamp(datetime.now(UTC) - EVENT_LIFE)
        for row in list(api.store.rows("/events")):
            if last_written(api.decoded(row)) < oldest:
                await delete_quietly(api, resource, row.key[1], row.key[2])
        await asyncio.sleep(every)


async def _each_change(api: Api, store_key: str, act: Any) -> None:
    """Act on every object of a kind, now and whenever it changes. What one object breaks costs that one only."""

    async def act_on(row: Row) -> None:
        obj = api.decoded(row)
        with api.faults.contain(f"chore of {store_key}", obj, None, passing=(ApiError,)):
            await act(api, obj)

    while True:
        since = api.store.revision
        for row in list(api.store.rows(store_key)):
            await act_on(row)
        watcher = api.store.watch(store_key, since=since)
        try:
            async for changes in watcher:
                for change in changes:
                    if change.type != "DELETED":
                        await act_on(change.row)
        except Compacted:
            log.info("%s: starting over, history is compacted", store_key)
        finally:
            watcher.close()


async def sign_approved(api: Api, request: Object) -> None:
    """Sign an approved CertificateSigningRequest of a signer of ours, or say why not."""
    conditions = {c.get("type") for c in dig_list(request, "status", "conditions")}
    spec, name = dig_object(request, "spec"), request["metadata"]["name"]
    if "Approved" not in conditions or conditions & {"Denied", "Failed"} or dig(request, "status", "certificate"):
        return
    signer = str(spec.get("signerName", ""))
    if not signer.startswith("kubernetes.io/"):
        return
    seconds = spec.get("expirationSeconds")
    try:
        pem = base64.b64decode(spec["request"])
        life = span(seconds) if seconds else None
        certificate = api.pki.sign_csr(pem, signer, life, dig_list(spec, "usages"))
    except ValueError as error:
        why = {"type": "Failed", "status": "True", "reason": "SignerValidationFailure", "message": str(error)}
        await _csr_status(api, name, {"conditions": [*dig_list(request, "status", "conditions"), dated(why)]})
        return
    await _csr_status(api, name, {"certificate": base64.b64encode(certificate).decode()})


async def _csr_status(api: Api, name: str, change: Object) -> None:
    resource = resource_of(api, "certificates.k8s.io/v1", "CertificateSigningRequest")
    await modify(
        api, resource, "", name, lambda old: {**old, "status": {**dig_object(old, "status"), **change}}, "status"
    )


async def fill_token_secret(api: Api, secret: Object) -> None:
    """Put a token into a Secret of the service-account-token type that has none."""
    if secret.get("type") != "kubernetes.io/service-account-token" or dig(secret, "data", "token"):
        return
    metadata = secret["metadata"]
    account_name = dig(metadata, "annotations", "kubernetes.io/service-account.name")
    account = api.read("/serviceaccounts", metadata["namespace"], str(account_name))
    tokens = api.authenticator.service_accounts
    if account is None or tokens is None:
        return

    def fill(old: Object) -> Object:
        tokens.fill_secret(old, account, api.pki.ca_pem)
        old["metadata"].setdefault("annotations", {})["kubernetes.io/service-account.uid"] = account["metadata"]["uid"]
        return old

    await modify(api, resource_of(api, "v1", "Secret"), metadata["namespace"], metadata["name"], fill)
