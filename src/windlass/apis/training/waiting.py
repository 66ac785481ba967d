"""What PyTorch workers do before they start: they wait until the name of their master resolves."""

import re
from typing import Any

import yaml

from windlass.apis.training.options import Options
from windlass.kube.json import Object, is_list, is_object

PLACEHOLDER = re.compile(r"\{\{-?\s*\.(MasterAddr|InitContainerImage|MaxTries)\s*-?\}\}")
"""As upstream's templates have them."""


def init_containers(master: str, options: Options) -> list[Object]:
    """Those that wait for `master`. Raises ValueError if the operator's own template is none."""
    image, tries = options.pytorch_init_container_image, options.pytorch_init_container_max_tries
    if options.pytorch_init_container_template:
        values = {"MasterAddr": master, "InitContainerImage": image, "MaxTries": str(tries)}
        return _read(PLACEHOLDER.sub(lambda found: values[found[1]], options.pytorch_init_container_template))
    return [
        {
            "name": "init-pytorch",
            "image": image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["sh", "-c", _look_up(master, tries)],
            "resources": {
                "limits": {"cpu": "100m", "memory": "20Mi"},
                "requests": {"cpu": "50m", "memory": "10Mi"},
            },
        }
    ]


def _read(text: str) -> list[Object]:
    try:
        read: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {error}") from error
    if not is_list(read) or not all(is_object(each) and each.get("name") for each in read):
        raise ValueError("not a list of containers, each with a name")
    return read


def _look_up(name: str, tries: int) -> str:
    """Often at first, as a master that starts beside its workers is mostly there within a second."""
    return (
        f"for try in $(seq {tries}); do "
        f"if nslookup {name}; then exit 0; fi; "
        "echo waiting for master; "
        "if [ $try -le 10 ]; then sleep 0.2; else sleep 2; fi; "
        "done; exit 1"
    )
