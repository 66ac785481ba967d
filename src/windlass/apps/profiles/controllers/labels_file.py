"""The file of an administrator with the labels of profile namespaces, read again when it changes.

It replaces the default labels, as in Kubeflow. Those that the safety of the namespace depends on stay unless the file
has them with an empty value: a file that was written for Kubeflow does not know all of them.
"""

import logging
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from windlass.apps.profiles.names import DEFAULT_LABELS, RELIED_ON_LABELS
from windlass.formats.json_or_yaml import parse
from windlass.kube.json import is_object

PATH = Path("/etc/profile-controller/namespace-labels.yaml")
RECHECK = timedelta(seconds=30)
"""How often profiles are reconciled again, so that a changed file reaches them."""

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
        except (OSError, ValueError) as error:
            log.warning("the labels of profile namespaces cannot be read path=%s error=%s", self._path, error)
        return self._labels


def _read(path: Path) -> dict[str, str]:
    given = parse(path.read_text())
    if not is_object(given):
        raise ValueError("it must be a map of labels to values")
    labels = {name: str(value) if value is not None else "" for name, value in given.items()}
    return {**{name: DEFAULT_LABELS[name] for name in RELIED_ON_LABELS}, **labels}
