"""A parsed request: the verb, the resource, the options, and the format that the client wants."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import parse_qsl

from windlass.apis.proxied_identity import PIPELINES_VERSIONS, PROXIED_NAME, SYSTEM_NAMESPACE
from windlass.apiserver.auth.user import User
from windlass.apiserver.connection import Request
from windlass.apiserver.resources import Resource
from windlass.kube.errors import BadRequest, Invalid, NotAcceptable, not_supported
from windlass.kube.json import Object

JSON, YAML = "json", "yaml"
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Path:
    """The parts of a resource's URL. `name` is empty for collections, `namespace` for the whole cluster."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""


@lru_cache(maxsize=8192)
def parse_path(path: str) -> Path | None:
    """Parse the resource path; None for other paths (discovery, health …)."""
    steps = path.strip("/").split("/")
    if steps[0] == "apis" and len(steps) >= 3 and steps[1] in PIPELINES_VERSIONS:
        return Path("", "v1", "services", SYSTEM_NAMESPACE, PROXIED_NAME, "proxy", "/".join(steps))
    if steps[0] == "api" and len(steps) >= 3:
        group, version, steps = "", steps[1], steps[2:]
    elif steps[0] == "apis" and len(steps) >= 4:
        group, version, steps = steps[1], steps[2], steps[3:]
    else:
        return None
    namespace = ""
    if steps[0] == "namespaces" and not group and len(steps) <= 2:
        return Path(
            group, version, "namespaces", steps[1] if len(steps) == 2 else "", steps[1] if len(steps) == 2 else ""
        )
    if steps[0] == "namespaces" and not group and len(steps) == 3 and steps[2] in ("status", "finalize"):
        return Path(group, version, "namespaces", steps[1], steps[1], steps[2])
    if steps[0] == "namespaces" and len(steps) >= 3:
        namespace, steps = steps[1], steps[2:]
    name = steps[1] if len(steps) > 1 else ""
    subresource = steps[2] if len(steps) > 2 else ""
    return Path(group, version, steps[0], namespace, name, subresource, "/".join(steps[3:]))


@dataclass(frozen=True, slots=True)
class Accept:
    """The requested format: `transform` is Table or PartialObjectMetadata(List), or empty."""

    format: str = JSON
    transform: str = ""
    transform_version: str = "v1"
    streams: bool = False


_TRANSFORMS = {"Table", "PartialObjectMetadata", "PartialObjectMetadataList"}


@lru_cache(maxsize=512)
def parse_accept(header: str) -> Accept:
    """The first format in an Accept header that the server supports."""
    if not header:
        return Accept()
    for offer in header.split(","):
        media, *raw = (part.strip() for part in offer.split(";"))
        options = dict(option.split("=", 1) for option in raw if "=" in option)
        if media in ("application/yaml", "application/x-yaml", "text/yaml"):
            form = YAML
        elif media in ("application/json", "application/*", "*/*", "text/html", "text/*"):
            form = JSON
        else:
            continue
        transform = options.get("as", "")
        if not transform:
            return Accept(form, streams=options.get("stream") == "watch")
        if transform in _TRANSFORMS and options.get("g") == "meta.k8s.io" and options.get("v") in ("v1", "v1beta1"):
            return Accept(form, transform, options["v"])
    raise NotAcceptable(
        "only the following media types are accepted: application/json, application/yaml", name="", kind=""
    )


@dataclass(slots=True)
class Call:
    """A request on a resource."""

    request: Request
    user: User
    verb: str
    path: Path
    resource: Resource
    query: dict[str, str]
    warnings: list[str] = field(default_factory=list[str])
    at_rest: Object | None = None
    """The object to write in its storage version, if a webhook had to convert it."""
    proven: bool = False
    """Whether to skip validation: objects that Windlass provides, which its tests validate."""

    @property
    def accept(self) -> Accept:
        return parse_accept(self.request.headers.get(b"accept", b"").decode("latin-1"))

    @property
    def key(self) -> tuple[str, str, str]:
        """The key of the named object in the store."""
        namespace = self.path.namespace if self.resource.namespaced else ""
        return (self.resource.store_key, namespace, self.path.name)

    @property
    def dry_run(self) -> bool:
        return is_dry_run(self.query.get("dryRun", ""))

    @property
    def field_manager(self) -> str:
        """The manager in managedFields: the client's parameter, or the first part of its user agent."""
        named = self.query.get("fieldManager")
        if named:
            return named
        agent = self.request.headers.get(b"user-agent", b"unknown").decode("latin-1")
        return agent.split("/", 1)[0][:128] or "unknown"

    def flag(self, name: str) -> bool:
        """A boolean query parameter."""
        return is_set(self.query, name)

    def number(self, name: str) -> int | None:
        """An integer query parameter, or None if it is absent."""
        value = self.query.get(name)
        if not value:
            return None
        if not _WHOLE_NUMBER.fullmatch(value):
            raise BadRequest(f'strconv.ParseInt: parsing "{value}": invalid syntax')
        return int(value)


def is_set(query: dict[str, str], name: str) -> bool:
    """Whether a flag in a query is set, as in Kubernetes: only false and 0 are false, and the bare name is true."""
    value = query.get(name)
    return value is not None and value.lower() not in ("false", "0")


def is_dry_run(value: str | Sequence[str]) -> bool:
    """Whether the client requests a dry run; values other than All are refused."""
    given = value if isinstance(value, str) else ",".join(value)
    if given in ("", "All"):
        return given == "All"
    raise Invalid.of("DeleteOptions", "meta.k8s.io", "", [not_supported("dryRun", given, ("All",))])


@lru_cache(maxsize=2048)
def _parse_query(raw: bytes) -> tuple[tuple[str, str], ...]:
    return tuple(parse_qsl(raw.decode("latin-1"), keep_blank_values=True))


def parse_query(raw: bytes) -> dict[str, str]:
    """Parse query parameters; the first of a repeated parameter counts, as in Go."""
    if not raw:
        return {}
    query: dict[str, str] = {}
    for name, value in _parse_query(raw):
        query.setdefault(name, value)
    return query
