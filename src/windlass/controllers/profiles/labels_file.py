"""The file of an administrator with the labels of profile namespaces, read again when it changes."""

import logging
from collections.abc import Mapping
from pathlib import Path

import yaml

from windlass.apis.profiles.names import DEFAULT_LABELS
from windlass.kube.json import is_object

PATH = Path("/etc/profile-controller/namespace-labels.yaml")

log = logging.getLogger(__name__)


class LabelsFile:
    """Calling it returns the labels. A file that is absent or broken leaves those that were there before."""

    def __init__(self, path: Path = PATH) -> None:
        self._path = path
        self._labels: Mapping[str, str] = DEFAULT_LABELS
        self._read_at: int | None = None

    def __call__(self) -> Mapping[str, str]:
        try:
            changed = self._path.stat().st_mtime_ns
            if changed != self._read_at:
                self._labels, self._read_at = _read(self._path), changed
        except FileNotFoundError:
            pass
        except (OSError, ValueError, yaml.YAMLError) as error:
            log.warning("the labels of profile namespaces cannot be read path=%s error=%s", self._path, error)
        return self._labels


def _read(path: Path) -> dict[str, str]:
    given = yaml.safe_load(path.read_text())
    if not is_object(given):
        raise ValueError("it must be a map of labels to values")
    return {name: str(value) if value is not None else "" for name, value in given.items()}
