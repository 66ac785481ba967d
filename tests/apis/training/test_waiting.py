"""Init containers of the operator's own, as upstream's template files have them."""

import pytest

from windlass.apis.training.options import Options
from windlass.apis.training.waiting import init_containers

TEMPLATE = """
- name: wait
  image: {{.InitContainerImage}}
  command: [sh, -c, 'for n in $(seq {{ .MaxTries }}); do nc -z {{.MasterAddr}} 23456 && exit 0; sleep 1; done; exit 1']
"""


def test_a_template_is_filled_in() -> None:
    options = Options(
        pytorch_init_container_template=TEMPLATE,
        pytorch_init_container_image="busybox:1",
        pytorch_init_container_max_tries=7,
    )

    command = "for n in $(seq 7); do nc -z demo-master-0 23456 && exit 0; sleep 1; done; exit 1"
    assert init_containers("demo-master-0", options) == [
        {"name": "wait", "image": "busybox:1", "command": ["sh", "-c", command]}
    ]


@pytest.mark.parametrize("template", ["name: alone", "- image: nameless", "- {", "text"])
def test_what_is_no_list_of_containers_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="not "):
        init_containers("demo-master-0", Options(pytorch_init_container_template=template))
