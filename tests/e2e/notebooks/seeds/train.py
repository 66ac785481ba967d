"""What the documents train, without TensorFlow and without the internet: ten classes, five epochs, events in ./logs.

Digits are noise around one picture a class; the model is a softmax layer. The event file is written as TensorFlow's
callback writes it: a run `train` with the tags `epoch_loss` and `epoch_accuracy`.
"""

import math
import random
import struct
import sys
import time
from pathlib import Path

CLASSES, PIXELS, PICTURES, EPOCHS, RATE = 10, 16, 200, 5, 0.5


def crc32c(data: bytes) -> int:
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def checksum(data: bytes) -> bytes:
    value = crc32c(data)
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def event(step: int, tag: str, value: float) -> bytes:
    number = b"\x0a" + bytes([len(tag)]) + tag.encode() + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(number)]) + number
    data = b"\x09" + struct.pack("<d", time.time()) + bytes([0x10, step, 0x2A, len(summary)]) + summary
    length = struct.pack("<Q", len(data))
    return length + checksum(length) + data + checksum(data)


def softmax(weights: list[list[float]], picture: list[float]) -> list[float]:
    scores = [math.exp(sum(w * p for w, p in zip(row, picture, strict=True))) for row in weights]
    return [score / sum(scores) for score in scores]


def epoch(weights: list[list[float]], pictures: list[tuple[int, list[float]]]) -> tuple[float, float]:
    """The mean loss and the accuracy, while learning."""
    loss, right = 0.0, 0
    for digit, picture in pictures:
        guess = softmax(weights, picture)
        loss -= math.log(guess[digit])
        right += guess.index(max(guess)) == digit
        for one, row in enumerate(weights):
            error = guess[one] - (one == digit)
            row[:] = [w - RATE * error * p for w, p in zip(row, picture, strict=True)]
    return loss / len(pictures), right / len(pictures)


def main() -> None:
    chance = random.Random(0)
    patterns = [[chance.random() for _ in range(PIXELS)] for _ in range(CLASSES)]
    digits = [chance.randrange(CLASSES) for _ in range(PICTURES)]
    pictures = [(digit, [p + chance.gauss(0, 0.05) for p in patterns[digit]]) for digit in digits]
    weights = [[0.0] * PIXELS for _ in range(CLASSES)]
    folder = Path("logs/train")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"events.out.tfevents.{int(time.time())}.notebook").open("wb") as file:
        for step in range(EPOCHS):
            loss, accuracy = epoch(weights, pictures)
            file.write(event(step, "epoch_loss", loss) + event(step, "epoch_accuracy", accuracy))
            sys.stdout.write(f"Epoch {step + 1}/{EPOCHS} - loss: {loss:.4f} - accuracy: {accuracy:.4f}\n")


if __name__ == "__main__":
    main()
