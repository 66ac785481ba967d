"""Validation of clientConfig and review versions of admission and conversion webhooks."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Json, Object, is_object
from windlass.kube.names import dns1035_label_errors, dns_subdomain_errors

REVIEW_VERSIONS = ("v1", "v1beta1")
_FORM = "; desired format: https://host[/path]"
_PORTS = "port is not valid: must be between 1 and 65535, inclusive"


def client_causes(client: Object, path: str) -> Iterator[Cause]:
    """Return the errors in the clientConfig at `path`: exactly one of a URL and a Service, and that valid."""
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _url_causes(str(url), f"{path}.url")
    elif is_object(service):
        yield from _service_causes(service, f"{path}.service")


def _url_causes(url: str, path: str) -> Iterator[Cause]:
    try:
        parts = urlsplit(url)
    except ValueError as error:
        yield required(path, f"url must be a valid URL: {error}{_FORM}")
        return
    user, _, host = parts.netloc.rpartition("@")
    if parts.scheme != "https":
        yield invalid(path, parts.scheme, f"'https' is the only allowed URL scheme{_FORM}")
    if not host:
        yield invalid(path, host, f"host must be provided{_FORM}")
    if "@" in parts.netloc:
        yield invalid(path, user, "user information is not permitted in the URL")
    if parts.fragment:
        yield invalid(path, parts.fragment, "fragments are not permitted in the URL")
    if parts.query:
        yield invalid(path, parts.query, "query parameters are not permitted in the URL")


def _service_causes(service: Object, path: str) -> Iterator[Cause]:
    for field in ("name", "namespace"):
        if not service.get(field):
            yield required(f"{path}.{field}", f"service {field} is required")
    port = service.get("port", 443)
    if not isinstance(port, int) or not 1 <= port <= 65535:
        yield invalid(f"{path}.port", port, _PORTS)
    yield from _path_causes(service.get("path"), f"{path}.path")


def _path_causes(value: Json, path: str) -> Iterator[Cause]:
    if not isinstance(value, str) or value in ("", "/"):
        return
    if value == "//":
        yield invalid(path, value, "segment[0] may not be empty")
        return
    if not value.startswith("/"):
        yield invalid(path, value, "must start with a '/'")
    for index, segment in enumerate(value[1:].removesuffix("/").split("/")):
        if not segment:
            yield invalid(path, value, f"segment[{index}] may not be empty")
        else:
            for problem in dns_subdomain_errors(segment):
                yield invalid(path, value, f"segment[{index}]: {problem}")


def review_version_causes(versions: list[str], path: str, if_empty: str = "") -> Iterator[Cause]:
    """Return the errors in the review versions of a webhook: at least one must be supported here."""
    if not versions:
        yield required(path, if_empty)
        return
    for index, version in enumerate(versions):
        if version in versions[:index]:
            yield invalid(f"{path}[{index}]", version, "duplicate version")
            continue
        for problem in dns1035_label_errors(version):
            yield invalid(f"{path}[{index}]", version, problem)
    if not set(REVIEW_VERSIONS) & set(versions):
        yield invalid(path, versions, f"must include at least one of {', '.join(REVIEW_VERSIONS)}")
