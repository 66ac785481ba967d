"""Prints the models and routes of the package kfp-server-api as JSON; run by its own Python."""

import inspect
import json
import re
import sys
from typing import Any

import kfp_server_api  # pyright: ignore[reportMissingImports] - another environment
from kfp_server_api import models  # pyright: ignore[reportMissingImports] - another environment

ROUTE = re.compile(r"'/apis/v2beta1/([^']+)', '([A-Z]+)'")


def main() -> None:
    found: dict[str, Any] = {name: model for name, model in vars(models).items() if inspect.isclass(model)}
    fields = {name: sorted(model.attribute_map.values()) for name, model in found.items() if model.attribute_map}
    values = {name: model.allowable_values for name, model in found.items() if hasattr(model, "allowable_values")}
    services = {name: api for name, api in vars(kfp_server_api).items() if name.endswith("ServiceApi")}
    routes = {name: ROUTE.findall(inspect.getsource(api)) for name, api in services.items()}
    sys.stdout.write(json.dumps({"fields": fields, "values": values, "routes": routes}))


main()
