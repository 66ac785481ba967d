"""Reading bodies in Kubernetes' protobuf form, which kubectl sends for its typed commands; answers stay JSON.

`decode` is all that the verbs need. `wire` splits bytes into numbered fields, `table` says what the numbers mean,
`values` prints the types that JSON has as strings.
"""

from windlass.apiserver.protobuf.decoding import decode

__all__ = ["decode"]
