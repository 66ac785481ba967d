"""The spawner's configuration: `spawner_ui_config.yaml`, in Kubeflow's format.

A file of the administrator replaces the built-in defaults key by key. It is read again when it changes, a minute later
at most; one that cannot be read keeps what was read before.
"""

import logging
import math
import time
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from windlass.apis.images import NOTEBOOKS
from windlass.apis.wellknown import AMD_GPU, NVIDIA_GPU
from windlass.formats import yaml_reader
from windlass.gateway.context import GatewayContext
from windlass.kube.json import Object, dig, dig_list, is_list, is_object

log = logging.getLogger(__name__)

RELOAD_SECONDS = 60.0
FORM_DEFAULTS = "spawnerFormDefaults"
OPTION_LISTS = ("affinityConfig", "tolerationGroup")

DEFAULTS: Object = {
    "allowCustomImage": True,
    "hideRegistry": True,
    "hideTag": False,
    "imagePullPolicy": {"value": "IfNotPresent", "readOnly": False},
    **{key: {"value": choices[0], "options": list(choices), "readOnly": False} for key, choices in NOTEBOOKS.items()},
    "cpu": {"value": "0.5", "limitFactor": "1.2", "readOnly": False},
    "memory": {"value": "1.0Gi", "limitFactor": "1.2", "readOnly": False},
    "gpus": {
        "value": {
            "num": "none",
            "vendor": "",
            "vendors": [
                {"limitsKey": NVIDIA_GPU, "uiName": "NVIDIA"},
                {"limitsKey": AMD_GPU, "uiName": "AMD"},
                {"limitsKey": "habana.ai/gaudi", "uiName": "Intel Gaudi"},
            ],
        },
        "readOnly": False,
    },
    "workspaceVolume": {
        "value": {
            "mount": "/home/jovyan",
            "newPvc": {
                "metadata": {"name": "{notebook-name}-workspace"},
                "spec": {"resources": {"requests": {"storage": "5Gi"}}, "accessModes": ["ReadWriteOnce"]},
            },
        },
        "readOnly": False,
    },
    "dataVolumes": {"value": [], "readOnly": False},
    "affinityConfig": {"value": "", "options": [], "readOnly": False},
    "tolerationGroup": {"value": "", "options": [], "readOnly": False},
    "shm": {"value": True, "readOnly": False},
    "configurations": {"value": [], "readOnly": False},
    "environment": {"value": {}, "readOnly": False},
}


class BadSpawnerConfig(ValueError):
    """The file is not a spawner configuration."""


def parsed(text: str) -> Object:
    """The form defaults of a file, over the built-in ones. Raises BadSpawnerConfig."""
    try:
        document: Any = yaml_reader.read(text)
    except yaml_reader.BadYaml as error:
        raise BadSpawnerConfig(str(error).replace("\n", " ")) from error
    given = document.get(FORM_DEFAULTS) if is_object(document) else None
    if not is_object(given):
        raise BadSpawnerConfig(f"the file has no mapping {FORM_DEFAULTS}")
    for key, value in given.items():
        if isinstance(DEFAULTS.get(key), dict) and not (is_object(value) and "value" in value):
            raise BadSpawnerConfig(f"{FORM_DEFAULTS}.{key}: must be a mapping with a value")
        _check(key, value)
    return {**deepcopy(DEFAULTS), **given}


def _check(key: str, field: object) -> None:
    """What the form computes with must have the right shape."""
    where = f"{FORM_DEFAULTS}.{key}"
    if key in ("cpu", "memory") and not _is_factor(dig(field, "limitFactor")):
        raise BadSpawnerConfig(f"{where}.limitFactor: must be a number or none")
    lists = [dig(field, "options")] if key in OPTION_LISTS else []
    if key == "gpus":
        lists = [dig(field, "value", "vendors")]
    for entries in lists:
        if not is_list(entries or []) or not all(map(is_object, entries or [])):
            raise BadSpawnerConfig(f"{where}: options and vendors must be lists of mappings")


def _is_factor(factor: object) -> bool:
    if factor is None or factor == "none":
        return True
    try:
        return math.isfinite(float(str(factor)))
    except ValueError:
        return False


class SpawnerConfig:
    """The defaults that are in force now."""

    def __init__(self, path: Path | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._path, self._clock = path, clock
        self._defaults = deepcopy(DEFAULTS)
        self._text: str | None = None
        self._next_read = float("-inf")

    def defaults(self) -> Object:
        if self._path is not None and self._clock() >= self._next_read:
            self._next_read = self._clock() + RELOAD_SECONDS
            self._read(self._path)
        return self._defaults

    def _read(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            self._text, self._defaults = None, deepcopy(DEFAULTS)
            return
        except (OSError, UnicodeDecodeError) as error:
            log.warning("the spawner configuration cannot be read path=%s error=%s", path, error)
            return
        if text == self._text:
            return
        self._text = text
        try:
            self._defaults = parsed(text)
        except BadSpawnerConfig as error:
            log.warning("the spawner configuration is not used path=%s error=%s", path, error)


def spawner_config(context: GatewayContext) -> SpawnerConfig:
    """Ask for it with `context.service(spawner_config)`."""
    return SpawnerConfig(context.settings.spawner_config)


def gpu_vendors(context: GatewayContext) -> list[Object]:
    return dig_list(context.service(spawner_config).defaults(), "gpus", "value", "vendors")
