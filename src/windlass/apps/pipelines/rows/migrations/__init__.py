"""The revisions of the tables, in Alembic's form."""
