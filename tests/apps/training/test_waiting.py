"""Init containers of the operator's own, as upstream's template files have them."""

import subprocess
from pathlib import Path

import pytest

from windlass.apps.training.options import Options
from windlass.apps.training.waiting import init_containers

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
    assert init_containers("demo-master-0", 23456, options) == [
        {"name": "wait", "image": "busybox:1", "command": ["sh", "-c", command]}
    ]


@pytest.mark.parametrize("template", ["name: alone", "- image: nameless", "- {", "text"])
def test_what_is_no_list_of_containers_is_refused(template: str) -> None:
    with pytest.raises(ValueError, match="not "):
        init_containers("demo-master-0", 23456, Options(pytorch_init_container_template=template))


@pytest.mark.parametrize(
    ("nslookup", "nc", "code", "says"),
    [
        ("exit 0", "exit 0", 0, ""),
        ("exit 1", "exit 0", 1, "waiting for master\n" * 3),
        ("exit 0", "exit 1", 0, "nothing listens at demo-master-0:23456 yet, starting anyway\n"),
        ("exit 0", None, 0, ""),
        ('[ -e looked ] && exit 1; : > "looked"', "exit 1", 0, "nothing listens at demo-master-0:23456 yet, "),
    ],
    ids=["ready", "never there", "never listens", "no nc in the image", "there and gone"],
)
def test_workers_wait_for_the_master_and_a_while_for_its_port(
    tmp_path: Path, nslookup: str, nc: str | None, code: int, says: str
) -> None:
    programs = {
        "nslookup": nslookup,
        "nc": nc,
        "sleep": "exit 0",
        "seq": "i=0; while [ $i -lt $1 ]; do echo $((i+=1)); done",
    }
    for name, script in programs.items():
        if script is not None:
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)
    [container] = init_containers("demo-master-0", 23456, Options(pytorch_init_container_max_tries=3))

    shell, *arguments = container["command"]
    done = subprocess.run(
        [f"/bin/{shell}", *arguments],
        env={"PATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(says)
