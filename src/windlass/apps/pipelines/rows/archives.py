"""Logs and manifests of pods and workflows that are gone, compressed."""

import zlib

from sqlalchemy import Connection, Delete, Table, delete, insert, select

from windlass.apps.pipelines.rows.tables import LOGS, MANIFESTS, RUNS, WORKFLOW_LOGS

LARGEST_LOG = 64 << 20
"""Bytes of a log that are kept; of a longer one the end."""


def keep_log(connection: Connection, run_id: str, pod_name: str, log: bytes) -> None:
    keep(connection, LOGS, {"run_id": run_id, "pod_name": pod_name}, log[-LARGEST_LOG:])


def log_of(connection: Connection, run_id: str, pod_name: str) -> bytes | None:
    return find(connection, LOGS, {"run_id": run_id, "pod_name": pod_name})


def keep_workflow_log(connection: Connection, workflow_uid: str, pod_name: str, log: bytes, now: float) -> None:
    key = {"workflow_uid": workflow_uid, "pod_name": pod_name}
    connection.execute(_of(delete(WORKFLOW_LOGS), key))
    compressed = zlib.compress(log[-LARGEST_LOG:])
    connection.execute(insert(WORKFLOW_LOGS), {**key, "kept_at": now, "compressed": compressed})


def workflow_log_of(connection: Connection, workflow_uid: str, pod_name: str) -> bytes | None:
    return find(connection, WORKFLOW_LOGS, {"workflow_uid": workflow_uid, "pod_name": pod_name})


def logged_pods(connection: Connection, workflow_uid: str) -> list[str]:
    """Names of the pods of a Workflow whose logs are kept."""
    statement = select(WORKFLOW_LOGS.c.pod_name).where(WORKFLOW_LOGS.c.workflow_uid == workflow_uid)
    return sorted(connection.scalars(statement))


def logged_workflows(connection: Connection) -> list[str]:
    return sorted(connection.scalars(select(WORKFLOW_LOGS.c.workflow_uid).distinct()))


def delete_workflow_logs(connection: Connection, workflow_uid: str) -> None:
    connection.execute(_of(delete(WORKFLOW_LOGS), {"workflow_uid": workflow_uid}))


def expire_workflow_logs(connection: Connection, before: float) -> None:
    connection.execute(delete(WORKFLOW_LOGS).where(WORKFLOW_LOGS.c.kept_at < before))


def _of(statement: Delete, key: dict[str, str]) -> Delete:
    return statement.where(*(WORKFLOW_LOGS.c[name] == value for name, value in key.items()))


def keep_manifest(connection: Connection, run_id: str, manifest: bytes) -> None:
    keep(connection, MANIFESTS, {"run_id": run_id}, manifest)


def manifest_of(connection: Connection, run_id: str) -> bytes | None:
    return find(connection, MANIFESTS, {"run_id": run_id})


def keep(connection: Connection, table: Table, key: dict[str, str], content: bytes) -> None:
    """Insert or replace; a run that was deleted meanwhile keeps nothing."""
    if connection.execute(select(RUNS.c.run_id).where(RUNS.c.run_id == key["run_id"])).first() is None:
        return
    connection.execute(delete(table).where(*(table.c[name] == value for name, value in key.items())))
    connection.execute(insert(table), {**key, "compressed": zlib.compress(content)})


def find(connection: Connection, table: Table, key: dict[str, str]) -> bytes | None:
    statement = select(table.c.compressed).where(*(table.c[name] == value for name, value in key.items()))
    compressed = connection.execute(statement).scalar()
    return None if compressed is None else zlib.decompress(compressed)
