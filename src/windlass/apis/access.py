"""Rights as RBAC decides on them, and their form in a SubjectAccessReview."""

from dataclasses import dataclass

from windlass.kube.json import Object


@dataclass(frozen=True, slots=True)
class Access:
    """A verb on an object, or on all objects of a namespace."""

    verb: str
    group: str
    resource: str
    namespace: str
    name: str = ""
    subresource: str = ""

    def __str__(self) -> str:
        """As an error message says it."""
        resource = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        kind = f"{resource}.{self.group}" if self.group else resource
        return f'{self.verb} {kind} "{self.name}" in namespace "{self.namespace}"'

    def attributes(self) -> Object:
        """For a SubjectAccessReview."""
        return {
            "resourceAttributes": {
                "verb": self.verb,
                "group": self.group,
                "resource": self.resource,
                "subresource": self.subresource,
                "namespace": self.namespace,
                "name": self.name,
            }
        }


@dataclass(frozen=True, slots=True)
class PathAccess:
    """A verb on a URL that is no object's, such as `/metrics`."""

    verb: str
    path: str

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"

    def attributes(self) -> Object:
        return {"nonResourceAttributes": {"verb": self.verb, "path": self.path}}
