"""Event files: two that real writers wrote, and a small writer for any others."""

import struct

from windlass.formats.tfrecord import masked_crc32c

TENSORBOARDX = bytes.fromhex(
    "1800000000000000a37f4b22095b7bc9f806bfda411a0d627261696e2e4576656e743a32b9487a0a1e00000000000000d9dc1232090000"
    "0040fc54d9412a130a110a0a747261696e2f6c6f7373150000803f773293ec200000000000000029eda9500900004040fc54d94110012a"
    "130a110a0a747261696e2f6c6f7373150000003f34d0099c200000000000000029eda9500900008040fc54d94110022a130a110a0a7472"
    "61696e2f6c6f737315abaaaa3e7e4aa74e3e00000000000000d9d240e7090000c040fc54d94110012a310a2f0a126e6f7465732f746578"
    "745f73756d6d617279420f0807120412020801420568656c6c6f4a080a060a04746578742ecbda3d"
)
"""Written by tensorboardX 2: the scalar `train/loss` with 1, 1/2, 1/3 at the steps 0, 1, 2, and a text."""

TENSORBOARD = bytes.fromhex(
    "4800000000000000fe92489d09448a87ff06bfda411a0d627261696e2e4576656e743a32522e0a2c74656e736f72626f6172642e73756d"
    "6d6172792e7772697465722e6576656e745f66696c655f77726974657276e3f43a3800000000000000a3797d570900002040fc54d9412a"
    "2d0a2b0a0b6163632f666c6f61743332420a080112002a040000803f4a100a090a077363616c6172731203616363e90586153e00000000"
    "000000d9d240e70900002040fc54d94110012a310a2f0a0b6163632f666c6f61743634420e080212003208000000000000f03f4a100a09"
    "0a077363616c6172731203616363affcd0c23800000000000000a3797d570900002040fc54d94110022a2b0a290a0b6163632f666c6f61"
    "7431364208081312006a0280784a100a090a077363616c61727312036163636c6f38523500000000000000d6c55de60900002040fc54d9"
    "4110032a280a260a096163632f696e7433324207080312003a01014a100a090a077363616c61727312036163637e7ebc0d350000000000"
    "0000d6c55de60900002040fc54d94110042a280a260a096163632f696e7436344207080912005201014a100a090a077363616c61727312"
    "0361636320c6ea013500000000000000d6c55de60900002040fc54d94110052a280a260a096163632f75696e74384207080412003a0101"
    "4a100a090a077363616c6172731203616363cc9c119034000000000000005e33175c0900002040fc54d94110062a270a250a086163632f"
    "626f6f6c4207080a12005a01014a100a090a077363616c61727312036163638cc8217e31000000000000009d8383e909000000000000f0"
    "3f10ffffffffffffffffff012a1b0a190a037665634212080112041202080222080000803f000000402c80f3d0"
)
"""Written by TensorBoard 2's own writer: a scalar tensor 1 of every type with metadata, and a vector."""


def record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", masked_crc32c(length)) + data + struct.pack("<I", masked_crc32c(data))


def varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def event(step: int, wall_time: float, *values: bytes) -> bytes:
    """A record with an Event whose summary has the given values."""
    summary = b"".join(field(1, value) for value in values)
    return record(b"\x09" + struct.pack("<d", wall_time) + field(2, step) + field(5, summary))


def simple(tag: str, value: float) -> bytes:
    return field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)


def tensor(tag: str, content: bytes, dtype: int = 1, shape: tuple[int, ...] = (), plugin: str = "") -> bytes:
    dimensions = b"".join(field(2, field(1, size)) for size in shape)
    metadata = field(9, field(1, field(1, plugin.encode()))) if plugin else b""
    return field(1, tag.encode()) + field(8, field(1, dtype) + field(2, dimensions) + field(4, content)) + metadata
