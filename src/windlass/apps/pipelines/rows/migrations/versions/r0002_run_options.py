"""How runs and recurring runs are carried out, and the default versions of pipelines."""

import sqlalchemy as sa
from alembic import op

from windlass.apps.pipelines.rows.columns import text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("runs", sa.Column("max_cache_staleness", text(64), nullable=False, server_default=""))
    op.add_column("recurring_runs", sa.Column("is_fail_fast", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column(
        "recurring_runs", sa.Column("is_cache_enabled", sa.Boolean(), nullable=False, server_default=sa.true())
    )
    op.add_column("recurring_runs", sa.Column("max_cache_staleness", text(64), nullable=False, server_default=""))
    op.add_column("pipelines", sa.Column("default_version_id", text(64), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("pipelines", "default_version_id")
    for column in ("max_cache_staleness", "is_cache_enabled", "is_fail_fast"):
        op.drop_column("recurring_runs", column)
    op.drop_column("runs", "max_cache_staleness")
