"""The browser flow: every step of a sign-in, and what happens where there is no session."""

import contextlib
import json
import re
import resource
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from tests.gateway.browser import Browser, Person, a_person, signed_in
from tests.gateway.platform import Platform


@pytest.fixture(scope="module")
def ann(platform: Platform) -> Person:
    return a_person(platform, "ann@example.com", "ml-team")


def step(browser: Browser, path: str, status: int = 302) -> str:
    answer = browser.get(path, allow_redirects=False)
    assert answer.status_code == status, answer.text
    return answer.headers["Location"]


def test_every_step_of_a_sign_in_is_oauth2_proxys_and_dexs(platform: Platform, ann: Person) -> None:
    browser = Browser(platform.url)
    start = step(browser, "/notebook/ns/lab/?a=b")
    assert start == "/oauth2/start?rd=%2Fnotebook%2Fns%2Flab%2F%3Fa%3Db"
    auth = step(browser, start)
    query = {name: values[0] for name, values in parse_qs(urlsplit(auth).query).items()}
    assert urlsplit(auth).path == "/dex/auth"
    assert query["client_id"] == "kubeflow-oidc-authservice"
    assert query["redirect_uri"] == "/oauth2/callback"
    assert (query["response_type"], query["scope"]) == ("code", "profile email groups openid")
    assert query["code_challenge_method"] == "S256"
    assert {"state", "nonce", "code_challenge"} <= query.keys()
    assert "oauth2_proxy_kubeflow_csrf" in browser.cookies
    local = step(browser, auth)
    assert urlsplit(local).path == "/dex/auth/local"
    form = step(browser, local)
    assert re.match(r"/dex/auth/local/login\?back=&state=.", form)
    sent = browser.post(form, data={"login": ann.email, "password": ann.password}, allow_redirects=False)
    assert sent.status_code == 303
    callback = urlsplit(sent.headers["Location"])
    assert callback.path == "/oauth2/callback"
    assert parse_qs(callback.query).keys() == {"code", "state"}
    done = browser.get(sent.headers["Location"], allow_redirects=False)
    assert (done.status_code, done.headers["Location"]) == (302, "/notebook/ns/lab/?a=b")
    cookie = next(line for line in done.raw.headers.getlist("Set-Cookie") if line.startswith("oauth2_proxy_kubeflow="))
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Secure" not in cookie, "over plain http a browser would drop it"
    assert browser.cookies["authservice_session"] == browser.cookies["oauth2_proxy_kubeflow"]


@pytest.mark.parametrize("path", ["", "/", "/pipeline"])
def test_login_scripts_of_kubeflows_documents_end_on_a_page(platform: Platform, ann: Person, path: str) -> None:
    """They take any other status than 200 after the form as a failure; the one for kfp starts at /pipeline."""
    browser = Browser(platform.url)
    form = browser.get(path)
    assert re.search(r"/auth/.*/login$", urlsplit(form.url).path)
    answer = browser.post(form.url, data={"login": ann.email, "password": ann.password})

    assert (answer.status_code, bool(answer.history)) == (200, True)
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    asked = requests.get(f"{platform.url}/pipeline/apis/v2beta1/healthz", headers={"Cookie": cookies}, timeout=60)
    assert asked.status_code == 200


def test_behind_a_proxy_on_this_machine_that_has_tls_every_cookie_is_secure(platform: Platform, ann: Person) -> None:
    link = platform.windlass("open", "--print", "--user", ann.email).stdout.strip()
    made: dict[str, str] = {}
    for path in ("/oauth2/start", link.removeprefix(platform.url), "/"):
        session = made.get("oauth2_proxy_kubeflow", "").partition(";")[0]
        headers = {"X-Forwarded-Proto": "https"} | ({"Cookie": session} if session else {})
        answer = requests.get(f"{platform.url}{path}", headers=headers, allow_redirects=False, timeout=60)
        made |= {line.partition("=")[0]: line for line in answer.raw.headers.getlist("Set-Cookie")}

    assert made.keys() == {
        *("oauth2_proxy_kubeflow_csrf", "oauth2_proxy_kubeflow", "authservice_session", "XSRF-TOKEN")
    }
    assert [name for name, line in made.items() if "Secure" not in line] == []


def test_the_form_has_dexs_fields_and_element_ids_and_no_script(platform: Platform) -> None:
    page = Browser(platform.url).login_page()

    for element in ('id="login"', 'name="login"', 'id="password"', 'name="password"', 'id="submit-login"'):
        assert element in page.text
    assert "<script" not in page.text
    assert "http://" not in page.text.replace(platform.url, "")
    assert "https://" not in page.text
    assert "script-src" not in page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"


def test_a_wrong_password_shows_the_form_again_with_401(platform: Platform, ann: Person) -> None:
    for email in (ann.email, "nobody@example.com"):
        answer = Browser(platform.url).sign_in(email, "wrong password")
        assert answer.status_code == 401
        assert 'id="login-error"' in answer.text
        assert f'value="{email}"' in answer.text


def test_what_was_typed_is_escaped_in_the_form(platform: Platform) -> None:
    answer = Browser(platform.url).sign_in('"><script>alert(1)</script>@x', "y")

    assert "<script" not in answer.text


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/jupyter/api/namespaces/ns/notebooks", {}),
        ("/ml_metadata.MetadataStoreService/GetArtifacts", {}),
        ("/anything", {"Accept": "application/json"}),
        ("/anything", {"X-Requested-With": "XMLHttpRequest"}),
    ],
)
def test_programs_without_a_session_get_401_in_json(platform: Platform, path: str, headers: dict[str, str]) -> None:
    answer = Browser(platform.url).get(path, headers=headers, allow_redirects=False)

    assert answer.status_code == 401
    assert answer.json()["log"] == "sign in first"
    assert "Set-Cookie" not in answer.headers


def test_programs_without_a_session_get_401_of_the_pipelines_api_in_its_own_shape(platform: Platform) -> None:
    answer = Browser(platform.url).get("/pipeline/apis/v2beta1/runs", allow_redirects=False)

    assert answer.status_code == 401
    assert answer.json()["code"] == 16
    assert "bearer token" in answer.json()["details"][0]["message"]


@pytest.mark.parametrize("is_signing_in", [False, True])
def test_a_sign_in_started_in_another_browser_is_refused(platform: Platform, ann: Person, is_signing_in: bool) -> None:
    """Also by a browser in which someone is about to sign in themselves: they would be signed in as another."""
    mine, other = Browser(platform.url), Browser(platform.url)
    if is_signing_in:
        other.login_page()
    page = mine.login_page()
    sent = mine.post(page.url, data={"login": ann.email, "password": ann.password}, allow_redirects=False)
    stolen = other.get(sent.headers["Location"])

    assert stolen.status_code == 403
    assert "oauth2_proxy_kubeflow" not in other.cookies


def test_a_code_of_one_sign_in_does_not_end_another(platform: Platform, ann: Person) -> None:
    """By PKCE and the nonce: a code that was injected belongs to another request."""
    browser = Browser(platform.url)
    one, other = browser.login_page(), browser.login_page("/activity")
    answers = [
        browser.post(page.url, data={"login": ann.email, "password": ann.password}, allow_redirects=False)
        for page in (one, other)
    ]
    (code, _), (_, state) = (
        (query["code"][0], query["state"][0])
        for query in (parse_qs(urlsplit(answer.headers["Location"]).query) for answer in answers)
    )

    refused = browser.get("/oauth2/callback", params={"code": code, "state": state}, allow_redirects=False)

    assert refused.status_code == 403
    assert "oauth2_proxy_kubeflow" not in browser.cookies


def test_a_code_counts_once(platform: Platform, ann: Person) -> None:
    browser = Browser(platform.url)
    page = browser.login_page()
    sent = browser.post(page.url, data={"login": ann.email, "password": ann.password}, allow_redirects=False)
    kept = dict(browser.cookies)
    assert browser.get(sent.headers["Location"], allow_redirects=False).status_code == 302
    again = requests.get(platform.url + sent.headers["Location"], cookies=kept, allow_redirects=False, timeout=60)

    assert again.status_code == 403


def test_two_tabs_of_one_browser_may_both_sign_in(platform: Platform, ann: Person) -> None:
    browser = Browser(platform.url)
    first, second = browser.login_page("/a"), browser.login_page("/b")
    data = {"login": ann.email, "password": ann.password}
    ends = [browser.post(page.url, data=data).url for page in (first, second)]

    assert ends == [f"{platform.url}/a", f"{platform.url}/b"]


@pytest.mark.parametrize("state", ["", "x", "a.b", "eyJhdCI6MX0.AAAA"])
def test_a_forged_login_url_is_refused(platform: Platform, state: str) -> None:
    browser = Browser(platform.url)

    assert browser.get("/dex/auth/local/login", params={"back": "", "state": state}).status_code == 400
    assert browser.post("/dex/auth/local/login", params={"state": state}, data={"login": "a"}).status_code == 400


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "/\\evil.example", "/%09/evil.example"])
def test_a_sign_in_never_leads_elsewhere(platform: Platform, ann: Person, target: str) -> None:
    browser = Browser(platform.url)
    page = browser.get("/oauth2/start", params={"rd": target})
    sent = browser.post(page.url, data={"login": ann.email, "password": ann.password}, allow_redirects=False)
    end = browser.get(sent.headers["Location"], allow_redirects=False).headers["Location"]

    assert urlsplit(end).netloc == ""
    assert end.startswith("/")
    assert not end.startswith(("//", "/\\"))


def test_signing_out_ends_the_session_on_the_server(platform: Platform, ann: Person) -> None:
    for path in ("/oauth2/sign_out", "/logout"):
        browser = signed_in(platform, ann)
        kept = dict(browser.cookies)
        answer = browser.get(path, allow_redirects=False)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/")
        assert "oauth2_proxy_kubeflow" not in browser.cookies
        after = requests.get(f"{platform.url}/oauth2/userinfo", cookies=kept, timeout=60)
        assert after.status_code == 401


@pytest.mark.parametrize("path", ["/logout", "/oauth2/sign_out", "/logout?rd=/x"])
def test_who_signs_in_after_a_sign_out_without_a_session_stays_signed_in(
    platform: Platform, ann: Person, path: str
) -> None:
    browser = Browser(platform.url)
    start = browser.get("/oauth2/start", params={"rd": path})
    browser.post(start.url, data={"login": ann.email, "password": ann.password})

    assert browser.get("/oauth2/userinfo").json()["email"] == ann.email


def test_a_person_sees_and_ends_their_sessions(platform: Platform, ann: Person) -> None:
    here, there = signed_in(platform, ann), signed_in(platform, ann)
    listed = here.get("/oauth2/sessions").json()["sessions"]
    current = next(one for one in listed if one["current"])
    other = next(one for one in there.get("/oauth2/sessions").json()["sessions"] if one["current"])

    assert current["expires"] - current["lastUsed"] == 24 * 3600
    ended = here.session.delete(f"{platform.url}/oauth2/sessions/{other['name']}", timeout=60)
    assert ended.status_code == 200
    assert there.get("/oauth2/userinfo").status_code == 401
    foreign = here.session.delete(
        f"{platform.url}/oauth2/sessions/{current['name']}", headers={"Origin": "https://evil.example"}, timeout=60
    )
    assert foreign.status_code == 403
    assert here.get("/oauth2/userinfo").status_code == 200


def test_userinfo_and_auth_answer_as_oauth2_proxy_does(platform: Platform, ann: Person) -> None:
    browser = signed_in(platform, ann)

    assert browser.get("/oauth2/userinfo").json() == {
        "user": ann.email, "email": ann.email, "groups": ["ml-team"], "preferredUsername": "ann",
    }  # fmt: skip
    auth = browser.get("/oauth2/auth")
    assert (auth.status_code, auth.headers["X-Auth-Request-Email"]) == (202, ann.email)
    assert Browser(platform.url).get("/oauth2/auth").status_code == 401


def test_sessions_survive_a_killed_gateway(platform: Platform, ann: Person) -> None:
    browser = signed_in(platform, ann)
    platform.kill_gateway()

    assert browser.get("/oauth2/userinfo").json()["email"] == ann.email


def test_a_removed_user_is_out_at_the_next_request(platform: Platform) -> None:
    person = a_person(platform, "leaver@example.com")
    browser = signed_in(platform, person)
    assert platform.windlass("user", "rm", person.email).returncode == 0

    assert browser.get("/oauth2/userinfo").status_code == 401
    assert browser.get("/", allow_redirects=False).status_code == 302


@contextlib.contextmanager
def full_disk(process: int) -> Iterator[None]:
    """No file of a process can grow, as on a full disk."""
    soft, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.prlimit(process, resource.RLIMIT_FSIZE, (soft, hard))


def test_on_a_full_disk_who_is_signed_in_stays_and_others_are_told(platform: Platform) -> None:
    person = a_person(platform, "crowded@example.com")
    browser, other = signed_in(platform, person), Browser(platform.url)
    page = other.login_page()
    with full_disk(platform.pid("gateway")):
        refused = other.post(page.url, data={"login": person.email, "password": person.password})
        assert browser.get("/oauth2/userinfo").json()["email"] == person.email

    assert refused.status_code == 503
    assert "the gateway cannot write to its disk, which may be full" in refused.text
    assert signed_in(platform, person).get("/oauth2/userinfo").status_code == 200, "space was made"


def test_groups_are_those_of_now(platform: Platform) -> None:
    person = a_person(platform, "mover@example.com", "ml", "ops")
    browser = signed_in(platform, person)
    assert browser.get("/oauth2/userinfo").json()["groups"] == ["ml", "ops"]
    assert platform.windlass("user", "groups", person.email, "--group", "ops").returncode == 0

    assert browser.get("/oauth2/userinfo").json()["groups"] == ["ops"]


def test_after_ten_wrong_passwords_each_try_waits_and_the_audit_log_says_so(platform: Platform) -> None:
    person = a_person(platform, "guessed@example.com")
    browser = Browser(platform.url)
    page = browser.login_page()
    addresses = [{"X-Forwarded-For": f"192.0.2.{number}"} for number in range(12)]  # not one address' limit
    took: list[float] = []
    for headers in addresses[:11]:
        answer = browser.post(page.url, data={"login": person.email, "password": "guess"}, headers=headers)
        assert answer.status_code == 401
        took.append(answer.elapsed.total_seconds())
    right = browser.post(page.url, data={"login": person.email, "password": person.password}, headers=addresses[11])

    assert took[10] >= 1.0
    assert right.history[0].elapsed.total_seconds() >= 2.0
    assert right.status_code == 200, "a person who waits gets in"
    log = (platform.data_dir / "logs" / "audit.log").read_text()
    assert log.count('"event": "login.failed", "user": "guessed@example.com"') == 11
    assert person.password not in log
    assert (platform.data_dir / "logs" / "audit.log").stat().st_mode & 0o077 == 0


def test_who_guesses_a_password_does_not_keep_its_user_out(platform: Platform) -> None:
    person = a_person(platform, "besieged@example.com")
    own_browser = signed_in(platform, person)
    own_browser.post("/oauth2/sign_out")
    stranger = Browser(platform.url)
    page = stranger.login_page()
    for number in range(12):
        headers = {"X-Forwarded-For": f"198.51.100.{number}"}
        stranger.post(page.url, data={"login": person.email, "password": "guess"}, headers=headers)

    answer = own_browser.sign_in(person.email, person.password)

    assert answer.status_code == 200
    assert answer.history[0].elapsed.total_seconds() < 1.0
    cookie = next(cookie for cookie in own_browser.session.cookies if cookie.name == "windlass_known_browser")
    assert (cookie.path, cookie.has_nonstandard_attr("HttpOnly")) == ("/dex/auth", True)


@pytest.mark.parametrize("path", ["/dex/token", "/dex/token/introspect", "login"])
def test_a_form_of_any_length_takes_little_memory(platform: Platform, path: str) -> None:
    """Also one whose length is not said in advance."""
    url = Browser(platform.url).login_page().url if path == "login" else platform.url + path
    chunks = (b"a" * 4096 for _ in range(64))
    headers = {"Content-Type": "application/x-www-form-urlencoded"}

    assert requests.post(url, data=chunks, headers=headers, timeout=60).status_code == 413


def test_signing_in_and_out_is_in_the_audit_log(platform: Platform) -> None:
    browser = signed_in(platform, a_person(platform, "recorded@example.com"))
    browser.post("/oauth2/sign_out")

    lines = [json.loads(line) for line in (platform.data_dir / "logs" / "audit.log").read_text().splitlines()]
    mine = [line for line in lines if line.get("user") == "recorded@example.com" and "address" in line]
    assert [(line["event"], line["address"]) for line in mine] == [("login", "127.0.0.1"), ("logout", "127.0.0.1")]


def test_secrets_are_for_the_owner_alone(platform: Platform) -> None:
    for path in (platform.data_dir / "gateway").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
