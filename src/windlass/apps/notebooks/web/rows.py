"""One row of the notebooks table. What a Notebook does not say is an empty cell, never an error."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from windlass.apis.core_v1 import Event
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.web.form import SERVER_TYPE
from windlass.apps.notebooks.web.notebook_status import notebook_status
from windlass.gateway.proxy.entrances.state import OPEN, EntranceState
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import Quantity

LAST_ACTIVITY = "notebooks.kubeflow.org/last-activity"


def row(
    notebook: Notebook,
    events: Sequence[Event],
    vendors: Sequence[Object],
    now: datetime,
    entrance: EntranceState = OPEN,
) -> Object:
    """`vendors` are those of the spawner configuration: `limitsKey` and `uiName`."""
    metadata = notebook.metadata
    containers = dig_list(notebook.spec.template.spec, "containers")
    container: Object = containers[0] if containers else {}
    image = str(container.get("image") or "")
    return {
        "name": metadata.name,
        "namespace": metadata.namespace,
        "serverType": metadata.annotations.get(SERVER_TYPE, ""),
        "age": metadata.creation_timestamp,
        "last_activity": metadata.annotations.get(LAST_ACTIVITY, ""),
        "image": image,
        "shortImage": image.rpartition("/")[2],
        "cpu": str(dig(container, "resources", "requests", "cpu") or ""),
        "memory": str(dig(container, "resources", "requests", "memory") or ""),
        "gpus": gpus(dig_object(container, "resources", "limits"), vendors),
        "volumes": [str(mount.get("name") or "") for mount in dig_list(container, "volumeMounts")],
        "status": notebook_status(notebook, events, now, entrance),
        "metadata": msgspec.to_builtins(metadata),
    }


def gpus(limits: Object, vendors: Sequence[Object]) -> Object:
    """The number of GPUs over all vendors, and how many of which."""
    counts = [
        (str(vendor.get("uiName")), count)
        for vendor in vendors
        if (count := _whole_number(limits.get(str(vendor.get("limitsKey"))))) > 0
    ]
    return {
        "count": sum(count for _, count in counts),
        "message": ", ".join(f"{count} {name}" for name, count in counts),
    }


def _whole_number(amount: object) -> int:
    try:
        return Quantity.parse(str(amount)).value() if amount is not None else 0
    except ValueError:
        return 0
