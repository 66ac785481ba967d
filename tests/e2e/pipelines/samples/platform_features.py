"""Samples of what a task asks of its pod."""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

from typing import Dict, List, Optional

from catalogue import VERSION, sample
from kfp import dsl, kubernetes
from kfp.dsl import Dataset, Input, Output


@dsl.component
def environment(names: List[str]) -> Dict[str, str]:
    import os

    return {name: os.environ.get(name, "absent") for name in names}


@dsl.component
def cpu() -> str:
    return "200m"


@dsl.component
def say(text: str) -> str:
    return text


@sample(outputs={"Output": {"A": "1", "B": "b c", "C": "absent"}})
@dsl.pipeline(name="environment")
def environment_variables() -> dict:
    return environment(names=["A", "B", "C"]).set_env_variable("A", "1").set_env_variable("B", "b c").output


@sample(state="SUCCEEDED")
@dsl.pipeline(name="resources")
def resources():
    task = say(text="x").set_cpu_limit("1").set_memory_limit("1G").set_cpu_request("100m").set_memory_request("64M")
    task.set_display_name("a task with limits")
    say(text="y").set_memory_limit("512Mi").set_caching_options(False)


if VERSION >= (2, 10):

    @sample(state="SUCCEEDED")
    @dsl.pipeline(name="resources-from-values")
    def resources_from_values(memory: str = "256M", limit: str = "1"):
        say(text="x").set_cpu_request(cpu().output).set_memory_request(memory).set_cpu_limit(limit)


@dsl.component
def write_note(text: str, folder: str = "/data"):
    with open(f"{folder}/note", "w") as file:
        file.write(text)


@dsl.component
def read_note(folder: str = "/data") -> str:
    with open(f"{folder}/note") as file:
        return file.read()


@sample(outputs={"Output": "noted"})
@dsl.pipeline(name="volumes")
def volumes() -> str:
    claim = kubernetes.CreatePVC(
        pvc_name_suffix="-my-claim", access_modes=["ReadWriteOnce"], size="5Mi", storage_class_name="standard"
    )
    writing = write_note(text="noted")
    kubernetes.mount_pvc(writing, pvc_name=claim.outputs["name"], mount_path="/data")
    reading = read_note().after(writing)
    kubernetes.mount_pvc(reading, pvc_name=claim.outputs["name"], mount_path="/data")
    kubernetes.DeletePVC(pvc_name=claim.outputs["name"]).after(reading)
    return reading.output


@sample(outputs={"Output": "noted"})
@dsl.pipeline(name="volume-of-the-usual-class")
def volume_of_the_usual_class() -> str:
    claim = kubernetes.CreatePVC(pvc_name_suffix="-usual", access_modes=["ReadWriteOnce"], size="5Mi")
    writing = write_note(text="noted")
    kubernetes.mount_pvc(writing, pvc_name=claim.outputs["name"], mount_path="/data")
    reading = read_note().after(writing)
    kubernetes.mount_pvc(reading, pvc_name=claim.outputs["name"], mount_path="/data")
    kubernetes.DeletePVC(pvc_name=claim.outputs["name"]).after(reading)
    return reading.output


@dsl.component
def check_secret():
    import os

    assert os.environ["SECRET_VAR"] == "value"
    with open("/mnt/secret/key") as file:
        assert file.read() == "value"


@sample(state="SUCCEEDED")
@dsl.pipeline(name="secrets")
def secrets():
    task = check_secret()
    kubernetes.use_secret_as_env(task, secret_name="sample-secret", secret_key_to_env={"key": "SECRET_VAR"})
    kubernetes.use_secret_as_volume(task, secret_name="sample-secret", mount_path="/mnt/secret")
    kubernetes.add_node_selector(task, label_key="kubernetes.io/os", label_value="linux")


if VERSION >= (2, 7):  # kfp-kubernetes 1.1 and later

    @sample(outputs={"Output": {"LABEL": "l", "NOTE": "n", "NONE": "", "FROM": "value"}})
    @dsl.pipeline(name="pod-metadata")
    def pod_metadata() -> dict:
        task = environment(names=["LABEL", "NOTE", "NONE", "FROM"])
        kubernetes.add_pod_label(task, label_key="sample-label", label_value="l")
        kubernetes.add_pod_annotation(task, annotation_key="sample-note", annotation_value="n")
        kubernetes.use_field_path_as_env(task, env_name="LABEL", field_path="metadata.labels['sample-label']")
        kubernetes.use_field_path_as_env(task, env_name="NOTE", field_path="metadata.annotations['sample-note']")
        kubernetes.use_field_path_as_env(task, env_name="NONE", field_path="metadata.annotations['none']")
        kubernetes.use_config_map_as_env(task, config_map_name="sample-map", config_map_key_to_env={"key": "FROM"})
        kubernetes.use_config_map_as_volume(task, config_map_name="sample-map", mount_path="/mnt/map")
        kubernetes.set_image_pull_policy(task, "IfNotPresent")
        kubernetes.set_timeout(task, 300)
        kubernetes.add_toleration(task, key="k", operator="Equal", value="v", effect="NoSchedule")
        kubernetes.set_image_pull_secrets(task, secret_names=["none-of-these"])
        kubernetes.add_ephemeral_volume(
            task, volume_name="scratch", mount_path="/scratch", access_modes=["ReadWriteOnce"], size="5Mi"
        )
        return task.output


if VERSION >= (2, 14):

    @sample(state="SUCCEEDED")
    @dsl.pipeline(name="absent-options")
    def absent_options(
        affinity: Optional[dict] = None,
        selector: Optional[dict] = None,
        name: Optional[str] = None,
        tolerations: Optional[list] = None,
    ):
        task = say(text="x")
        kubernetes.add_node_affinity_json(task, node_affinity_json=affinity)
        kubernetes.add_node_selector_json(task, node_selector_json=selector)
        kubernetes.use_secret_as_env(task, secret_name=name, secret_key_to_env={"p": "P"}, optional=True)
        kubernetes.use_secret_as_volume(task, secret_name=name, mount_path="/mnt/s", optional=True)
        kubernetes.use_config_map_as_env(task, config_map_name=name, config_map_key_to_env={"p": "P"}, optional=True)
        kubernetes.use_config_map_as_volume(task, config_map_name=name, mount_path="/mnt/c", optional=True)
        kubernetes.set_image_pull_secrets(task, secret_names=[name])
        kubernetes.add_toleration_json(task, toleration_json=tolerations)


if VERSION >= (2, 15):  # earlier ones name the item of a loop as no input is called

    @sample(outputs={"Output": "x"})
    @dsl.pipeline(name="values-of-options")
    def values_of_options(names: List[str] = ["sample-secret", "sample-secret"]) -> str:
        with dsl.ParallelFor(names) as name:
            task = check_secret()
            kubernetes.use_secret_as_env(task, secret_name=name, secret_key_to_env={"key": "SECRET_VAR"})
            kubernetes.use_secret_as_volume(task, secret_name=name, mount_path="/mnt/secret")
        chosen = say(text="x")
        kubernetes.add_node_selector_json(chosen, node_selector_json={"kubernetes.io/os": "linux"})
        kubernetes.empty_dir_mount(chosen, volume_name="empty", mount_path="/empty", medium="Memory", size_limit="1Mi")
        return chosen.output


if VERSION >= (2, 15):
    CLASS = dsl.KubernetesWorkspaceConfig(
        pvcSpecPatch={"storageClassName": "standard", "accessModes": ["ReadWriteOnce"]}
    )
    WORKSPACE = dsl.PipelineConfig(workspace=dsl.WorkspaceConfig(size="5Mi", kubernetes=CLASS))

    @sample(outputs={"Output": "in the workspace"})
    @dsl.pipeline(name="workspace", pipeline_config=WORKSPACE)
    def workspace() -> str:
        folder = dsl.WORKSPACE_PATH_PLACEHOLDER
        return read_note(folder=folder).after(write_note(text="in the workspace", folder=folder)).output

    @dsl.component
    def write_artifact(text: str, out: Output[Dataset]) -> str:
        with open(out.path, "w") as file:
            file.write(text)
        return out.uri

    @dsl.component
    def read_copy(data: Input[Dataset]) -> str:
        assert data.path.startswith("/kfp-workspace/.artifacts/"), data.path
        with open(data.path) as file:
            return file.read()

    @sample(outputs={"Output": "copied"})
    @dsl.pipeline(name="import-into-the-workspace", pipeline_config=WORKSPACE)
    def import_into_the_workspace() -> str:
        uri = write_artifact(text="copied").outputs["Output"]
        copy = dsl.importer(artifact_uri=uri, artifact_class=Dataset, reimport=True, download_to_workspace=True)
        return read_copy(data=copy.output).output

    @dsl.component(
        task_config_passthroughs=[
            dsl.TaskConfigField.RESOURCES,
            dsl.TaskConfigField.KUBERNETES_NODE_SELECTOR,
            dsl.TaskConfigPassthrough(field=dsl.TaskConfigField.ENV, apply_to_task=True),
            dsl.TaskConfigPassthrough(field=dsl.TaskConfigField.KUBERNETES_VOLUMES, apply_to_task=True),
        ]
    )
    def pass_on(folder: str, config: dsl.TaskConfig) -> Dict[str, str]:
        import os

        assert os.path.isdir(folder)
        volumes = ",".join(sorted(mount["mountPath"] for mount in config.volume_mounts))
        limit, word = config.resources["limits"]["memory"], config.env[0]["value"]
        return {"volumes": volumes, "limit": limit, "nodes": str(config.node_selector), "env": os.environ[word]}

    @sample(
        outputs={"Output": {"volumes": "/kfp-workspace,/own", "limit": "1Gi", "nodes": "{'a': 'b'}", "env": "WORD"}}
    )
    @dsl.pipeline(name="settings-for-another-job", pipeline_config=WORKSPACE)
    def settings_for_another_job() -> Dict[str, str]:
        task = pass_on(folder=dsl.WORKSPACE_PATH_PLACEHOLDER).set_memory_limit("1Gi").set_env_variable("WORD", "WORD")
        kubernetes.add_node_selector(task, label_key="a", label_value="b")
        kubernetes.empty_dir_mount(task, volume_name="own", mount_path="/own")
        return task.output


if VERSION >= (2, 17):

    @dsl.component
    def user() -> str:
        import os

        return f"{os.getuid()}:{os.getgid()}"

    @dsl.component
    def wait():
        import time

        time.sleep(600)

    @sample(outputs={"Output": "1234:2345"})
    @dsl.pipeline(name="security-context")
    def security_context() -> str:
        task = user()
        kubernetes.set_security_context(task, run_as_user=1234, run_as_group=2345, run_as_non_root=True)
        kubernetes.add_node_affinity(
            task, match_expressions=[{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]
        )
        kubernetes.add_node_affinity(task, match_expressions=[{"key": "gpu", "operator": "Exists"}], weight=5)
        return task.output

    @sample(state="FAILED")
    @dsl.pipeline(name="deadline", pipeline_config=dsl.PipelineConfig(active_deadline_seconds=2))
    def deadline():
        wait()

    @sample(outputs={"Output": "kept"})
    @dsl.pipeline(name="time-to-live", pipeline_config=dsl.PipelineConfig(ttl_seconds_after_success=1))
    def time_to_live(image: str = "python:3.11") -> str:
        return say(text="kept").set_container_image(image).output
