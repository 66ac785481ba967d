"""The first tables."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from windlass.apps.pipelines.rows.columns import blob, long_text, seconds, text

revision = "0001"
down_revision = None

MYSQL_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in ("mysql", "mariadb")
    for option, value in (("engine", "InnoDB"), ("charset", "utf8mb4"), ("collate", "utf8mb4_bin"))
}


def upgrade() -> None:
    op.create_table(
        "artifacts",
        sa.Column("artifact_id", text(64), primary_key=True),
        sa.Column("namespace", text(63), nullable=False),
        sa.Column("run_id", text(64), nullable=False),
        sa.Column("task_id", text(64), nullable=False),
        sa.Column("name", text(512), nullable=False),
        sa.Column("type", text(256), nullable=False),
        sa.Column("schema_version", text(64), nullable=False),
        sa.Column("uri", long_text(), nullable=False),
        sa.Column("uri_digest", text(64), nullable=False),
        sa.Column("metadata", long_text(), nullable=False),
        sa.Column("pipeline_name", text(128), nullable=False),
        sa.Column("has_content", sa.Boolean(), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("artifacts_by_run", "artifacts", ["run_id"])
    op.create_index("artifacts_by_time", "artifacts", ["namespace", "created_at", "artifact_id"])
    op.create_index("artifacts_by_uri", "artifacts", ["uri_digest", "namespace"])
    op.create_table(
        "experiments",
        sa.Column("experiment_id", text(64), primary_key=True),
        sa.Column("namespace", text(63), nullable=False),
        sa.Column("display_name", text(128), nullable=False),
        sa.Column("description", long_text(), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        sa.Column("last_run_created_at", seconds(), nullable=False),
        sa.Column("storage_state", sa.String(32), nullable=False),
        sa.UniqueConstraint("namespace", "display_name", name="experiments_by_name"),
        **MYSQL_OPTIONS,
    )
    op.create_index("experiments_by_time", "experiments", ["namespace", "created_at", "experiment_id"])
    op.create_table(
        "pipelines",
        sa.Column("pipeline_id", text(64), primary_key=True),
        sa.Column("namespace", text(63), nullable=False),
        sa.Column("name", text(128), nullable=False),
        sa.Column("display_name", text(512), nullable=False),
        sa.Column("description", long_text(), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        sa.Column("tags", long_text(), nullable=False),
        sa.UniqueConstraint("namespace", "name", name="pipelines_by_name"),
        **MYSQL_OPTIONS,
    )
    op.create_index("pipelines_by_time", "pipelines", ["namespace", "created_at", "pipeline_id"])
    op.create_table(
        "recurring_runs",
        sa.Column("recurring_run_id", text(64), primary_key=True),
        sa.Column("namespace", text(63), nullable=False),
        sa.Column("display_name", text(512), nullable=False),
        sa.Column("resource_name", text(253), nullable=False),
        sa.Column("experiment_id", text(64), nullable=False),
        sa.Column("description", long_text(), nullable=False),
        sa.Column("pipeline_id", text(64), nullable=False),
        sa.Column("pipeline_version_id", text(64), nullable=False),
        sa.Column("spec", long_text(), nullable=False),
        sa.Column("platform_spec", long_text(), nullable=False),
        sa.Column("is_inline", sa.Boolean(), nullable=False),
        sa.Column("parameters", long_text(), nullable=False),
        sa.Column("pipeline_root", long_text(), nullable=False),
        sa.Column("service_account", text(253), nullable=False),
        sa.Column("max_concurrency", sa.Integer(), nullable=False),
        sa.Column("no_catchup", sa.Boolean(), nullable=False),
        sa.Column("is_enabled", sa.Boolean(), nullable=False),
        sa.Column("trigger", long_text(), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        sa.Column("updated_at", seconds(), nullable=False),
        sa.Column("error", long_text(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("recurring_runs_by_experiment", "recurring_runs", ["experiment_id"])
    op.create_index("recurring_runs_by_time", "recurring_runs", ["namespace", "created_at", "recurring_run_id"])
    op.create_table(
        "runs",
        sa.Column("run_id", text(64), primary_key=True),
        sa.Column("namespace", text(63), nullable=False),
        sa.Column("display_name", text(512), nullable=False),
        sa.Column("resource_name", text(253), nullable=False),
        sa.Column("experiment_id", text(64), nullable=False),
        sa.Column("description", long_text(), nullable=False),
        sa.Column("pipeline_id", text(64), nullable=False),
        sa.Column("pipeline_version_id", text(64), nullable=False),
        sa.Column("pipeline_name", text(128), nullable=False),
        sa.Column("spec", long_text(), nullable=False),
        sa.Column("platform_spec", long_text(), nullable=False),
        sa.Column("is_inline", sa.Boolean(), nullable=False),
        sa.Column("is_argo", sa.Boolean(), nullable=False),
        sa.Column("parameters", long_text(), nullable=False),
        sa.Column("pipeline_root", long_text(), nullable=False),
        sa.Column("service_account", text(253), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        sa.Column("scheduled_at", seconds(), nullable=False),
        sa.Column("finished_at", seconds(), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("state_history", long_text(), nullable=False),
        sa.Column("error", long_text(), nullable=False),
        sa.Column("recurring_run_id", text(64), nullable=False),
        sa.Column("storage_state", sa.String(32), nullable=False),
        sa.Column("is_fail_fast", sa.Boolean(), nullable=False),
        sa.Column("is_cache_enabled", sa.Boolean(), nullable=False),
        sa.Column("metrics", long_text(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("runs_by_experiment", "runs", ["experiment_id", "created_at", "run_id"])
    op.create_index("runs_by_name", "runs", ["namespace", "display_name", "run_id"])
    op.create_index("runs_by_recurring_run", "runs", ["recurring_run_id", "created_at", "run_id"])
    op.create_index("runs_by_resource_name", "runs", ["namespace", "resource_name"])
    op.create_index("runs_by_state", "runs", ["state", "namespace"])
    op.create_index("runs_by_time", "runs", ["namespace", "created_at", "run_id"])
    op.create_table(
        "tags",
        sa.Column("owner_id", text(64), primary_key=True),
        sa.Column("name", text(63), primary_key=True),
        sa.Column("value", text(63), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("tags_by_value", "tags", ["name", "value"])
    op.create_table(
        "archived_logs",
        sa.Column("run_id", text(64), sa.ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("pod_name", text(253), primary_key=True),
        sa.Column("compressed", blob(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_table(
        "archived_manifests",
        sa.Column("run_id", text(64), sa.ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("compressed", blob(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_table(
        "pipeline_versions",
        sa.Column("pipeline_version_id", text(64), primary_key=True),
        sa.Column("pipeline_id", text(64), sa.ForeignKey("pipelines.pipeline_id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", text(128), nullable=False),
        sa.Column("display_name", text(512), nullable=False),
        sa.Column("description", long_text(), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        sa.Column("package_url", long_text(), nullable=False),
        sa.Column("code_source_url", long_text(), nullable=False),
        sa.Column("spec", long_text(), nullable=False),
        sa.Column("platform_spec", long_text(), nullable=False),
        sa.Column("tags", long_text(), nullable=False),
        sa.UniqueConstraint("pipeline_id", "name", name="versions_by_name"),
        **MYSQL_OPTIONS,
    )
    op.create_index("versions_by_time", "pipeline_versions", ["pipeline_id", "created_at", "pipeline_version_id"])
    op.create_table(
        "run_metrics",
        sa.Column("run_id", text(64), sa.ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("node_id", text(128), primary_key=True),
        sa.Column("name", text(64), primary_key=True),
        sa.Column("number_value", seconds(), nullable=False),
        sa.Column("format", text(16), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_table(
        "tasks",
        sa.Column("task_id", text(64), primary_key=True),
        sa.Column("run_id", text(64), sa.ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
        sa.Column("path", long_text(), nullable=False),
        sa.Column("name", long_text(), nullable=False),
        sa.Column("display_name", long_text(), nullable=False),
        sa.Column("parent_id", text(64), nullable=False),
        sa.Column("type", sa.String(32), nullable=False),
        sa.Column("state", sa.String(32), nullable=False),
        sa.Column("iteration", sa.Integer(), nullable=False),
        sa.Column("iteration_count", sa.Integer(), nullable=False),
        sa.Column("created_at", seconds(), nullable=False),
        sa.Column("started_at", seconds(), nullable=False),
        sa.Column("finished_at", seconds(), nullable=False),
        sa.Column("inputs", long_text(), nullable=False),
        sa.Column("outputs", long_text(), nullable=False),
        sa.Column("error", long_text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("retry_at", seconds(), nullable=False),
        sa.Column("pod_name", text(253), nullable=False),
        sa.Column("pod_uid", text(64), nullable=False),
        sa.Column("failed_pods", long_text(), nullable=False),
        sa.Column("fingerprint", text(128), nullable=False),
        sa.Column("cached_task_id", text(64), nullable=False),
        sa.Column("state_history", long_text(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("tasks_by_fingerprint", "tasks", ["fingerprint", "state"])
    op.create_index("tasks_by_run", "tasks", ["run_id", "created_at", "task_id"])
    op.create_table(
        "artifact_tasks",
        sa.Column("id", text(64), primary_key=True),
        sa.Column("artifact_id", text(64), nullable=False),
        sa.Column("run_id", text(64), sa.ForeignKey("runs.run_id", ondelete="CASCADE"), nullable=False),
        sa.Column("task_id", text(64), sa.ForeignKey("tasks.task_id", ondelete="CASCADE"), nullable=False),
        sa.Column("type", text(32), nullable=False),
        sa.Column("key", text(512), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        **MYSQL_OPTIONS,
    )
    op.create_index("links_by_artifact", "artifact_tasks", ["artifact_id"])
    op.create_index("links_by_run", "artifact_tasks", ["run_id", "id"])
    op.create_index("links_by_task", "artifact_tasks", ["task_id"])


def downgrade() -> None:
    for table in (
        "artifact_tasks",
        "tasks",
        "run_metrics",
        "pipeline_versions",
        "archived_manifests",
        "archived_logs",
        "tags",
        "runs",
        "recurring_runs",
        "pipelines",
        "experiments",
        "artifacts",
    ):
        op.drop_table(table)
