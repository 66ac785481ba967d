"""Runs one pipeline: events in, effects out. Deterministic, and without I/O.

`run_engine` takes `events` and answers a `turn` with `effects` and changed records. Below it, `task_tree` begins tasks
and takes the answers to their effects, and `advance` decides what starts, is skipped or ends in DAGs and loops. They
use `definition` and `graph` (what the specification says), `nodes` (the records as a tree), `resolve` (inputs), `loops`
and `dag_outputs` (items and results), `states` and `retries` (changes of records). `restart` makes the tree from saved
records.
"""
