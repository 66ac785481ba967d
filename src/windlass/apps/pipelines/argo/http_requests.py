"""http templates: a request that a small program makes in a pod, so with the pod's network and rights only."""

from typing import Any

from windlass.apps.pipelines.argo.language.expressions import ExpressionError, is_true
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.kube.json import Object, dig, dig_list, dig_object, encode, parse

IMAGE = "python:3.11"
RESPONSE, RESPONSE_PATH = "http-response", "/tmp/http-response.json"
"""The output parameter that has status and headers; the body is the result."""
TIMEOUT_SECONDS = 30
CONDITION = "successCondition"

PROGRAM = """
import base64, json, os, ssl, sys, urllib.error, urllib.request

wanted = json.loads(os.environ["HTTP_REQUEST"])
headers = {h["name"]: os.environ.get(f"HTTP_HEADER_{n}", h.get("value", "")) for n, h in enumerate(wanted["headers"])}
body = base64.b64decode(wanted["bytes"]) if wanted["bytes"] else wanted["body"].encode() or None
request = urllib.request.Request(wanted["url"], data=body, headers=headers, method=wanted["method"])
context = ssl._create_unverified_context() if wanted["insecure"] else ssl.create_default_context()
try:
    response = urllib.request.urlopen(request, timeout=wanted["timeout"], context=context)
except urllib.error.HTTPError as error:
    response = error
except (OSError, ValueError) as error:
    sys.exit(f"{wanted['method']} {wanted['url']}: {error}")
content = response.read().decode(errors="replace")
received = {}
for name, value in response.headers.items():
    received.setdefault(name, []).append(value)
with open(wanted["path"], "w") as file:
    json.dump({"statusCode": response.status, "headers": received}, file)
sys.stdout.write(content)
sys.stdout.flush()
if wanted["is_checked"] and not 200 <= response.status < 300:
    sys.exit(f"received non-2xx response code: {response.status}")
"""


def as_script(template: Object) -> Object:
    """The script template that makes the request of an http template, whose tags were replaced."""
    http = dig_object(template, "http")
    headers = [header for header in dig_list(http, "headers") if dig(header, "name")]
    request: Object = {
        "url": str(http.get("url") or ""),
        "method": str(http.get("method") or "GET"),
        "headers": [{"name": header["name"], "value": str(header.get("value") or "")} for header in headers],
        "body": str(http.get("body") or ""),
        "bytes": str(dig(http, "bodyFrom", "bytes") or ""),
        "timeout": http.get("timeoutSeconds") or TIMEOUT_SECONDS,
        "insecure": bool(http.get("insecureSkipVerify")),
        "is_checked": not http.get(CONDITION),
        "path": RESPONSE_PATH,
    }
    environment: list[Object] = [{"name": "HTTP_REQUEST", "value": encode(request).decode()}]
    for number, header in enumerate(headers):
        secret = dig(header, "valueFrom", "secretKeyRef")
        if secret is not None:
            environment.append({"name": f"HTTP_HEADER_{number}", "valueFrom": {"secretKeyRef": secret}})
    outputs = dig_object(template, "outputs")
    response: Object = {"name": RESPONSE, "valueFrom": {"path": RESPONSE_PATH, "default": ""}}
    return {
        **{name: value for name, value in template.items() if name != "http"},
        "script": {"image": IMAGE, "command": ["python3"], "source": PROGRAM, "env": environment},
        "outputs": {**outputs, "parameters": [*dig_list(outputs, "parameters"), response]},
        CONDITION: str(http.get(CONDITION) or ""),
    }


def judged(template: Object, outputs: Object) -> tuple[Object, str]:
    """The outputs of an http node without the response's own, and why its condition does not hold; empty if it does."""
    given = next((item for item in dig_list(outputs, "parameters") if item["name"] == RESPONSE), None)
    if given is None:
        return outputs, ""
    kept = [item for item in dig_list(outputs, "parameters") if item["name"] != RESPONSE]
    rest = {name: value for name, value in outputs.items() if name != "parameters"}
    made: Object = {**rest, "parameters": kept} if kept else rest
    condition = str(template.get(CONDITION) or "")
    if not condition:
        return made, ""
    try:
        response: Any = parse(str(given["value"]))
        values = {
            "response": {**response, "body": outputs.get("result", "")},
            "response.statusCode": response["statusCode"],
            "response.body": outputs.get("result", ""),
            "response.headers": response["headers"],
        }
        holds = is_true(condition, Scope(values))
    except (ExpressionError, Unresolved, ValueError, KeyError, TypeError) as error:
        return made, f"successCondition: {error}"
    return made, "" if holds else f"successCondition '{condition}' evaluated false"
