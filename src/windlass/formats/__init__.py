"""File formats that programs inside pods and Windlass agree on, the token of a server, and archives of strangers.

Texts of users are read within limits: `yaml_reader`, `json_or_yaml` and `nesting`; `patterns` searches for their
regular expressions. Nothing here needs a cluster; a library, for YAML or RE2, is imported with the first text that
needs it.
"""
