"""The four ways to patch an object, and the record of who set which field.

`json_patch`, `merge_patch` and `strategic` each have `apply(doc, patch, …)`: they return a new document that shares
nothing with the old one, and raise `PatchError`. Server-side apply is `managed.applied`.
"""

from windlass.kube.patch.errors import PatchError

__all__ = ["PatchError"]
