"""Pipelines, versions and uploads over HTTP."""

import gzip
import io
import json
import tarfile
import zipfile
from urllib.parse import quote

import pytest

from tests.apps.pipelines.wire.people import IR, IR_TEXT, PLATFORM, WORKFLOW, PipelinesUser, ok, refused, unique

HEAD = b'--x\r\nContent-Disposition: form-data; name="uploadfile"; filename="p.yaml"\r\n'


def plain_refusal(answer, status: int) -> str:
    assert answer.status_code == status, answer.text
    return answer.json()["error_message"]


def tar_gz(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def test_an_uploaded_pipeline_has_a_version_of_the_same_name(anna: PipelinesUser) -> None:
    name = unique("p")
    pipeline = ok(anna.upload(IR_TEXT, name=name, description="d", namespace="anna", tags='{"team": "a"}'))

    assert (pipeline["name"], pipeline["display_name"], pipeline["namespace"]) == (name, name, "anna")
    assert pipeline["tags"] == {"team": "a"}
    path = f"/pipelines/{pipeline['pipeline_id']}"
    assert anna.get(path) == pipeline
    assert anna.get(f"/pipelines/names/{name}", namespace="anna") == pipeline
    versions = anna.get(f"{path}/versions")
    assert versions["total_size"] == 1
    version = versions["pipeline_versions"][0]
    assert version["name"] == name
    assert version["pipeline_spec"] == IR
    assert anna.get(f"{path}/versions/{version['pipeline_version_id']}") == version


@pytest.mark.parametrize("content", [tar_gz(x_txt=b"-", pipeline_yaml=IR_TEXT), zipped(p_yaml=IR_TEXT), IR_TEXT])
def test_a_package_is_recognized_by_its_content(anna: PipelinesUser, content: bytes) -> None:
    pipeline = ok(anna.upload(content, "strange.name", name=unique("p")))

    versions = anna.get(f"/pipelines/{pipeline['pipeline_id']}/versions")["pipeline_versions"]
    assert versions[0]["pipeline_spec"] == IR


def test_a_platform_document_is_shown_beside_the_specification(anna: PipelinesUser) -> None:
    text = IR_TEXT + b"\n---\n" + json.dumps(PLATFORM).encode()
    pipeline = ok(anna.upload(text, name=unique("p")))

    versions = anna.get(f"/pipelines/{pipeline['pipeline_id']}/versions")["pipeline_versions"]
    assert versions[0]["pipeline_spec"] == {"pipeline_spec": IR, "platform_spec": PLATFORM}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no: pipeline",
        b"[",
        gzip.compress(b"no tar"),
        gzip.compress(b"\0" * (40 << 20)),
        b"PK\x03\x04broken",
        zipped(),
        tar_gz(readme_txt=b"x"),
        zipped(pipeline_yaml=b"\0" * (40 << 20)),
        b"\xff\xfe\xfd",
        IR_TEXT + b"\n---\n" + IR_TEXT,
    ],
    ids=[
        "empty", "other YAML", "no YAML", "gzip of text", "large gzip", "broken zip", "empty zip", "tar without YAML",
        "large zip", "no UTF-8", "two pipelines",
    ],
)  # fmt: skip
def test_a_file_that_is_no_pipeline_is_refused(anna: PipelinesUser, content: bytes) -> None:
    assert plain_refusal(anna.upload(content, name=unique("p")), 400)


def test_an_upload_of_more_than_32_mib_is_refused(anna: PipelinesUser) -> None:
    answer = anna.upload(b"#" * (33 << 20), name=unique("p"))

    assert "32 MiB" in plain_refusal(answer, 413)


def test_an_upload_of_many_mib_is_taken(anna: PipelinesUser) -> None:
    ok(anna.upload(IR_TEXT + b" " * (20 << 20), name=unique("p")))


def test_an_upload_without_a_file_is_refused(anna: PipelinesUser) -> None:
    assert plain_refusal(anna.send("POST", "/pipelines/upload", json={}), 400)
    assert plain_refusal(anna.send("POST", "/pipelines/upload", files={"other": b"x"}), 400)
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    assert plain_refusal(anna.send("POST", "/pipelines/upload", data=b"nonsense", headers=broken), 400)
    assert plain_refusal(anna.upload(IR_TEXT, name="x", tags="[1]"), 400)


@pytest.mark.parametrize(
    "form",
    [
        b"--x\r\nnonsense\r\n\r\n",
        HEAD + b"\r\n" + IR_TEXT,
        HEAD + b"\r\n" + IR_TEXT + b"\r\n",
    ],
    ids=["no header", "no end", "no boundary"],
)
def test_a_form_that_is_cut_or_is_none_is_refused(anna: PipelinesUser, form: bytes) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = anna.send("POST", f"/pipelines/upload?name={unique('cut')}", data=form, headers=headers)

    assert "the form cannot be read" in plain_refusal(answer, 400)


def test_versions_are_added_changed_and_deleted(anna: PipelinesUser) -> None:
    pipeline_id, _ = anna.a_pipeline()
    made = ok(anna.upload(IR_TEXT, path="/pipelines/upload_version", name="v2", pipelineid=pipeline_id))

    again = anna.upload(IR_TEXT, path="/pipelines/upload_version", name="v2", pipelineid=pipeline_id)
    assert plain_refusal(again, 409)
    path = f"/pipelines/{pipeline_id}/versions/{made['pipeline_version_id']}"
    changed = anna.patch(path, {"display_name": "Second", "tags": {"a": "b"}, "description": "ignored"})
    assert (changed["display_name"], changed["tags"], changed["name"]) == ("Second", {"a": "b"}, "v2")
    tagged = json.dumps({"predicates": [{"operation": "EQUALS", "key": "tags.a", "string_value": "b"}]})
    assert anna.get(f"/pipelines/{pipeline_id}/versions", filter=tagged)["total_size"] == 1
    assert "tags" not in anna.patch(path, {"tags": {}})
    assert anna.get(f"/pipelines/{pipeline_id}/versions", filter=tagged) == {}
    inline = anna.post(f"/pipelines/{pipeline_id}/versions", {"display_name": "v3", "pipeline_spec": IR})
    assert inline["name"] == "v3"
    assert anna.delete(path) == {}
    refused(anna.send("GET", path), 404, 5)


def test_a_pipeline_with_versions_is_deleted_only_in_a_cascade(anna: PipelinesUser) -> None:
    pipeline_id, version_id = anna.a_pipeline()

    assert "cascade" in refused(anna.send("DELETE", f"/pipelines/{pipeline_id}"), 400, 3)
    assert anna.delete(f"/pipelines/{pipeline_id}", cascade="true") == {}
    refused(anna.send("GET", f"/pipelines/{pipeline_id}"), 404, 5)
    refused(anna.send("GET", f"/pipelines/{pipeline_id}/versions/{version_id}"), 404, 5)


def test_an_empty_pipeline_is_created_and_listed(anna: PipelinesUser) -> None:
    name = unique("empty")
    made = anna.post("/pipelines", {"display_name": name})
    assert made["namespace"] == "anna", "the caller's own namespace"
    filter = json.dumps({"predicates": [{"operation": "EQUALS", "key": "name", "string_value": name}]})

    assert anna.get("/pipelines", filter=filter)["pipelines"] == [made]
    assert anna.get("/pipelines", filter=filter, namespace="anna")["pipelines"] == [made]
    refused(anna.send("POST", "/pipelines", json={"name": name}), 409, 6)
    refused(anna.send("POST", "/pipelines", json={}), 400, 3)
    assert "all namespaces" in refused(anna.send("POST", "/pipelines", json={"name": "x", "namespace": ""}), 403, 7)
    assert "all namespaces" in plain_refusal(anna.upload(IR_TEXT, name="x", namespace=""), 403)
    refused(anna.send("POST", "/pipelines", json={"name": "x", "tags": {"a.b": "c"}}), 400, 3)


def test_a_v1_pipeline_keeps_its_workflow(anna: PipelinesUser) -> None:
    pipeline_id, version_id = anna.a_pipeline(json.dumps(WORKFLOW).encode())

    assert anna.get(f"/pipelines/{pipeline_id}/versions/{version_id}")["pipeline_spec"] == WORKFLOW


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/p.yaml",
        "https://127.0.0.1/p.yaml",
        "https://localhost/p",
        "https://[::1]/p",
        "ftp://x/y",
        "x",
    ],
)
def test_the_server_downloads_only_from_public_hosts(anna: PipelinesUser, url: str) -> None:
    body = {"pipeline": {"name": unique("p")}, "pipeline_version": {"package_url": {"pipeline_url": url}}}

    assert "pipeline_url" in refused(anna.send("POST", "/pipelines/create", json=body), 400, 3)


def test_people_cannot_use_each_others_pipelines(anna: PipelinesUser, bert: PipelinesUser) -> None:
    pipeline_id, version_id = anna.a_pipeline()
    path, version = f"/pipelines/{pipeline_id}", f"/pipelines/{pipeline_id}/versions/{version_id}"

    for method, where in (("GET", path), ("PATCH", path), ("DELETE", path), ("GET", version), ("DELETE", version)):
        refused(bert.send(method, where, json={} if method == "PATCH" else None), 403, 7)
    refused(bert.send("GET", f"{path}/versions"), 403, 7)
    refused(bert.send("POST", f"{path}/versions", json={"name": "x", "pipeline_spec": IR}), 403, 7)
    assert plain_refusal(bert.upload(IR_TEXT, path="/pipelines/upload_version", name="x", pipelineid=pipeline_id), 403)
    assert plain_refusal(bert.upload(IR_TEXT, name="x", namespace="anna"), 403)
    refused(bert.send("GET", "/pipelines", params={"namespace": "anna"}), 403, 7)
    assert pipeline_id not in {each["pipeline_id"] for each in bert.get("/pipelines").get("pipelines", [])}


@pytest.mark.parametrize("content", [b"- a\n" * 600_000, b"[" + b"{}," * 600_000 + b"{}]"])
def test_a_document_with_too_many_values_is_refused_before_it_is_parsed(anna: PipelinesUser, content: bytes) -> None:
    assert "values" in plain_refusal(anna.upload(content, name=unique("p")), 400)
    body = b'{"display_name": "x", "pipeline_spec": {"a": [' + b"1," * 600_000 + b"1]}}"
    assert "values" in refused(anna.send("POST", "/runs", data=body), 400, 3)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"spec": {"entrypoint": "none", "templates": []}}, "entrypoint"),
        ({"spec": {"colour": "red"}}, "colour"),
        ({"spec": {**WORKFLOW["spec"], "arguments": {"parameters": ["x"]}}}, "parameters"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"labels": {"pipelines.windlass.dev/ir": "true"}}}, "labels"),
    ],
)
def test_a_workflow_that_could_never_run_is_refused_by_field(
    anna: PipelinesUser, change: dict[str, object], problem: str
) -> None:
    text = json.dumps({**WORKFLOW, **change}).encode()

    assert problem in plain_refusal(anna.upload(text, name=unique("p")), 400)


def test_versions_are_sorted_and_filtered_by_status(anna: PipelinesUser) -> None:
    pipeline_id, version_id = anna.a_pipeline()
    path = f"/pipelines/{pipeline_id}/versions"

    def found(status: str) -> list[str]:
        predicate = {"operation": "EQUALS", "key": "status", "string_value": status}
        listed = anna.get(path, filter=json.dumps({"predicates": [predicate]}))
        return [version["pipeline_version_id"] for version in listed.get("pipeline_versions", [])]

    assert found("READY") == [version_id]
    assert found("CREATING") == []
    assert anna.get(path, sort_by="status desc")["total_size"] == 1


def test_pipelines_and_versions_are_sorted_by_a_tag(anna: PipelinesUser) -> None:
    mark = unique("m")
    for stage in ("b", "c", "a"):
        anna.post("/pipelines", {"name": f"{mark}-{stage}", "tags": {"Stage": stage, "mark": mark}})
    pipeline_id, _ = anna.a_pipeline()
    for stage in ("b", "a"):
        anna.post(f"/pipelines/{pipeline_id}/versions", {"name": stage, "pipeline_spec": IR, "tags": {"Stage": stage}})
    marked = json.dumps({"predicates": [{"operation": "EQUALS", "key": "tags.mark", "string_value": mark}]})

    first = anna.get("/pipelines", namespace="anna", filter=marked, sort_by="tags.Stage desc", page_size=2)
    second = anna.get("/pipelines", namespace="anna", page_size=2, page_token=first["next_page_token"])
    listed = [*first["pipelines"], *second["pipelines"]]
    versions = anna.get(f"/pipelines/{pipeline_id}/versions", sort_by="tags.Stage")["pipeline_versions"]

    assert [pipeline["tags"]["Stage"] for pipeline in listed] == ["c", "b", "a"]
    assert [version.get("tags", {}).get("Stage") for version in versions] == [None, "a", "b"]
    refused(anna.send("GET", "/runs", params={"namespace": "anna", "sort_by": "tags.Stage"}), 400, 3)


def test_a_name_with_a_slash_finds_its_pipeline(anna: PipelinesUser) -> None:
    name = f"team/{unique('p')}"
    made = anna.post("/pipelines", {"name": name, "namespace": "anna"})
    in_path = quote(name, safe="")

    assert anna.get(f"/pipelines/names/{in_path}", namespace="anna") == made
    old = ok(anna.send("GET", f"/namespaces/anna/pipelines/{in_path}", version="v1beta1"))
    assert old["id"] == made["pipeline_id"]
