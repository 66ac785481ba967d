"""Google's own protobuf library, for the messages that our declarations describe."""

from typing import Any

from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.message import Message as RealMessage

from windlass.formats.protobuf_descriptors import GOOGLE_FILES, Signatures, file_descriptor, google_file


class RealProtobuf:
    """A package's messages, by name."""

    def __init__(self, package: str, services: Signatures) -> None:
        self._package = package
        self._pool = descriptor_pool.DescriptorPool()
        for name in GOOGLE_FILES:
            self._pool.AddSerializedFile(google_file(name))
        self._pool.AddSerializedFile(file_descriptor(f"{package}.proto", package, services))

    def empty(self, name: str) -> RealMessage:
        full = name if "." in name else f"{self._package}.{name}"
        return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(full))()

    def of_bytes(self, name: str, data: bytes) -> RealMessage:
        message = self.empty(name)
        message.ParseFromString(data)
        return message

    def of_json(self, name: str, document: Any) -> RealMessage:
        return json_format.ParseDict(document, self.empty(name), descriptor_pool=self._pool)

    def json(self, message: RealMessage) -> Any:
        return json_format.MessageToDict(message, preserving_proto_field_name=True, descriptor_pool=self._pool)
