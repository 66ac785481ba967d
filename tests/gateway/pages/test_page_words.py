"""The gateway's own pages in the language of the browser."""

import ast
import re
from pathlib import Path

import pytest

import windlass.gateway
from tests.gateway.browser import Browser
from tests.gateway.platform import Platform
from windlass.gateway.identity.login_page import login_form
from windlass.gateway.page_words import CHINESE, Speech, preferred_language
from windlass.gateway.pages.not_built import NOTICE
from windlass.gateway.proxy.entrances import not_ready

SOURCES = Path(windlass.gateway.__file__).parent
ELEMENT = re.compile(r"<(?:form|input|button)[^>]*>")


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh", "zh"),
        ("ZH-Hant", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("de, zh;q=0.5", "zh"),
        ("de", "en"),
        ("en;q=0.5, zh;q=0.5", "en"),
        ("zh;q=0, en;q=0.1", "en"),
        ("zh;q=0", "en"),
        ("zh;q=many", "en"),
        ("*", "en"),
    ],
)
def test_the_language_that_a_browser_asks_for(accepted: str, language: str) -> None:
    assert preferred_language(accepted) == language


def texts() -> set[str]:
    """Every text that a page of the gateway says."""
    found = {NOTICE, "A program"}
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("say", "message", "_failed", "_form"):
                found |= {str(each.value) for each in node.args if isinstance(each, ast.Constant) and each.value}
    sentences = ast.parse(Path(not_ready.__file__).read_text())
    returned = [node.value for node in ast.walk(sentences) if isinstance(node, ast.Return)]
    return found | {str(each.value) for each in returned if isinstance(each, ast.Constant)}


def test_every_text_is_in_the_catalogue() -> None:
    assert {text for text in texts() if text not in CHINESE} == set()
    for english, chinese in CHINESE.items():
        assert re.findall(r"{\w+}", english) == re.findall(r"{\w+}", chinese), english


def test_scripts_find_the_same_form_in_both_languages() -> None:
    english, chinese = (
        login_form("/dex/x", Speech(language), login="a@b", error="Password", others=[("/dex/auth/o", "Okta")]).text
        or ""
        for language in ("en", "zh")
    )

    assert ELEMENT.findall(english) == ELEMENT.findall(chinese) != []
    assert all(text in english for text in ("Sign in", "E-mail address", "Continue with Okta"))
    assert all(text in chinese for text in ("登录", "电子邮件地址", "使用 Okta 继续", 'lang="zh"'))
    assert "Sign in" not in chinese


def test_a_browser_is_answered_in_its_language(platform: Platform) -> None:
    browser = Browser(platform.url)
    chinese = {"Accept": "text/html", "Accept-Language": "zh-CN,zh;q=0.9"}

    page = browser.get("/", headers=chinese)
    assert "<title>登录 · Windlass</title>" in page.text
    assert page.headers["Vary"] == "Accept-Language"
    assert "此次登录已结束" in browser.get("/dex/auth/local/login?state=old", headers=chinese).text
    assert "无需批准" in browser.get("/dex/approval", headers=chinese).text
    assert "<title>Sign in · Windlass</title>" in browser.get("/", headers={"Accept": "text/html"}).text
