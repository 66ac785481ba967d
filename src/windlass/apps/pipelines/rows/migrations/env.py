"""Alembic's entry: migrate on the connection, and in the transaction, that `migrate.upgrade` has begun."""

from alembic import context

from windlass.apps.pipelines.rows.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
