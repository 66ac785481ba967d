"""Errors of the database of pipelines. Imported by those who only need to catch them."""


class DatabaseError(Exception):
    """The database cannot be reached, opened or written."""


class AlreadyExists(Exception):
    """A row with the same id or name exists."""
