"""XML documents of S3: built from elements, and parsed without document types, so without entities."""

import re
from collections.abc import Iterable
from typing import TypeAlias
from urllib.parse import quote
from xml.etree.ElementTree import Element, TreeBuilder, tostring
from xml.parsers.expat import ExpatError, ParserCreate

from windlass.apps.pipelines.web.s3.protocol.errors import S3Error

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
MAX_DEPTH = 8
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

Content: TypeAlias = "str | int | bool | Iterable[Element | None]"


def element(name: str, content: Content = "") -> Element:
    """Return an element with a text, or with children; a child that is None is left out."""
    made = Element(name)
    if isinstance(content, bool):
        made.text = "true" if content else "false"
    elif isinstance(content, str | int):
        made.text = _NOT_XML.sub("\ufffd", str(content))
    else:
        made.extend(child for child in content if child is not None)
    return made


def document(root: Element) -> bytes:
    """Return the text of a document in the namespace of S3."""
    root.set("xmlns", NAMESPACE)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="utf-8")


def error_document(error: S3Error, resource: str, request_id: str) -> bytes:
    parts = [
        element("Code", error.code),
        element("Message", error.message),
        element("Resource", quote(resource, safe="/")),
        element("RequestId", request_id),
    ]
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(element("Error", parts), encoding="utf-8")


def parse(body: bytes, root: str) -> Element:
    """Parse a document whose outermost element is `root`. Raises S3Error MalformedXML; names lose their namespace."""
    builder = TreeBuilder()
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise malformed("it is nested too deeply")
        builder.start(name.rpartition(" ")[2], {})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(name.rpartition(" ")[2])

    def refuse(*_: object) -> None:
        raise malformed("a document type is not permitted")

    parser = ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(body, True)
    except (ExpatError, ValueError, LookupError) as error:  # LookupError: an encoding that Python does not know
        raise malformed(str(error)) from error
    tree = builder.close()
    if tree.tag != root:
        raise malformed(f"the outermost element is {tree.tag}, not {root}")
    return tree


def malformed(reason: str) -> S3Error:
    return S3Error("MalformedXML", f"The XML of the request is not valid: {reason}.")


def text_of(parent: Element, name: str) -> str:
    """Return the text of a child; empty if there is none."""
    return (parent.findtext(name) or "").strip("\r\n\t") if parent.find(name) is not None else ""
