"""Properties of the pure rules: redirects, origins, CSRF, open paths, e-mail addresses, signed values."""

import string
import time
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windlass.gateway.exposure import is_of_this_machine, refusal
from windlass.gateway.identity import emails
from windlass.gateway.identity.signed import Signer
from windlass.gateway.login.address import address_of
from windlass.gateway.login.paths import is_open, wants_json
from windlass.gateway.sessions import csrf, origin
from windlass.gateway.sessions.redirects import safe_target
from windlass.gateway.settings import GatewaySettings

from .builders import settings

HERE = "http://127.0.0.1:8080"
EVIL_PARTS = st.lists(
    st.sampled_from(
        ["/", "\\", "//", "evil.example", "@", ":", "\t", "\n", "http:", "https:", "?", "#", "..", "%2f", "a"]
    ),
    max_size=8,
).map("".join)


def browsers_target(location: str) -> str:
    """Where a browser goes (WHATWG's URL standard).

    It drops tabs and line breaks, reads a backslash as a slash, and takes two slashes or more for the start of a host.
    """
    cleaned = location.strip().translate({ord(character): None for character in "\t\r\n"}).replace("\\", "/")
    if cleaned.startswith("//"):
        cleaned = f"//{cleaned.lstrip('/')}"
    return urljoin(f"{HERE}/oauth2/callback", cleaned)


@given(st.one_of(EVIL_PARTS, st.text(max_size=60)))
@example("//evil.example")
@example("///evil.example")
@example("/\\evil.example")
@example(f"{HERE}///evil.example")
def test_a_redirect_stays_on_this_host(target: str) -> None:
    safe = safe_target(target, (HERE,))

    assert safe.startswith("/")
    assert urlsplit(browsers_target(safe)).netloc == "127.0.0.1:8080"


@given(st.text(alphabet=string.ascii_letters + string.digits + "/-_.?=&%", max_size=60))
def test_an_ordinary_path_is_kept(rest: str) -> None:
    path = f"/x{rest}"

    assert safe_target(path) == path
    assert safe_target(HERE + path, (HERE,)) == path


UNSAFE = st.sampled_from(["POST", "PUT", "PATCH", "DELETE", "BREW"])


@given(method=UNSAFE, sent=st.text(max_size=40), own=st.sampled_from([HERE, "https://kf.example.com"]))
def test_an_unsafe_request_needs_an_origin_of_our_own(method: str, sent: str, own: str) -> None:
    problem = origin.problem(method, is_upgrade=False, origin=sent, fetch_site=None, own_origins=(own,))

    assert (problem is None) == (origin.normalised(sent) == origin.normalised(own))


@pytest.mark.parametrize(
    ("sent", "is_ours"),
    [
        ("http://127.0.0.1:8080", True),
        ("HTTP://127.0.0.1:8080", True),
        ("http://127.0.0.1:8081", False),
        ("http://127.0.0.1:8080.evil.example", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_origins(sent: str, is_ours: bool) -> None:
    for is_upgrade in (True, False):
        method = "GET" if is_upgrade else "POST"
        problem = origin.problem(method, is_upgrade=is_upgrade, origin=sent, fetch_site=None, own_origins=(HERE,))
        assert (problem is None) is is_ours


def test_a_page_keeps_the_csrf_token_that_the_browser_has() -> None:
    token = csrf.page_token("")

    assert len(token) == 43
    assert csrf.page_token("") != token
    assert csrf.page_token(token) == token
    for other in ("t", token + "x", token[:-1] + ";", token[:-1] + "\u0661", "a b"):
        assert csrf.page_token(other) not in ("", other)


@pytest.mark.parametrize(
    ("site", "is_ours"), [("same-origin", True), ("none", True), ("same-site", False), ("cross-site", False)]
)
def test_sec_fetch_site_alone_decides_where_there_is_no_origin(site: str, is_ours: bool) -> None:
    problem = origin.problem("POST", is_upgrade=False, origin=None, fetch_site=site, own_origins=(HERE,))

    assert (problem is None) is is_ours
    assert origin.problem("GET", is_upgrade=False, origin=None, fetch_site=site, own_origins=(HERE,)) is None


@given(method=UNSAFE, cookie=st.none() | st.text(max_size=9), header=st.none() | st.text(max_size=9))
def test_csrf_wants_the_cookie_repeated(method: str, cookie: str | None, header: str | None) -> None:
    problem = csrf.problem(method, "/jupyter/api/namespaces/a/notebooks", cookie, header)

    assert (problem is None) == (bool(cookie) and cookie == header)
    assert csrf.problem("GET", "/jupyter/", cookie, header) is None
    assert csrf.problem(method, "/pipeline/apis/v2beta1/runs", cookie, header) is None


def test_what_is_missing_is_distinguished() -> None:
    path = "/volumes/api"
    problems = [csrf.problem("POST", path, *pair) for pair in ((None, None), ("a", None), ("a", "b"))]

    assert [csrf.COOKIE in str(problems[0]), csrf.HEADER in str(problems[1]), "match" in str(problems[2])] == [True] * 3


@pytest.mark.parametrize(
    ("given", "used"), [("Strict", "Strict"), ("lax", "Lax"), ("NONE", "None"), ("", "Strict"), ("anything", "Strict")]
)
def test_the_csrf_cookies_same_site_is_the_configured_one_or_the_strictest(given: str, used: str) -> None:
    assert csrf.same_site_of(given) == used


@pytest.mark.parametrize(
    "target", ["/logout", "/logout/", "/oauth2/sign_out", "/oauth2/sign_out?rd=/x", f"{HERE}/logout"]
)
def test_a_sign_in_never_leads_to_a_sign_out(target: str) -> None:
    assert safe_target(target, (HERE,)) == "/"


def test_a_page_whose_name_begins_like_the_sign_out_is_one() -> None:
    assert safe_target("/logout-times") == "/logout-times"


@given(
    st.lists(
        st.sampled_from(
            [
                *("/", "dex", "oauth2", "..", ".", "healthz", "notebook", "%2e", "%2F", "\\", "a", ";"),
                *("kfam", "volumes", "liveness", "metrics", "api"),
            ]
        ),
        max_size=8,
    )
)
def test_only_plain_paths_below_the_open_prefixes_are_open(parts: list[str]) -> None:
    raw = "/" + "".join(parts)
    decoded = raw.replace("%2e", ".").replace("%2F", "/")
    if is_open(decoded, raw):
        health = ("/healthz", "/kfam/", "/volumes/healthz/liveness")
        assert raw.startswith(("/dex/", "/oauth2/")) or raw in health
        assert ".." not in raw.split("/")
        assert "%" not in raw
        assert "//" not in raw


@pytest.mark.parametrize(
    "path",
    [
        *("/healthz/x", "/dex", "/dexter/", "/oauth2", "/", "/notebook/dex/", "/healthzz"),
        *("/metrics", "/kfam/metrics", "/kfam/v1/bindings", "/jupyter/healthz", "/jupyter/healthz/liveness/x"),
        *("/jupyter/healthz/", "/kserve-endpoints/healthz/liveness"),
    ],
)
def test_neighbours_of_open_paths_are_closed(path: str) -> None:
    assert not is_open(path, path)


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("/dex/auth", "/%64ex/auth"),
        ("/dex/auth", "/dex/%61uth"),
        ("/oauth2/start", "/oauth2%2Fstart"),
        ("/healthz", "/%68ealthz"),
        ("/dex/../notebook/a/b/", "/dex/../notebook/a/b/"),
        ("/oauth2/./start", "/oauth2/./start"),
        ("/dex/a/..", "/dex/a/.."),
        ("/dex//auth", "/dex//auth"),
        ("/dex/\\auth", "/dex/\\auth"),
    ],
)
def test_another_spelling_of_an_open_path_is_closed(path: str, raw: str) -> None:
    assert is_open("/dex/auth", "/dex/auth")
    assert not is_open(path, raw)


def test_browsers_get_pages_and_programs_get_json() -> None:
    page = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Sec-Fetch-Mode": "navigate"}

    assert not wants_json("/notebook/a/b/lab", page)
    assert not wants_json("/", {"Accept": "*/*"}), "curl and requests"
    assert wants_json("/", {**page, "Sec-Fetch-Mode": "cors"})
    assert wants_json("/notebook/a/b/api/kernels", page)
    assert wants_json("/api", {})
    assert wants_json("/notebook/a/b/", {"Upgrade": "WebSocket"}), "a redirect says nothing to a WebSocket"
    assert wants_json("/", {"X-Requested-With": "XMLHttpRequest"})
    assert wants_json("/ml_metadata.MetadataStoreService/GetArtifacts", {})
    assert wants_json("/kfam/v1/bindings", page)
    assert wants_json("/", {"Accept": "application/json"})


@given(st.text(max_size=300))
def test_an_accepted_address_has_one_plain_form(text: str) -> None:
    email = emails.normalised(text)
    if emails.problem(email) is None:
        assert len(email) <= 254
        assert email.isascii()
        assert "@" in email
        assert not set(email) & set(' ,:;<>()[]\\"\n')
        assert emails.normalised(email) == email


def test_a_very_long_address_is_refused_quickly() -> None:
    began = time.perf_counter()
    for text in ("a" * 1_000_000 + "@b", "a@" + "b." * 500_000, "@" * 1_000_000):
        assert emails.problem(text)

    assert time.perf_counter() - began < 1


@pytest.mark.parametrize("group", ["system:masters", "system:nodes", "", "a,b", "a\nb"])
def test_groups_of_kubernetes_cannot_be_given_to_a_person(group: str) -> None:
    assert emails.group_problem(group)


VALUES = st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3)


@given(value=VALUES, at=st.integers(0, 2**31), later=st.integers(-1000, 1000))
def test_a_signed_value_comes_back_until_it_is_old(value: dict[str, str], at: int, later: int) -> None:
    signer = Signer("secret", "purpose")

    assert signer.read(signer.sign(value, at), at + later, 600) == (value if later <= 600 else None)


@given(value=VALUES, position=st.integers(0), character=st.sampled_from("aZ09-_.=%\x00é"))
def test_a_changed_value_is_refused(value: dict[str, str], position: int, character: str) -> None:
    signer = Signer("secret", "purpose")
    text = signer.sign(value, 0)
    at = position % len(text)
    changed = text[:at] + character + text[at + 1 :]

    # the last character of a digest in base64 has bits that count for nothing
    if changed != text and at != len(text) - 1:
        assert signer.read(changed, 0, 600) is None


@given(value=VALUES)
def test_a_value_of_another_purpose_or_secret_is_refused(value: dict[str, str]) -> None:
    text = Signer("secret", "a").sign(value, 0)

    assert Signer("secret", "b").read(text, 0, 600) is None
    assert Signer("other", "a").read(text, 0, 600) is None


@given(st.text(max_size=50))
def test_reading_never_fails(text: str) -> None:
    assert Signer("secret", "purpose").read(text, 0, 600) is None


def test_only_a_proxy_on_this_machine_is_believed_about_addresses() -> None:
    assert address_of("192.0.2.1", "203.0.113.9") == "192.0.2.1"
    assert address_of("127.0.0.1", "forged, 203.0.113.9") == "203.0.113.9"
    assert address_of("127.0.0.1", "") == "127.0.0.1"


@pytest.mark.parametrize(
    ("given_settings", "has_published", "words"),
    [
        (settings(), True, None),
        (settings(demo=True), True, None),
        (settings(listen="0.0.0.0"), False, "--gateway-tls-cert"),
        (settings(listen="0.0.0.0", insecure_http=True), False, None),
        (settings(listen="0.0.0.0", insecure_http=True), True, "windlass user passwd"),
        (settings(listen="0.0.0.0", insecure_http=True, demo=True), False, "--demo"),
        (settings(listen="10.0.0.1", with_tls=True), False, None),
        (settings(listen="", with_tls=True), True, "published password"),
    ],
)
def test_where_the_gateway_may_listen(given_settings: GatewaySettings, has_published: bool, words: str | None) -> None:
    why = refusal(given_settings, has_published_password=has_published)

    assert (why is None) == (words is None)
    assert (words or "") in (why or "")


@pytest.mark.parametrize(
    ("host", "client", "is_local"),
    [
        ("127.0.0.1:8080", "127.0.0.1", True),
        ("localhost:8080", "127.0.0.1", True),
        ("LOCALHOST", "::1", True),
        ("lab.localhost:8080", "127.0.0.1", True),
        ("[::1]:8080", "::1", True),
        ("127.0.0.1", "::ffff:127.0.0.1", True),
        ("evil.example:8080", "127.0.0.1", False),
        ("localhost.evil.example", "127.0.0.1", False),
        ("127.0.0.1.evil.example", "127.0.0.1", False),
        ("127.0.0.1@evil.example", "127.0.0.1", False),
        ("evillocalhost", "127.0.0.1", False),
        ("10.0.0.1", "127.0.0.1", False),
        ("0.0.0.0:8080", "127.0.0.1", False),
        ("[::1", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("127.0.0.1:8080", "203.0.113.7", False),
        ("127.0.0.1:8080", "2001:db8::1", False),
        ("127.0.0.1:8080", "unknown", False),
    ],
)
def test_which_requests_stay_on_this_machine(host: str, client: str, is_local: bool) -> None:
    assert is_of_this_machine(settings(), host, client) is is_local
    assert not is_of_this_machine(settings(listen="0.0.0.0"), host, client)
