"""TokenReview for the API server: it asks here, on a socket of this user alone, about tokens that it does not know."""

from typing import Any

from aiohttp import web

from windlass.gateway.tokens.bearer import BearerTokens

PATH = "/token-review"


def application(tokens: BearerTokens) -> web.Application:
    async def answer(request: web.Request) -> web.Response:
        try:
            review: Any = await request.json()
            token = str(review["spec"]["token"])
        except (ValueError, KeyError, TypeError):
            return web.json_response({"error": "not a TokenReview"}, status=400)
        identity = tokens.of_person(token, "api")
        status: dict[str, Any] = {"authenticated": identity is not None}
        if identity is not None:
            status["user"] = {"username": identity.user, "groups": list(identity.groups)}
        return web.json_response({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "status": status})

    app = web.Application()
    app.router.add_post(PATH, answer)
    return app
