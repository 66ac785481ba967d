"""Writes YAML. PyYAML is imported at the first value, not with this module."""

from collections.abc import Iterable
from typing import Any


def write(value: Any, *, ascii_only: bool = False) -> str:
    """Return a document, with keys in their order."""
    import yaml

    return yaml.safe_dump(value, sort_keys=False, allow_unicode=not ascii_only)


def write_fast(value: Any) -> str:
    """Return a document by the dumper in C, which folds some long texts elsewhere than `write`."""
    import yaml

    return yaml.dump(value, Dumper=_fast_dumper(), sort_keys=False, allow_unicode=True)


def write_all(values: Iterable[Any]) -> str:
    """Return documents, with keys in their order."""
    import yaml

    return yaml.safe_dump_all(values, sort_keys=False, allow_unicode=True)


def write_manifests(objects: Iterable[Any], *, width: int = 2**31 - 1, explicit_start: bool = True) -> str:
    """Return documents without anchors, which Kubernetes does not read across documents."""
    import yaml

    dumper: Any = type("Dumper", (_fast_dumper(),), {"ignore_aliases": _always})
    return yaml.dump_all(
        objects, Dumper=dumper, sort_keys=False, explicit_start=explicit_start, allow_unicode=True, width=width
    )


def _fast_dumper() -> Any:
    import yaml

    return getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def _always(*_: object) -> bool:
    return True
