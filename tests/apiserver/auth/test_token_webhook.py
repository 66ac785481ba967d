"""Tokens that a webhook verifies: asked once, remembered for a while, refused where it does not answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from windlass.apiserver.auth.authenticate import Authenticator
from windlass.apiserver.auth.jws import BadToken
from windlass.apiserver.auth.reviews import token_review
from windlass.apiserver.auth.token_webhook import ReviewNeeded, TokenWebhook, user_of
from windlass.kube.errors import Unauthorized


class Webhook:
    """Knows one token, and counts how often it is asked."""

    def __init__(self, folder: Path) -> None:
        self.socket, self.config = folder / "webhook.sock", folder / "webhook.kubeconfig"
        self.asked = 0
        self.known = True
        cluster = {"name": "a", "cluster": {"server": f"unix://{self.socket}:/review"}}
        self.config.write_text(json.dumps({"clusters": [cluster]}))

    async def answer(self, request: web.Request) -> web.Response:
        self.asked += 1
        review = await request.json()
        is_good = self.known and review["spec"]["token"] == "good"
        user = {"username": "ann@example.com", "groups": ["ml"], "extra": {"a": ["b"]}}
        return web.json_response({"status": {"authenticated": is_good, "user": user if is_good else {}}})

    async def serve(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_post("/review", self.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.UnixSite(runner, str(self.socket)).start()
        return runner


async def test_a_token_is_asked_about_once_and_again_when_the_answer_is_old(tmp_path: Path) -> None:
    webhook, now = Webhook(tmp_path), 0.0
    runner = await webhook.serve()
    try:
        tokens = TokenWebhook(webhook.config, 10, lambda: now)
        authenticator = Authenticator(webhook=tokens, now=lambda: now)
        for _ in range(3):
            user = await authenticator.authenticate_fetching(b"Bearer good")
            assert (user.name, user.groups) == ("ann@example.com", ("ml", "system:authenticated"))
        assert webhook.asked == 1
        with pytest.raises(Unauthorized):
            await authenticator.authenticate_fetching(b"Bearer bad")
        with pytest.raises(Unauthorized):
            await authenticator.authenticate_fetching(b"Bearer bad")
        assert webhook.asked == 2, "a refusal is remembered, too"
        webhook.known, now = False, 11.0
        with pytest.raises(Unauthorized):
            await authenticator.authenticate_fetching(b"Bearer good")
        await tokens.close()
    finally:
        await runner.cleanup()


async def test_a_webhook_that_does_not_answer_refuses_and_is_asked_again(tmp_path: Path) -> None:
    webhook = Webhook(tmp_path)
    tokens = TokenWebhook(webhook.config, 10)
    authenticator = Authenticator(webhook=tokens)
    with pytest.raises(Unauthorized):
        await authenticator.authenticate_fetching(b"Bearer good")
    runner = await webhook.serve()
    try:
        assert (await authenticator.authenticate_fetching(b"Bearer good")).name == "ann@example.com"
        review: dict[str, Any] = {"spec": {"token": "good"}}
        assert (await token_review(authenticator, review))["status"]["user"]["username"] == "ann@example.com"
        await tokens.close()
    finally:
        await runner.cleanup()


def test_without_a_webhook_unknown_tokens_are_refused_at_once() -> None:
    with pytest.raises(BadToken):
        Authenticator().verify_token("wlp_x")


def test_a_review_is_needed_first(tmp_path: Path) -> None:
    with pytest.raises(ReviewNeeded):
        TokenWebhook(tmp_path / "none", 10).verify("x")


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"authenticated": False, "user": {"username": "a"}},
        {"authenticated": True},
        {"authenticated": "yes", "user": {"username": "a"}},
    ],
)
def test_an_answer_that_names_nobody_is_a_refusal(status: dict[str, Any]) -> None:
    assert user_of({"status": status}) is None
