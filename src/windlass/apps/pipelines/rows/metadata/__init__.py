"""Reads for the metadata store.

node_queries    what the store asks of the tables. Data only, without SQLAlchemy
node_tables     tables as nodes of the store. Pure
metadata_rows   the reads
"""
