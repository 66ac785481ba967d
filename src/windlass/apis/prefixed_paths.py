"""Domain-prefixed paths such as `acme.io/foo`, which name a controller in `managedBy`."""

import re

from windlass.kube.errors import Cause, invalid, required
from windlass.kube.names import dns_subdomain_errors

_PATH_FMT = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_path = re.compile(_PATH_FMT).fullmatch


def domain_prefixed_path(field: str, value: str) -> list[Cause]:
    """Return Kubernetes' validation errors of a domain-prefixed path."""
    if not value:
        return [required(field)]
    domain, _, path = value.partition("/")
    if not domain or not path:
        return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    causes = [invalid(field, domain, why) for why in dns_subdomain_errors(domain)]
    if not _path(path):
        causes.append(invalid(field, path, f"Invalid path (regex used for validation is '{_PATH_FMT}')"))
    return causes
