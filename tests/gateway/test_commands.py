"""`windlass user`, first starts, and where the gateway refuses to listen: exit codes and words."""

import json
import os
import stat
from contextlib import closing
from pathlib import Path

import pytest
import requests

from tests.gateway.browser import Browser, a_person, signed_in
from tests.gateway.platform import Platform
from windlass.gateway.database import Database
from windlass.gateway.identity.own_secrets import OwnSecrets
from windlass.gateway.identity.signing_keys import SigningKeys
from windlass.gateway.sessions.store import Sessions


@pytest.fixture
def offline(tmp_path: Path) -> Platform:
    """A data dir on which nothing runs."""
    return Platform(tmp_path)


def test_the_first_password_is_random_shown_once_and_works(platform: Platform) -> None:
    line = next(line for line in platform.output.splitlines() if "user@example.com" in line and "Sign in" in line)
    password = line.split()[-1]

    assert len(set(password)) > 6
    assert Browser(platform.url).sign_in("user@example.com", password).status_code == 200
    everything = [path for path in platform.data_dir.rglob("*") if path.is_file() and not path.is_socket()]
    assert [path for path in everything if password.encode() in path.read_bytes()] == [], "it is not kept"


def test_demo_gives_the_documents_user_on_this_machine(offline: Platform) -> None:
    offline.flags = ["--no-node", "--no-manager", "--demo"]
    offline.up()
    try:
        browser = Browser(offline.url)
        assert browser.sign_in("user@example.com", "12341234").status_code == 200
        claims = browser.get("/oauth2/userinfo").json()
        assert (claims["email"], claims["preferredUsername"]) == ("user@example.com", "user")
        assert "12341234" in offline.output
    finally:
        offline.down()
    refused = offline.windlass("up", "--port=0", "--gateway-port=0", "--gateway-listen=0.0.0.0", "--insecure-http")
    assert refused.returncode == 2
    assert "windlass user passwd user@example.com" in refused.stderr
    assert refused.stderr.count("\n") == 1, "one line"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--gateway-listen=0.0.0.0"], "--gateway-tls-cert"),
        (["--gateway-listen=0.0.0.0", "--demo"], "Leave out --demo"),
        ([f"--gateway-tls-cert={__file__}"], "go together"),
    ],
)
def test_a_dangerous_start_is_refused_with_2_and_the_fix(offline: Platform, flags: list[str], words: str) -> None:
    for command in (["up", "--port=0", "--no-node", "--no-manager"], ["gateway"]):
        done = offline.windlass(*command, "--gateway-port=0", *flags)
        assert done.returncode == 2, done.stderr
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_a_broken_users_file_or_certificate_ends_the_start_in_one_line(offline: Platform) -> None:
    bad = offline.home / "users.yaml"
    bad.write_text("staticPasswords: [{email: nobody}]")
    done = offline.windlass("up", "--port=0", "--gateway-port=0", f"--users-file={bad}")
    assert done.returncode == 1
    assert "staticPasswords[0]" in done.stderr
    tls = offline.windlass("gateway", "--gateway-port=0", f"--gateway-tls-cert={bad}", f"--gateway-tls-key={bad}")
    assert tls.returncode == 1
    assert "--gateway-tls-cert" in tls.stderr
    assert "Traceback" not in done.stderr + tls.stderr


def test_users_are_added_changed_listed_and_removed(offline: Platform) -> None:
    made = offline.windlass("user", "add", "Ann@Example.com", "--username", "Ann", "--group", "a", "--group", "b")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("Added ann@example.com. Password: ")
    listed = json.loads(offline.windlass("user", "list", "-o", "json").stdout)
    assert listed == [
        {"email": "ann@example.com", "username": "Ann", "groups": ["a", "b"], "source": "local", "sessions": 0}
    ]
    assert offline.windlass("user", "groups", "ann@example.com").stdout == "ann@example.com is in no group.\n"
    assert (
        offline.windlass("user", "passwd", "ann@example.com", "--password-stdin", stdin="a long one\n").returncode == 0
    )
    assert offline.windlass("user", "rm", "ann@example.com").stdout == "Removed ann@example.com.\n"
    assert offline.windlass("user", "list", "-o", "json").stdout == "[]\n"
    database = offline.data_dir / "gateway" / "gateway.db"
    assert stat.S_IMODE(database.stat().st_mode) == 0o600
    events = [json.loads(line)["event"] for line in (offline.data_dir / "logs" / "audit.log").read_text().splitlines()]
    assert events == ["user.added", "user.groups", "user.password", "user.removed"]


@pytest.mark.parametrize(
    ("words", "stdin", "message"),
    [
        (["add", "nonsense"], "", "not an e-mail address"),
        (["add", "a@b", "--group", "system:masters"], "", "Kubernetes' own"),
        (["add", "a@b", "--password-stdin"], "12341234\n", "that password is published"),
        (["add", "a@b", "--password-stdin"], "short\n", "at least 8"),
        (["passwd", "nobody@example.com"], "", "there is no user nobody@example.com"),
        (["rm", "nobody@example.com"], "", "there is no user nobody@example.com"),
        (["token", "nobody@example.com"], "", "there is no user nobody@example.com"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(offline: Platform, words: list[str], stdin: str, message: str) -> None:
    done = offline.windlass("user", *words, stdin=stdin)

    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_user_is_added_only_once(offline: Platform) -> None:
    assert offline.windlass("user", "add", "a@b.example").returncode == 0

    assert "there is a user a@b.example already" in offline.windlass("user", "add", "A@b.example").stderr


def test_a_new_password_ends_the_sessions(platform: Platform) -> None:
    person = a_person(platform, "changer@example.com")
    browser = signed_in(platform, person)
    done = platform.windlass("user", "passwd", person.email, "--password-stdin", stdin="another long one\n")

    assert "1 session ended" in done.stdout
    assert browser.get("/oauth2/userinfo").status_code == 401


def test_sessions_are_shown_and_ended_one_by_one(platform: Platform) -> None:
    person = a_person(platform, "twice@example.com")
    browsers = [signed_in(platform, person), signed_in(platform, person)]
    listed = json.loads(platform.windlass("user", "sessions", person.email, "-o", "json").stdout)
    assert len(listed) == 2
    assert listed[0]["id"] in platform.windlass("user", "sessions", person.email).stdout

    done = platform.windlass("user", "sessions", person.email, "--end", listed[0]["id"])
    assert done.stdout == f"Ended {listed[0]['id']}.\n"
    assert sorted(browser.get("/oauth2/userinfo").status_code for browser in browsers) == [200, 401]
    assert "has no session" in platform.windlass("user", "sessions", person.email, "--end", "none").stderr


@pytest.mark.parametrize(("flags", "is_kept"), [([], True), (["--sessions"], False)])
def test_rotate_renews_every_secret_and_ends_sessions_if_asked(
    offline: Platform, flags: list[str], is_kept: bool
) -> None:
    assert offline.windlass("user", "add", "a@b.example").returncode == 0
    with closing(Database(offline.data_dir / "gateway" / "gateway.db")) as database:
        cookie = Sessions(database).start("a@b.example")
        own, keys = OwnSecrets(database), SigningKeys(database, "")
        keys.rotate()
        before = {own.client, own.signing, *(key["kid"] for key in keys.published()["keys"])}

        done = offline.windlass("user", "rotate", *flags)

        assert done.returncode == 0, done.stderr
        assert ("All sessions have ended." in done.stdout) is not is_kept
        assert (Sessions(database).find(cookie) is not None) is is_kept
        after = {own.client, own.signing, *(key["kid"] for key in keys.published()["keys"])}
    assert len(after - before) == 3
    assert len(before & after) == 1, "the old key stays published while its tokens live"


def test_sign_in_works_after_rotate_and_one_that_was_under_way_starts_again(platform: Platform) -> None:
    person = a_person(platform, "rotator@example.com")
    under_way, before = Browser(platform.url), signed_in(platform, person)
    page = under_way.login_page()
    assert platform.windlass("user", "rotate").returncode == 0
    refused = under_way.post(page.url, data={"login": person.email, "password": person.password})

    assert refused.status_code == 400, refused.text
    assert under_way.sign_in(person.email, person.password).status_code == 200
    assert before.get("/oauth2/userinfo").status_code == 200, "sessions are not ended"


def test_open_and_kubeconfig_say_what_is_missing(offline: Platform, platform: Platform) -> None:
    assert "windlass up" in offline.windlass("open").stderr
    assert "there is no user" in platform.windlass("open", "--user", "nobody@example.com").stderr
    assert "there is no user" in platform.windlass("kubeconfig", "--user", "nobody@example.com").stderr


def test_the_gateway_serves_tls(offline: Platform) -> None:
    from tests.gateway.certificates import self_signed

    cert, key = self_signed(offline.home)
    flags = ["--no-node", "--no-manager", f"--gateway-tls-cert={cert}", f"--gateway-tls-key={key}"]
    offline.flags = [*flags, "--gateway-listen=0.0.0.0"]
    offline.up()
    try:
        assert offline.url.startswith("https://127.0.0.1:")
        session = requests.Session()
        session.trust_env = False  # which may name other authorities
        session.verify = str(cert)
        page = session.get(offline.url, timeout=60)
        password = next(line for line in offline.output.splitlines() if "Sign in" in line).split()[-1]
        data = {"login": "user@example.com", "password": password}
        answer = session.post(page.url, data=data, allow_redirects=False, timeout=60)
        done = session.get(offline.url + answer.headers["Location"], allow_redirects=False, timeout=60)
        lines = done.raw.headers.getlist("Set-Cookie")
        assert any(line.startswith("oauth2_proxy_kubeflow=") and "Secure" in line for line in lines)
        assert not any(line.startswith("authservice_session=") for line in lines), "on this machine only"
    finally:
        offline.down()


def test_environment_for_hashes_is_the_commands(offline: Platform) -> None:
    (offline.data_dir).mkdir()
    (offline.data_dir / "users.yaml").write_text("staticPasswords: [{email: a@b, hashFromEnv: MY_HASH}]")

    assert "hash is neither bcrypt" in offline.windlass("user", "list").stderr
    assert "a@b" in offline.windlass("user", "list", MY_HASH="$2y$12$abc").stdout
    assert os.environ.get("MY_HASH") is None


def test_a_backup_brings_users_and_sessions_back(platform: Platform, tmp_path: Path) -> None:
    person = a_person(platform, "kept@example.com", "ml")
    browser = signed_in(platform, person)
    assert platform.windlass("backup", str(tmp_path / "backup.tar")).returncode == 0
    other = Platform(tmp_path / "other", ["--no-node", "--no-manager"])
    other.home.mkdir()
    assert other.windlass("restore", str(tmp_path / "backup.tar")).returncode == 0
    other.up()
    try:
        assert "Sign in" not in other.output, "there are users"
        cookie = {"oauth2_proxy_kubeflow": browser.cookies["oauth2_proxy_kubeflow"]}
        found = requests.get(f"{other.url}/oauth2/userinfo", cookies=cookie, timeout=60).json()
        assert (found["email"], found["groups"]) == (person.email, ["ml"])
        assert (other.data_dir / "gateway" / "gateway.db").stat().st_mode & 0o077 == 0
    finally:
        other.down()
