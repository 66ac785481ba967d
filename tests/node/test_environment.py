"""Environment and command lines, as kubelet makes them."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, field

from windlass.apis.images import IMAGE_PROGRAM
from windlass.kube.json import Object
from windlass.node.environment import ConfigError, NoCommand, argv_of, environment, expand, expand_text
from windlass.node.field_paths import BadField, field_value, resource_value


class Image(Struct, frozen=True):
    path: tuple[str, ...] = ("/env/bin",)
    environment: dict[str, str] = field(default_factory=lambda: {"LANG": "C.UTF-8"})
    entrypoint: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    needs_command: bool = False
    remedy: str = ""


class ObjectReader:
    """What a namespace holds, without a server."""

    def __init__(self, maps: Object | None = None, secrets: Object | None = None, services: Any = ()) -> None:
        self.maps, self.secrets, self.found = maps or {}, secrets or {}, list(services)

    async def config_map(self, namespace: str, name: str) -> Object | None:
        return {"data": self.maps[name]} if name in self.maps else None

    async def secret(self, namespace: str, name: str) -> Object | None:
        if name not in self.secrets:
            return None
        return {"data": {key: base64.b64encode(value).decode() for key, value in self.secrets[name].items()}}

    async def services(self, namespace: str) -> list[Object]:
        return self.found

    async def allocatable(self) -> Object:
        return {"cpu": "4", "memory": "8Gi"}


def a_pod(**spec: Any) -> Object:
    return {
        "metadata": {"name": "web-0", "namespace": "shop", "uid": "u1", "labels": {"app": "web"}},
        "spec": {"nodeName": "laptop", **spec},
        "status": {"hostIP": "10.244.0.1", "podIP": "10.244.1.2", "podIPs": [{"ip": "10.244.1.2"}]},
    }


def a_service(called: str, namespace: str = "shop", address: str = "10.96.0.9", **port: Any) -> Object:
    return {
        "metadata": {"name": called, "namespace": namespace},
        "spec": {"clusterIP": address, "ports": [{"port": 80, "protocol": "TCP", **port}]},
    }


async def of(
    container: Object, reads: ObjectReader | None = None, pod: Object | None = None, **more: Any
) -> dict[str, str]:
    return await environment(pod or a_pod(), {"name": "c", **container}, reads or ObjectReader(), Image(), **more)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("$(A)", "1"), ("$(A)$(B)", "12"), ("$$(A)", "$(A)"), ("$$$(A)", "$1"), ("$(NONE)", "$(NONE)"),
        ("$(A", "$(A"), ("$A", "$A"), ("$", "$"), ("", ""), ("a$", "a$"), ("$()", "$()"), ("$$$$", "$$"),
        ("$(A)$(", "1$("), ("$(C)", "$(A)"), ("$($(A))", "$($(A))"),
    ],
)  # fmt: skip
def test_references_are_expanded_once(text: str, expanded: str) -> None:
    assert expand_text(text, {"A": "1", "B": "2", "C": "$(A)"}) == expanded


@given(st.text())
def test_text_that_is_escaped_comes_through_whole(text: str) -> None:
    assert expand_text(text.replace("$", "$$"), {"A": "1"}) == text


@given(st.text(alphabet="$()AB x"))
def test_without_variables_nothing_but_escapes_changes(text: str) -> None:
    assert len(expand_text(text, {})) <= len(text)


async def test_env_sees_what_stands_before_it_and_not_after() -> None:
    env = [{"name": "A", "value": "1"}, {"name": "B", "value": "$(A)$(C)"}, {"name": "C", "value": "3"}]
    assert (await of({"env": env}))["B"] == "1$(C)"


async def test_later_sources_win_over_earlier_ones_and_env_over_all() -> None:
    reads = ObjectReader({"one": {"A": "1", "B": "1", "C": "1"}}, {"two": {"B": b"2", "C": b"2"}}, [a_service("x")])
    env_from = [{"configMapRef": {"name": "one"}}, {"secretRef": {"name": "two"}}]
    found = await of({"envFrom": env_from, "env": [{"name": "C", "value": "3"}]}, reads)
    assert (found["A"], found["B"], found["C"], found["LANG"]) == ("1", "2", "3", "C.UTF-8")


async def test_keys_that_are_no_names_are_skipped_and_reported() -> None:
    told: list[tuple[str, str]] = []
    reads = ObjectReader({"m": {"good": "1", "bad=key": "2"}})
    found = await of(
        {"envFrom": [{"prefix": "P_", "configMapRef": {"name": "m"}}]}, reads, warn=lambda *said: told.append(said)
    )
    assert found["P_good"] == "1"
    assert told == [
        (
            "InvalidEnvironmentVariableNames",
            "Keys [P_bad=key] from the EnvFrom configMap shop/m were skipped since they are considered invalid "
            "environment variable names.",
        )
    ]


KEY = {"name": "m", "key": "k"}


@pytest.mark.parametrize(
    ("container", "message"),
    [
        ({"envFrom": [{"configMapRef": {"name": "m"}}]}, 'configmap "m" not found'),
        ({"envFrom": [{"secretRef": {"name": "m"}}]}, 'secret "m" not found'),
        ({"env": [{"name": "A", "valueFrom": {"configMapKeyRef": KEY}}]}, 'configmap "m" not found'),
        ({"env": [{"name": "A", "valueFrom": {"secretKeyRef": KEY}}]}, 'secret "m" not found'),
        (
            {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {**KEY, "name": "there"}}}]},
            "couldn't find key k in ConfigMap shop/there",
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {**KEY, "name": "there"}}}]},
            "couldn't find key k in Secret shop/there",
        ),
        (
            {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {}}}]},
            "environment variable A: fileKeyRef is not supported by this node",
        ),
    ],
)
async def test_what_is_missing_is_reported_in_kubelets_words(container: Object, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        await of(container, ObjectReader({"there": {}}, {"there": {}}))
    assert str(raised.value) == message


async def test_what_is_optional_may_be_missing() -> None:
    env = [{"name": "A", "valueFrom": {"secretKeyRef": {**KEY, "optional": True}}}]
    found = await of({"env": env, "envFrom": [{"configMapRef": {"name": "m", "optional": True}}]})
    assert "A" not in found


async def test_services_are_linked_and_the_api_always() -> None:
    services = [
        a_service("my-db", name="sql"),
        a_service("none", address="None"),
        a_service("kubernetes", "default", "10.96.0.1", port=443),
    ]
    found = await of({}, ObjectReader(services=services))
    assert found["MY_DB_SERVICE_HOST"] == "10.96.0.9"
    assert found["MY_DB_SERVICE_PORT_SQL"] == found["MY_DB_PORT_80_TCP_PORT"] == "80"
    assert found["MY_DB_PORT"] == found["MY_DB_PORT_80_TCP"] == "tcp://10.96.0.9:80"
    assert found["KUBERNETES_SERVICE_PORT"] == "443"
    assert "NONE_SERVICE_HOST" not in found
    alone = await of({}, ObjectReader(services=services), a_pod(enableServiceLinks=False))
    assert "MY_DB_SERVICE_HOST" not in alone
    assert alone["KUBERNETES_SERVICE_HOST"] == "10.96.0.1"


async def test_the_images_programs_are_found_whatever_path_says() -> None:
    assert (await of({}))["PATH"].startswith("/env/bin:/usr/local/sbin")
    assert (await of({"env": [{"name": "PATH", "value": "/opt"}]}))["PATH"] == "/env/bin:/opt"
    assert (await of({}))["HOSTNAME"] == "web-0"


async def test_commands_do_not_see_the_images_own_variables() -> None:
    found = await of({"env": [{"name": "A", "value": "1"}]})
    assert expand(["$(A)", "$(LANG)"], found) == ("1", "$(LANG)")


@pytest.mark.parametrize(
    ("container", "argv"),
    [
        ({}, ("entry", "cmd")), ({"args": ["a"]}, ("entry", "a")), ({"command": ["c"]}, ("c",)),
        ({"command": ["c"], "args": ["a"]}, ("c", "a")),
    ],
)  # fmt: skip
def test_command_and_args_override_the_images(container: Object, argv: tuple[str, ...]) -> None:
    assert argv_of(container, Image(entrypoint=("entry",), command=("cmd",))) == argv


@pytest.mark.parametrize(("args", "program"), [([], ("entry", "cmd")), (["a", "$(B)"], ("entry", "a", "b"))])
def test_a_command_may_contain_the_program_of_the_image(args: list[str], program: tuple[str, ...]) -> None:
    container = {"command": ["sh", "-c", "x", IMAGE_PROGRAM, "last"], "args": args}

    argv = argv_of(container, Image(entrypoint=("entry",), command=("cmd",)), {"B": "b"})

    assert argv == ("sh", "-c", "x", *program, "last")


@pytest.mark.parametrize("image", [Image(), Image(command=("cmd",), needs_command=True)])
def test_a_command_cannot_contain_a_program_that_is_not_available(image: Image) -> None:
    with pytest.raises(NoCommand):
        argv_of({"command": ["sh", IMAGE_PROGRAM]}, image)


def test_nothing_to_run_is_refused() -> None:
    with pytest.raises(NoCommand, match="no command specified"):
        argv_of({}, Image())


@pytest.mark.parametrize(
    ("container", "needs_command", "argv"),
    [
        ({}, False, None), ({}, True, None), ({"args": ["--epochs=1"]}, True, None),
        ({"args": ["python3", "a.py"]}, False, ("python3", "a.py")), ({"command": ["c"]}, True, ("c",)),
        ({"command": ["c"], "args": ["a"]}, True, ("c", "a")), ({"stdin": True, "tty": True}, True, None),
    ],
)  # fmt: skip
def test_an_image_without_its_program_runs_what_the_manifest_says_or_nothing(
    container: Object, needs_command: bool, argv: tuple[str, ...] | None
) -> None:
    image = Image(needs_command=needs_command, remedy="map it")
    if argv is None:
        with pytest.raises(NoCommand, match="no command specified: map it"):
            argv_of(container, image)
    else:
        assert argv_of(container, image) == argv


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "web-0"), ("metadata.namespace", "shop"), ("metadata.uid", "u1"),
        ("metadata.labels['app']", "web"), ("metadata.annotations['x/y']", ""), ("metadata.labels", 'app="web"'),
        ("spec.nodeName", "laptop"), ("spec.serviceAccountName", "default"), ("status.hostIP", "10.244.0.1"),
        ("status.hostIPs", "10.244.0.1"), ("status.podIP", "10.244.1.2"), ("status.podIPs", "10.244.1.2"),
    ],
)  # fmt: skip
def test_a_pod_is_reported_about_itself(path: str, value: str) -> None:
    assert field_value(a_pod(), path) == value


@pytest.mark.parametrize(
    ("resource", "divisor", "value"),
    [
        ("limits.cpu", "0", "1"), ("limits.cpu", "1m", "250"), ("requests.cpu", "", "0"),
        ("limits.memory", "1Mi", "8192"), ("requests.memory", "1Ki", "2"),
    ],
)  # fmt: skip
def test_resources_are_rounded_up_and_limits_default_to_the_nodes(resource: str, divisor: str, value: str) -> None:
    container = {"name": "c", "resources": {"limits": {"cpu": "250m"}, "requests": {"memory": "1500"}}}
    reference = {"resource": resource, "divisor": divisor}
    assert resource_value(a_pod(), container, reference, {"cpu": "4", "memory": "8Gi"}) == value


def test_a_field_that_cannot_be_reported_is_refused() -> None:
    with pytest.raises(BadField, match=r"unsupported fieldPath: spec\.hostname"):
        field_value(a_pod(), "spec.hostname")
