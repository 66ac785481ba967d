"""An access token is recognised in the forms of IDEs, below entrances that declare a scope only, and taken out."""

import pytest

from windlass.gateway.proxy.entrances.url_tokens import UrlToken, token_of, without_token

TOKEN = "wlp_abc-_1"
LAB = "/notebook/ml/lab/api/kernels"


@pytest.mark.parametrize(
    ("path", "authorization", "query", "token"),
    [
        (LAB, f"token {TOKEN}", "", TOKEN),
        (LAB, f"Token  {TOKEN}", "", TOKEN),
        (LAB, "", f"?token={TOKEN}", TOKEN),
        (LAB, "", f"?a=1&token={TOKEN}&b=2", TOKEN),
        (LAB, "", "?token=wlp%5Fabc-_1", TOKEN),
        (LAB, "token of-a-page", f"?token={TOKEN}", TOKEN),
        (LAB, "token of-a-page", "?token=of-a-page", ""),
        (LAB, "", "?a=1", ""),
        ("/notebook/ml/lab", "", f"?token={TOKEN}", TOKEN),
        ("/notebook/ml/lab/../../../pipeline/x", f"token {TOKEN}", "", ""),
        ("/notebook/ml/lab/%2e%2e/%2e%2e/../pipeline/x", f"token {TOKEN}", "", ""),
        ("/notebook/ml/lab/..", f"token {TOKEN}", "", ""),
        ("/notebook//ml/", f"token {TOKEN}", "", ""),
        ("/notebook/ml/lab%2fx", f"token {TOKEN}", "", ""),
        ("/notebook/ml/", f"token {TOKEN}", f"?token={TOKEN}", ""),
        ("/jupyter/api/namespaces", f"token {TOKEN}", f"?token={TOKEN}", ""),
        ("/notebooks/ml/lab/", f"token {TOKEN}", "", ""),
        ("/pvcviewers/ml/lab/", f"token {TOKEN}", f"?token={TOKEN}", ""),
        ("/api/account/tokens", "", f"?token={TOKEN}", ""),
    ],
)
def test_a_token_is_recognised_below_a_notebook_only(path: str, authorization: str, query: str, token: str) -> None:
    assert token_of(authorization, path + query) == (UrlToken(token, "notebooks") if token else None)


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", ""),
        ("?a=1&b=%20x", "?a=1&b=%20x"),
        (f"?token={TOKEN}", ""),
        (f"?a=1&token={TOKEN}&b=", "?a=1&b="),
        ("?token=wlp%5Fabc&a=1", "?a=1"),
        (f"?%74oken={TOKEN}&a=1", "?a=1"),
        (f"?next=/x?token={TOKEN}&a=1", "?a=1"),
        ("?token=of-a-page", "?token=of-a-page"),
    ],
)
def test_no_access_token_stays_in_a_query(query: str, kept: str) -> None:
    assert without_token(query) == kept
