"""Logs of Workflows that are no runs."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from windlass.apps.pipelines.rows.columns import blob, seconds, text

revision = "0003"
down_revision = "0002"

MYSQL_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("engine", "InnoDB"), ("charset", "utf8mb4"), ("collate", "utf8mb4_bin"))
}


def upgrade() -> None:
    op.create_table(
        "workflow_logs",
        sa.Column("workflow_uid", text(64), primary_key=True),
        sa.Column("pod_name", text(253), primary_key=True),
        sa.Column("kept_at", seconds(), nullable=False),
        sa.Column("compressed", blob(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("workflow_logs_by_time", "workflow_logs", ["kept_at"])


def downgrade() -> None:
    op.drop_table("workflow_logs")
