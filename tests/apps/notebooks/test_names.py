"""Names and addresses of notebooks."""

from windlass.apps.notebooks.names import url_with_token
from windlass.kube.meta import Key

TOKEN = "wlp_abc-_1"


def test_a_url_has_the_token_in_jupyters_form() -> None:
    url = url_with_token("http://127.0.0.1:8080", Key("ml", "lab"), TOKEN)

    assert url == f"http://127.0.0.1:8080/notebook/ml/lab/?token={TOKEN}"
