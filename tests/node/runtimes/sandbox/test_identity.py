"""The /etc/passwd of a container names its user as the image does, and nothing else gets in."""

import pytest

from windlass.node.runtimes.sandbox.identity import passwd

ROOT = "root:x:0:0:root:/root:/bin/sh"
NOBODY = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin"
NOTEBOOK = {"NB_USER": "jovyan", "HOME": "/home/jovyan", "SHELL": "/bin/bash"}


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        (NOTEBOOK, "jovyan:x:1000:100:jovyan:/home/jovyan:/bin/bash"),
        ({}, "user:x:1000:100:user:/:/bin/sh"),
        ({"HOME": "/work"}, "user:x:1000:100:user:/work:/bin/sh"),
        ({"NB_USER": "root"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"NB_USER": "a:x:0:0"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"NB_USER": "a\nb"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"NB_USER": "Upper"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"NB_USER": "-"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"NB_USER": "1st"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"HOME": "relative"}, "user:x:1000:100:user:/:/bin/sh"),
        ({"HOME": "/a:b", "SHELL": "/bin/sh\nroot2:x:0:0::/:"}, "user:x:1000:100:user:/:/bin/sh"),
    ],
)
def test_the_user_of_a_container(environment: dict[str, str], line: str) -> None:
    assert passwd(1000, 100, environment).splitlines() == [ROOT, NOBODY, line]


@pytest.mark.parametrize("user", [0, 65534])
def test_root_and_nobody_have_their_names(user: int) -> None:
    assert passwd(user, 0, NOTEBOOK).splitlines() == [ROOT, NOBODY]
