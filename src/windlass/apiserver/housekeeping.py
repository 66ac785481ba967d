"""Periodic tasks of the server: expire events, sign approved certificate requests, fill token Secrets, and others.

Most are a function of a changed object, called for objects that existed before as well.
"""

import asyncio
import base64
import logging
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from typing import Any

from windlass.apis.wellknown import SERVICE_ACCOUNT_TOKEN_SECRET
from windlass.apiserver import aggregation, observed
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.certificates import dated
from windlass.apiserver.internal import delete_quietly, modify, resource_of
from windlass.apiserver.store import Compacted, Row
from windlass.kube import definitions
from windlass.kube.errors import ApiError
from windlass.kube.heap import give_back_now_and_then
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp
from windlass.kube.moments import span

log = logging.getLogger("windlass.housekeeping")

_RETRY_SECONDS = 5.0
EVENT_LIFE = timedelta(hours=1)  # Kubernetes' --event-ttl
_CSRS = "certificates.k8s.io/certificatesigningrequests"


TASKS: tuple[Callable[[Api], Coroutine[Any, Any, None]], ...] = (
    aggregation.publish_local,
    aggregation.serve_remote_services,
    lambda api: expire_events(api),
    lambda api: give_back_now_and_then(definitions.release),
    lambda api: _each_change(api, _CSRS, sign_approved),
    lambda api: _each_change(api, "/secrets", fill_token_secret),
    lambda api: _each_change(api, observed.POLICIES, observed.observe_policy),
    lambda api: _each_change(api, observed.SERVICE_CIDRS, observed.ready_service_cidr),
)


async def run_task(task: Callable[[Api], Coroutine[Any, Any, None]], api: Api) -> None:
    """Run a task until it completes; restart it after a failure."""
    while True:
        try:
            return await task(api)
        except Exception:  # a failed task must not stop the others
            log.exception("a periodic task failed, retrying in %s s", _RETRY_SECONDS)
        await asyncio.sleep(_RETRY_SECONDS)


def last_written(obj: Object) -> str:
    """The time of the last write of an object, from its field managers: an event expires an hour later."""
    times = [str(entry.get("time") or "") for entry in dig_list(obj, "metadata", "managedFields")]
    return max([str(dig(obj, "metadata", "creationTimestamp") or ""), *times])


async def expire_events(api: Api, interval: timedelta = timedelta(minutes=1)) -> None:
    resource = resource_of(api, "v1", "Event")
    while True:
        oldest = timestamp(datetime.now(UTC) - EVENT_LIFE)
        for row in list(api.store.rows("/events")):
            if last_written(api.decoded(row)) < oldest:
                await delete_quietly(api, resource, row.key[1], row.key[2])
        await asyncio.sleep(interval.total_seconds())


async def _each_change(api: Api, store_key: str, act: Any) -> None:
    """Call `act` for every object of a kind, now and on each change. A failure affects a single object only."""

    async def act_on(row: Row) -> None:
        obj = api.decoded(row)
        with api.faults.contain(f"task of {store_key}", obj, None, passing=(ApiError,)):
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
            log.info("%s: history is compacted, listing again", store_key)
        finally:
            watcher.close()


async def sign_approved(api: Api, request: Object) -> None:
    """Sign an approved CertificateSigningRequest of a known signer, or record why it failed."""
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
    """Add a token to a Secret of the service-account-token type that has none."""
    if secret.get("type") != SERVICE_ACCOUNT_TOKEN_SECRET or dig(secret, "data", "token"):
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
