"""Tasks of all runs of a namespace."""

from sqlalchemy import Connection, select

from windlass.apps.pipelines.model import Task
from windlass.apps.pipelines.rows.listing import list_page
from windlass.apps.pipelines.rows.queries import Page, Query
from windlass.apps.pipelines.rows.tables import RUNS, TASKS


def execution_page(connection: Connection, namespace: str, query: Query) -> Page[Task]:
    runs = select(RUNS.c.run_id).where(RUNS.c.namespace == namespace)
    return list_page(connection, Task, query, TASKS.c.run_id.in_(runs))
