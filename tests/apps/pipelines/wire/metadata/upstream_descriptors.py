"""Prints the messages of the package ml-metadata as JSON; run by its own Python."""

import json
import sys

from ml_metadata.proto import metadata_store_service_pb2  # pyright: ignore[reportMissingImports] - another environment

MAX_DEPTH = 6
service = metadata_store_service_pb2.DESCRIPTOR.services_by_name["MetadataStoreService"]


def shown(message, depth=0):  # type: ignore[no-untyped-def]
    return {
        field.name: {
            "number": field.number,
            "type": field.type,
            "is_list": field.label == field.LABEL_REPEATED,
            "message": shown(field.message_type, depth + 1) if field.message_type and depth < MAX_DEPTH else None,
            "names": {value.number: value.name for value in field.enum_type.values} if field.enum_type else None,
        }
        for field in message.fields
    }


methods = {each.name: [shown(each.input_type), shown(each.output_type)] for each in service.methods}
sys.stdout.write(json.dumps(methods))
