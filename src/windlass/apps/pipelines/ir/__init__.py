"""The pipeline specification (PipelineSpec, schema 2.1.0) and its platform document: reading and checking. Pure.

`package` reads an upload; `check` refuses what could never run; `parameters` and `macros` are for creating runs;
`spec` has the structs, `dependencies` the order of tasks, and `expressions` evaluates conditions.
"""
