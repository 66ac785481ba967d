"""Init containers of PyTorch workers: wait for the master's name, and for a limited time for its port."""

import re
from typing import Any

from windlass.apps.training.options import Options
from windlass.formats import yaml_reader
from windlass.kube.json import Object, is_list, is_object

PLACEHOLDER = re.compile(r"\{\{-?\s*\.(MasterAddr|InitContainerImage|MaxTries)\s*-?\}\}")
"""The placeholders of upstream's templates."""


PORT_TRIES = 20
"""Number of checks for the port, twice a second. Workers then start anyway: a master need not listen."""


def init_containers(master: str, port: int, options: Options) -> list[Object]:
    """Return the init containers that wait for `master`. Raises ValueError if the operator's template is invalid."""
    image, tries = options.pytorch_init_container_image, options.pytorch_init_container_max_tries
    if options.pytorch_init_container_template:
        values = {"MasterAddr": master, "InitContainerImage": image, "MaxTries": str(tries)}
        return _read(PLACEHOLDER.sub(lambda found: values[found[1]], options.pytorch_init_container_template))
    return [
        {
            "name": "init-pytorch",
            "image": image,
            "imagePullPolicy": "IfNotPresent",
            "command": ["sh", "-c", f"{_wait_for_name(master, tries)}; {_wait_for_port(master, port)}"],
            "resources": {
                "limits": {"cpu": "100m", "memory": "20Mi"},
                "requests": {"cpu": "50m", "memory": "10Mi"},
            },
        }
    ]


def _read(text: str) -> list[Object]:
    try:
        read: Any = yaml_reader.read(text)
    except yaml_reader.BadYaml as error:
        raise ValueError(f"not YAML: {error}") from error
    if not is_list(read) or not all(is_object(each) and each.get("name") for each in read):
        raise ValueError("not a list of containers, each with a name")
    return read


def _wait_for_name(name: str, tries: int) -> str:
    """Wait for the name, frequently at first: a master that starts with its workers is usually up within a second."""
    return (
        f"for try in $(seq {tries}); do "
        f"if nslookup {name}; then found=yes; break; fi; "
        "echo waiting for master; "
        "if [ $try -le 10 ]; then sleep 0.2; else sleep 2; fi; "
        "done; "
        '[ "$found" ] || exit 1'
    )


def _wait_for_port(name: str, port: int) -> str:
    """Wait for the port, if the image has nc and as long as the master's name resolves."""
    return (
        "command -v nc >/dev/null || exit 0; "
        f"for try in $(seq {PORT_TRIES}); do "
        f"if nc -z -w 1 {name} {port}; then exit 0; fi; "
        f"nslookup {name} >/dev/null 2>&1 || break; "
        "sleep 0.5; "
        "done; "
        f"echo nothing listens at {name}:{port} yet, starting anyway"
    )
