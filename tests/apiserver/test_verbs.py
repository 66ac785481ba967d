"""create, update, patch and delete over HTTP: names, versions, generations, dry runs, checks of fields, and errors."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import Answer, Windlass, running

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    """A server without controllers: these tests are about versions, and nobody else may write."""
    with running(tmp_path_factory.mktemp("verbs")) as windlass:
        yield windlass


@pytest.fixture
def secrets(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/secrets"


@pytest.fixture
def deployments(namespace: str) -> str:
    return f"/apis/apps/v1/namespaces/{namespace}/deployments"


def a_deployment(name: str = "web", **spec: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template, **spec},
    }


def a_secret(name: str = "a", **more: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, **more}


def refused(answer: Answer, code: int, reason: str) -> dict[str, Any]:
    """The Status of a refusal, whole and of the right kind."""
    status = answer.json()
    assert (answer.status, status["code"], status["reason"]) == (code, code, reason), answer.body
    assert (status["kind"], status["apiVersion"], status["status"]) == ("Status", "v1", "Failure")
    return status


# names


def test_a_name_may_be_generated(server: Windlass, secrets: str) -> None:
    one = server.create(secrets, {"metadata": {"generateName": "made-"}})
    two = server.create(secrets, {"metadata": {"generateName": "made-"}})

    assert re.fullmatch(r"made-[a-z0-9]{5}", one["metadata"]["name"])
    assert one["metadata"]["name"] != two["metadata"]["name"]
    assert one["metadata"]["generateName"] == "made-"


def test_a_long_prefix_is_cut_so_that_the_name_fits(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, {"metadata": {"generateName": "x" * 80}})

    assert len(made["metadata"]["name"]) == 63


def test_a_given_name_wins_over_a_prefix(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, {"metadata": {"name": "mine", "generateName": "made-"}})

    assert made["metadata"]["name"] == "mine"


def test_a_name_that_is_taken_is_told_so(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret())

    status = refused(server.request("POST", secrets, a_secret()), 409, "AlreadyExists")

    assert status["message"] == 'secrets "a" already exists'
    assert status["details"] == {"name": "a", "kind": "secrets"}


def test_an_object_without_a_name_is_invalid(server: Windlass, secrets: str) -> None:
    status = refused(server.request("POST", secrets, {"metadata": {}}), 422, "Invalid")

    assert status["message"] == 'Secret "" is invalid: metadata.name: Required value: name or generateName is required'


UNREAD = (
    "the object provided is unrecognized (must be of type Namespace): couldn't get version/kind; json parse error: "
)
NO_POD = 'Pod in version "v1" cannot be handled as a Namespace: converting (v1.Pod) to (core.Namespace): unknown '


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
            f"{UNREAD}invalid character 'a' looking for beginning of value "
            "(61706956657273696f6e3a2076310a6b696e643a20506f640a6d65746164 ...)",
        ),
        (b"", f"{UNREAD}unexpected end of JSON input (<empty>)"),
        (
            b"[]",
            f"{UNREAD}json: cannot unmarshal array into Go value of type struct {{ APIVersion string "
            '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
        ),
        (b'{"apiVersion":"v1","kind":"Pod"}', f"{NO_POD}conversion"),
        (b'{"apiVersion":"apps/v1","kind":"Deployment"}', f"{NO_POD.replace('Pod', 'Deployment')}conversion"),
        (
            b'{"apiVersion":"v2","kind":"Namespace"}',
            "the API version in the data (v2) does not match the expected API version (v1)",
        ),
    ],
)
def test_what_is_no_object_of_the_kind_is_refused_in_kubernetes_words(
    server: Windlass, body: bytes, message: str
) -> None:
    status = refused(server.request("POST", "/api/v1/namespaces", body), 400, "BadRequest")

    assert status["message"] == message


def test_a_custom_resource_of_another_kind_is_invalid(server: Windlass) -> None:
    queue = {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "metadata": {"name": "a"}}

    status = refused(server.request("POST", "/apis/scheduling.volcano.sh/v1beta1/queues", queue), 422, "Invalid")

    assert status["message"].endswith('"a" is invalid: kind: Invalid value: "PodGroup": must be Queue')


@pytest.mark.parametrize(
    ("patch", "kind", "shown", "why"),
    [
        (
            {"metadata": {"labels": "invalid"}},
            "strategic-merge",
            "map[metadata:map[labels:invalid]]",
            "cannot restore map from string",
        ),
        (
            {"metadata": {"finalizers": 1}, "immutable": None},
            "strategic-merge",
            "map[immutable:<nil> metadata:map[finalizers:1]]",
            "cannot restore slice from int64",
        ),
        ({"immutable": [True]}, "strategic-merge", "map[immutable:[true]]", "unrecognized type: bool"),
        ({"type": 1.5}, "strategic-merge", "map[type:1.5]", "cannot convert float64 to string"),
    ],
)
def test_a_patch_that_leaves_no_object_of_the_kind_is_refused(
    server: Windlass, secrets: str, patch: Any, kind: str, shown: str, why: str
) -> None:
    server.create(secrets, a_secret())

    status = refused(server.patch(f"{secrets}/a", patch, kind), 422, "Invalid")

    assert status["message"] == f' "" is invalid: patch: Invalid value: "{shown}": {why}'
    assert status["details"]["causes"][0]["field"] == "patch"


def test_a_merge_patch_that_leaves_no_object_of_the_kind_shows_what_it_leaves(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret())

    status = refused(server.patch(f"{secrets}/a", {"metadata": {"labels": "invalid"}}), 422, "Invalid")

    assert status["message"].startswith(' "" is invalid: patch: Invalid value: "{')
    assert status["message"].endswith(
        "json: cannot unmarshal string into Go struct field ObjectMeta.metadata.labels of type map[string]string"
    )


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        (
            {"namespace": "elsewhere"},
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        ({"resourceVersion": "5"}, "resourceVersion should not be set on objects to be created"),
    ],
)
def test_metadata_that_does_not_fit_a_new_object_is_refused(
    server: Windlass, secrets: str, metadata: dict[str, str], message: str
) -> None:
    status = server.request("POST", secrets, {"metadata": {"name": "a", **metadata}}).json()

    assert status["code"] == 400
    assert message in status["message"]


def test_the_server_writes_what_is_its_own(server: Windlass, secrets: str) -> None:
    claimed = {"uid": "mine", "creationTimestamp": "2001-01-01T00:00:00Z", "generation": 7, "deletionTimestamp": None}

    made = server.create(secrets, {"metadata": {"name": "a", **claimed}})["metadata"]

    assert made["uid"] != "mine"
    assert not made["creationTimestamp"].startswith("2001")
    assert "deletionTimestamp" not in made


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"apiVersion": "v1", "kind": "Pod"}, "Secret"),
        ({"apiVersion": "apps/v1", "kind": "Secret"}, "apps/v1"),
    ],
)
def test_a_body_of_another_kind_is_a_bad_request(
    server: Windlass, secrets: str, body: dict[str, Any], message: str
) -> None:
    status = refused(server.request("POST", secrets, {**body, "metadata": {"name": "a"}}), 400, "BadRequest")

    assert message in status["message"]


# what is wrong with fields


def test_every_bad_field_is_a_cause(server: Windlass, deployments: str) -> None:
    bad = a_deployment(replicas=-1, selector={"matchLabels": {"app": "other"}})

    status = refused(server.request("POST", deployments, bad), 422, "Invalid")

    assert status["message"].startswith('Deployment.apps "web" is invalid: [')
    assert {"name": "web", "group": "apps", "kind": "Deployment"}.items() <= status["details"].items()
    causes = {cause["field"]: cause["reason"] for cause in status["details"]["causes"]}
    assert causes == {"spec.replicas": "FieldValueInvalid", "spec.template.metadata.labels": "FieldValueInvalid"}


UNKNOWN = (
    b'{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","labels":{"a":"1","a":"2"},"extra":1},"typo":true,'
    b'"immutable":false,"immutable":false}'
)


def test_strict_validation_names_unknown_and_duplicate_fields(server: Windlass, secrets: str) -> None:
    status = refused(server.request("POST", f"{secrets}?fieldValidation=Strict", UNKNOWN), 400, "BadRequest")

    assert status["message"].startswith('Secret in version "v1" cannot be handled as a Secret: strict decoding error: ')
    for problem in (
        'duplicate field "metadata.labels.a"',
        'duplicate field "immutable"',
        'unknown field "metadata.extra"',
        'unknown field "typo"',
    ):
        assert problem in status["message"]


@pytest.mark.parametrize("query", ["", "?fieldValidation=Warn"])
def test_otherwise_they_are_warned_of_and_dropped(server: Windlass, secrets: str, query: str) -> None:
    answer = server.request("POST", secrets + query, UNKNOWN)

    assert answer.status == 201
    assert '299 - "unknown field \\"typo\\""' in answer.warnings
    assert '299 - "duplicate field \\"immutable\\""' in answer.warnings
    assert "typo" not in answer.json()


def test_or_not_even_told_of(server: Windlass, secrets: str) -> None:
    answer = server.request("POST", f"{secrets}?fieldValidation=Ignore", UNKNOWN)

    assert (answer.status, answer.warnings) == (201, [])


def test_a_mode_of_validation_that_nobody_knows_is_refused(server: Windlass, secrets: str) -> None:
    answer = server.request("POST", f"{secrets}?fieldValidation=Maybe", a_secret())

    message = refused(answer, 422, "Invalid")["message"]
    assert message.startswith('CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Maybe"')
    assert '"Maybe": supported values: "Ignore", "Strict", "Warn"' in message


def test_a_patch_is_validated_like_a_body(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret())

    strict = server.patch(f"{secrets}/a?fieldValidation=Strict", {"typo": 1})
    warned = server.patch(f"{secrets}/a", {"typo": 1})

    message = refused(strict, 422, "Invalid")["message"]
    assert message.startswith(' "" is invalid: patch: Invalid value: ')
    assert message.endswith('strict decoding error: unknown field "typo"')
    assert '299 - "unknown field \\"typo\\""' in warned.warnings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"immutable": "yes"}, "json: cannot unmarshal string into Go struct field Secret.immutable of type bool"),
        ({"type": 5}, "json: cannot unmarshal number into Go struct field Secret.type of type"),
        ({"metadata": {"name": 5}}, "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name"),
        ({"metadata": "x"}, "json: cannot unmarshal string into Go struct field Secret.metadata"),
    ],
)
def test_a_field_of_the_wrong_type_is_a_bad_request(
    server: Windlass, secrets: str, change: dict[str, Any], message: str
) -> None:
    status = refused(server.request("POST", secrets, {**a_secret(), **change}), 400, "BadRequest")

    assert message in status["message"]


def test_a_manager_has_a_name_that_can_be_read(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret())

    long = refused(server.request("POST", f"{secrets}?fieldManager={'x' * 129}", a_secret("b")), 422, "Invalid")
    none = refused(server.patch(f"{secrets}/a", a_secret(), "apply"), 422, "Invalid")
    forced = refused(server.patch(f"{secrets}/a?force=true", a_secret()), 422, "Invalid")

    assert "fieldManager: Too long: may not be more than 128 bytes" in long["message"]
    assert "fieldManager: Required value: is required for apply patch" in none["message"]
    assert "force: Forbidden: may not be specified for non-apply patch" in forced["message"]


# dry runs


def test_a_dry_run_checks_and_stores_nothing(server: Windlass, secrets: str, deployments: str) -> None:
    tried = server.request("POST", f"{secrets}?dryRun=All", a_secret())
    bad = server.request("POST", f"{deployments}?dryRun=All", a_deployment(replicas=-1))

    assert tried.status == 201
    assert tried.json()["metadata"]["uid"]
    assert "resourceVersion" not in tried.json()["metadata"]
    assert bad.status == 422
    assert server.request("GET", f"{secrets}/a").status == 404


def test_every_verb_can_be_tried(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret())
    made["metadata"]["labels"] = {"a": "b"}

    put = server.request("PUT", f"{secrets}/a?dryRun=All", made).json()
    patched = server.patch(f"{secrets}/a?dryRun=All", {"metadata": {"labels": {"a": "c"}}}).json()
    deleted = server.request("DELETE", f"{secrets}/a?dryRun=All")
    cleared = server.request("DELETE", f"{secrets}?dryRun=All")

    assert put["metadata"]["labels"] == {"a": "b"}
    assert patched["metadata"]["labels"] == {"a": "c"}
    assert (deleted.status, cleared.status) == (200, 200)
    assert "labels" not in server.get(f"{secrets}/a")["metadata"]


def test_a_dry_run_of_some_parts_only_is_refused(server: Windlass, secrets: str) -> None:
    for method, path in (("POST", secrets), ("DELETE", f"{secrets}/a")):
        status = refused(server.request(method, f"{path}?dryRun=Some", a_secret()), 422, "Invalid")

        assert status["message"].endswith('is invalid: dryRun: Unsupported value: "Some": supported values: "All"')


# versions


def test_an_update_of_an_old_version_is_a_conflict(server: Windlass, secrets: str) -> None:
    old = server.create(secrets, a_secret())
    server.patch(f"{secrets}/a", {"metadata": {"labels": {"a": "b"}}})

    status = refused(server.request("PUT", f"{secrets}/a", old), 409, "Conflict")

    assert status["message"] == f'Operation cannot be fulfilled on secrets "a": {MODIFIED}'
    assert status["details"] == {"name": "a", "kind": "secrets"}


def test_an_update_without_a_version_takes_the_newest(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret())

    answer = server.request("PUT", f"{secrets}/a", a_secret(stringData={"x": "1"}))

    assert answer.status == 200
    assert "x" in answer.json()["data"]


def test_a_patch_may_name_the_version_it_is_for(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret())
    first = server.patch(
        f"{secrets}/a", {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"], "labels": {"a": "b"}}}
    )
    second = server.patch(
        f"{secrets}/a", {"metadata": {"resourceVersion": made["metadata"]["resourceVersion"], "labels": {"a": "c"}}}
    )

    assert first.status == 200
    refused(second, 409, "Conflict")


def test_an_update_that_changes_nothing_leaves_the_version(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret(stringData={"x": "1"}))
    version = made["metadata"]["resourceVersion"]

    put = server.request("PUT", f"{secrets}/a", made).json()
    patched = server.patch(f"{secrets}/a", {"type": "Opaque"}).json()

    assert put["metadata"]["resourceVersion"] == version
    assert patched["metadata"]["resourceVersion"] == version
    assert server.get(f"{secrets}/a")["metadata"]["resourceVersion"] == version


def test_an_update_of_nobody_is_not_found(server: Windlass, secrets: str) -> None:
    status = refused(server.request("PUT", f"{secrets}/nobody", a_secret("nobody")), 404, "NotFound")

    assert status["message"] == 'secrets "nobody" not found'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "b"}, "the name of the object (b) does not match the name on the URL (a)"),
        ({"name": ""}, "name must be provided"),
        (
            {"namespace": "elsewhere"},
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
    ],
)
def test_an_update_is_of_the_object_that_the_url_names(
    server: Windlass, secrets: str, change: dict[str, str], message: str
) -> None:
    made = server.create(secrets, a_secret())
    made["metadata"].update(change)

    status = refused(server.request("PUT", f"{secrets}/a", made), 400, "BadRequest")

    assert message in status["message"]


def test_an_update_for_another_uid_is_a_conflict(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret())
    uid = made["metadata"]["uid"]
    made["metadata"]["uid"] = "another"

    status = refused(server.request("PUT", f"{secrets}/a", made), 409, "Conflict")

    assert f"Precondition failed: UID in precondition: another, UID in object meta: {uid}" in status["message"]


def test_what_the_server_wrote_stays_whatever_a_client_sends(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret())
    sent = {**made, "metadata": {**made["metadata"], "creationTimestamp": "2001-01-01T00:00:00Z", "labels": {"a": "b"}}}

    changed = server.request("PUT", f"{secrets}/a", sent).json()

    assert changed["metadata"]["creationTimestamp"] == made["metadata"]["creationTimestamp"]
    assert changed["metadata"]["uid"] == made["metadata"]["uid"]


# generation and status


def test_the_generation_counts_changes_of_the_spec_alone(server: Windlass, deployments: str) -> None:
    made = server.create(deployments, a_deployment())
    labelled = server.patch(f"{deployments}/web", {"metadata": {"labels": {"a": "b"}}}).json()
    scaled = server.patch(f"{deployments}/web", {"spec": {"replicas": 3}}).json()
    same = server.patch(f"{deployments}/web", {"spec": {"replicas": 3}}).json()
    reported = server.patch(f"{deployments}/web/status", {"status": {"observedGeneration": 2}}).json()

    seen = [obj["metadata"]["generation"] for obj in (made, labelled, scaled, same, reported)]
    assert seen == [1, 1, 2, 2, 2]


def test_a_scale_is_a_change_of_the_spec(server: Windlass, deployments: str) -> None:
    server.create(deployments, a_deployment())
    scale = server.get(f"{deployments}/web/scale")
    scale["spec"]["replicas"] = 5

    answer = server.request("PUT", f"{deployments}/web/scale", scale)

    found = server.get(f"{deployments}/web")
    assert (answer.status, answer.json()["kind"], answer.json()["spec"]) == (200, "Scale", {"replicas": 5})
    assert (found["spec"]["replicas"], found["metadata"]["generation"]) == (5, 2)


def test_status_and_spec_are_written_apart(server: Windlass, deployments: str) -> None:
    made = server.create(deployments, {**a_deployment(), "status": {"replicas": 9}})
    by_spec = server.patch(f"{deployments}/web", {"status": {"replicas": 8}, "spec": {"paused": True}}).json()
    by_status = server.patch(
        f"{deployments}/web/status",
        {"status": {"replicas": 7}, "spec": {"paused": False}, "metadata": {"labels": {"a": "b"}}},
    ).json()

    assert made["status"] == {}
    assert (by_spec["status"], by_spec["spec"]["paused"]) == ({}, True)
    assert (by_status["status"]["replicas"], by_status["spec"]["paused"]) == (7, True)


def test_a_kind_without_a_status_has_no_status_to_write(server: Windlass, secrets: str) -> None:
    server.create(secrets, a_secret())

    refused(server.request("GET", f"{secrets}/a/status"), 404, "NotFound")


# delete


def test_a_deletion_says_what_is_gone(server: Windlass, secrets: str) -> None:
    made = server.create(secrets, a_secret())

    answer = server.request("DELETE", f"{secrets}/a")

    status = answer.json()
    assert (answer.status, status["kind"], status["status"]) == (200, "Status", "Success")
    assert status["details"] == {"name": "a", "kind": "secrets", "uid": made["metadata"]["uid"]}
    refused(server.request("DELETE", f"{secrets}/a"), 404, "NotFound")


@pytest.mark.parametrize("field", ["uid", "resourceVersion"])
def test_a_deletion_may_have_preconditions(server: Windlass, secrets: str, field: str) -> None:
    made = server.create(secrets, a_secret())
    options = {"kind": "DeleteOptions", "apiVersion": "v1"}

    wrong = server.request("DELETE", f"{secrets}/a", {**options, "preconditions": {field: "1"}})
    right = server.request("DELETE", f"{secrets}/a", {**options, "preconditions": {field: made["metadata"][field]}})

    word = {"uid": "UID", "resourceVersion": "ResourceVersion"}[field]
    assert (
        f"Precondition failed: {word} in precondition: 1, {word} in object meta: {made['metadata'][field]}"
        in (refused(wrong, 409, "Conflict")["message"])
    )
    assert right.status == 200


def test_a_finalizer_holds_an_object_until_it_is_taken_away(server: Windlass, secrets: str) -> None:
    server.create(secrets, {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}})

    marked = server.request("DELETE", f"{secrets}/a")
    again = server.request("DELETE", f"{secrets}/a")
    added = server.patch(f"{secrets}/a", {"metadata": {"finalizers": ["example.com/hold", "example.com/more"]}})
    released = server.patch(f"{secrets}/a", {"metadata": {"finalizers": []}})

    assert (marked.status, again.status) == (200, 200)
    assert marked.json()["metadata"]["deletionTimestamp"] == again.json()["metadata"]["deletionTimestamp"]
    assert "no new finalizers can be added if the object is being deleted" in refused(added, 422, "Invalid")["message"]
    assert released.status == 200
    refused(server.request("GET", f"{secrets}/a"), 404, "NotFound")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"propagationPolicy": "Sideways"}, "propagationPolicy: "),
        ({"propagationPolicy": "Orphan", "orphanDependents": True}, "cannot be both set"),
    ],
)
def test_delete_options_that_make_no_sense_are_refused(
    server: Windlass, secrets: str, options: dict[str, Any], message: str
) -> None:
    server.create(secrets, a_secret())

    answer = server.request("DELETE", f"{secrets}/a", options)

    assert answer.status in (400, 422)
    assert message in answer.json()["message"]
    assert server.request("GET", f"{secrets}/a").status == 200


def test_a_job_keeps_its_pods_unless_told_otherwise(server: Windlass, namespace: str) -> None:
    jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    pod = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}]}}
    job = {"metadata": {"name": "a", "finalizers": ["example.com/hold"]}, "spec": {"template": pod}}
    server.create(jobs, job)

    answer = server.request("DELETE", f"{jobs}/a")

    assert "orphan" in answer.json()["metadata"]["finalizers"]
    assert any("child pods are preserved by default when jobs are deleted" in text for text in answer.warnings)


# paths and methods


@pytest.mark.parametrize(
    ("method", "path", "code", "reason"),
    [
        ("GET", "/api/v1/namespaces/default/nothings", 404, "NotFound"),
        ("GET", "/apis/nothing.example/v1/things", 404, "NotFound"),
        ("GET", "/apis/apps/v9/deployments", 404, "NotFound"),
        ("GET", "/nowhere", 404, "NotFound"),
        ("POST", "/api/v1/namespaces/default/secrets/a", 405, "MethodNotAllowed"),
        ("PUT", "/api/v1/namespaces/default/secrets", 405, "MethodNotAllowed"),
        ("PATCH", "/api/v1/namespaces/default/secrets", 405, "MethodNotAllowed"),
        ("DELETE", "/api/v1/componentstatuses/scheduler", 405, "MethodNotAllowed"),
        ("DELETE", "/api/v1/namespaces", 405, "MethodNotAllowed"),
    ],
)
def test_what_is_not_there_and_what_is_not_done(
    server: Windlass, method: str, path: str, code: int, reason: str
) -> None:
    refused(server.request(method, path, {} if method in ("POST", "PUT", "PATCH") else None), code, reason)


def test_a_body_that_is_too_large_is_refused(server: Windlass, secrets: str) -> None:
    huge = b'{"metadata":{"name":"a"},"stringData":{"x":"' + b"x" * (3 * 1024 * 1024) + b'"}}'

    status = server.request("POST", secrets, huge)

    assert status.status == 413
    assert status.json()["reason"] == "RequestEntityTooLarge"


# two writers


def test_two_writers_of_one_object_never_lose_a_change(server: Windlass, secrets: str) -> None:
    """Each reads, adds its own label and writes back, and starts over on a conflict."""
    from concurrent.futures import ThreadPoolExecutor

    server.create(secrets, a_secret())

    def add(label: str) -> int:
        conflicts = 0
        while True:
            found = server.get(f"{secrets}/a")
            found["metadata"].setdefault("labels", {})[label] = "yes"
            answer = server.request("PUT", f"{secrets}/a", found)
            if answer.status == 200:
                return conflicts
            refused(answer, 409, "Conflict")
            conflicts += 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, [f"l{number}" for number in range(24)]))

    assert len(server.get(f"{secrets}/a")["metadata"]["labels"]) == 24


# owners


def test_what_admission_adds_to_a_new_pod_has_no_manager(server: Windlass, namespace: str) -> None:
    pod = {"metadata": {"name": "owned"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    server.create(f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    made = server.create(f"/api/v1/namespaces/{namespace}/pods?fieldManager=me", pod)

    (entry,) = made["metadata"]["managedFields"]
    assert entry["manager"] == "me"
    owned = set(entry["fieldsV1"]["f:spec"])
    assert {"f:containers", "f:restartPolicy", "f:schedulerName"} <= owned
    assert made["spec"]["volumes"]
    assert not owned & {"f:volumes", "f:tolerations", "f:serviceAccountName", "f:priority"}


# long tables


def test_a_table_of_many_rows_comes_whole(server: Windlass, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    for number in range(510):
        server.create(path, {"metadata": {"name": f"row-{number:03}"}})

    headers = {"accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    table = server.get(path, headers=headers)

    names = [row["object"]["metadata"]["name"] for row in table["rows"]]
    assert [name for name in names if name.startswith("row-")] == [f"row-{number:03}" for number in range(510)]
    assert table["columnDefinitions"]


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"propagationPolicy": {"": ""}}, "object into Go struct field DeleteOptions.propagationPolicy"),
        ({"gracePeriodSeconds": "5"}, "string into Go struct field DeleteOptions.gracePeriodSeconds"),
        ({"preconditions": []}, "array into Go struct field DeleteOptions.preconditions"),
        ({"dryRun": [{}]}, "object into Go struct field DeleteOptions.dryRun"),
        ({"kind": [{}]}, "array into Go struct field DeleteOptions.kind"),
    ],
)
def test_delete_options_of_a_wrong_type_are_refused(
    server: Windlass, namespace: str, options: dict[str, Any], wrong: str
) -> None:
    answer = server.request("DELETE", f"/api/v1/namespaces/{namespace}/configmaps/none", options)

    assert answer.status == 400
    assert f"json: cannot unmarshal {wrong}" in answer.json()["message"]


def test_a_null_among_delete_options_is_an_absent_one(server: Windlass, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    server.create(path, {"metadata": {"name": "a"}})

    answer = server.request("DELETE", f"{path}/a", {"gracePeriodSeconds": None, "preconditions": {"uid": None}})

    assert answer.status == 200, answer.body


@pytest.mark.parametrize("accept", ["application/yaml", "application/json;as=Table;g=meta.k8s.io;v=v1"])
def test_a_scale_is_changed_whatever_form_the_answer_has(server: Windlass, namespace: str, accept: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/replicasets"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "x"}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    server.create(path, {"metadata": {"name": "r"}, "spec": spec})

    answer = server.request(
        "PATCH",
        f"{path}/r/scale",
        {"metadata": {"labels": {}}},
        content_type="application/merge-patch+json",
        headers={"accept": accept},
    )

    assert answer.status == 200, answer.body


@pytest.mark.parametrize("grace", [2**31, 2**63 - 1])
def test_a_grace_period_may_be_longer_than_the_calendar(server: Windlass, namespace: str, grace: int) -> None:
    path = f"/api/v1/namespaces/{namespace}/pods"
    server.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": {"name": "default"}})
    spec = {"containers": [{"name": "c", "image": "x"}], "nodeName": "none"}
    server.create(path, {"metadata": {"name": "p"}, "spec": spec})

    answer = server.request("DELETE", f"{path}/p", {"gracePeriodSeconds": grace})

    assert answer.status == 200, answer.body
    server.request("DELETE", f"{path}/p", {"gracePeriodSeconds": 0})
