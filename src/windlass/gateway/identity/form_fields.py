"""Posted forms: their text fields, URL-encoded and small."""

from itertools import chain

from aiohttp import web

LARGEST_FORM = 16_384


def is_too_large(request: web.Request) -> bool:
    return (request.content_length or 0) > LARGEST_FORM


async def text_fields(request: web.Request) -> dict[str, str]:
    """A posted form, URL-encoded as OAuth wants it; 400 for bytes that are none in the charset that the client says,
    and 413 for too many."""
    if request.content_type.startswith("multipart/"):
        raise web.HTTPUnsupportedMediaType(text="415: the form must be application/x-www-form-urlencoded\n")
    try:
        # Also without a Content-Length no more is held than a form has.
        form = await request.clone(client_max_size=LARGEST_FORM).post()
    except (ValueError, LookupError) as error:  # not in the charset, or an unknown one
        raise web.HTTPBadRequest(text="400: the form cannot be read\n") from error
    fields = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        "".join(chain(*fields.items())).encode()
    except UnicodeEncodeError as error:  # half of a pair of code units, which some charsets can say
        raise web.HTTPBadRequest(text="400: the form is not Unicode text\n") from error
    return fields
