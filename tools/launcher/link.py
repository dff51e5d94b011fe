"""The frames on COM3 that carry the guest's standard input and output.

Guest to host: 1 byte type, 2 bytes length (little-endian), bytes.  1: stdout, 2: stderr, 3: wants input.
Host to guest: 2 bytes length, bytes; length 0 is the end of input.

The host sends one frame of at most 4096 bytes for each type-3 frame, so the guest's buffer cannot overflow.
"""
import struct

STDOUT, STDERR, WANT_INPUT = 1, 2, 3
INPUT_MAX = 4096
HEADER = struct.Struct("<BH")


class GarbledLink(Exception):
    """The guest does not keep to the protocol: whatever sent this is no longer the kernel we know."""


class Reader:
    """Cuts what arrives into frames."""

    def __init__(self):
        self.buffer = bytearray()

    def feed(self, data):
        """A list of (type, bytes) that are now complete."""
        self.buffer += data
        frames = []
        at = 0
        while len(self.buffer) - at >= HEADER.size:
            kind, length = HEADER.unpack_from(self.buffer, at)
            if kind not in (STDOUT, STDERR, WANT_INPUT):
                raise GarbledLink("a frame of unknown type %d on the stdio link" % kind)
            end = at + HEADER.size + length
            if len(self.buffer) < end:
                break
            frames.append((kind, bytes(self.buffer[at + HEADER.size:end])))
            at = end
        del self.buffer[:at]
        return frames


def input_frame(data):
    assert len(data) <= INPUT_MAX
    return struct.pack("<H", len(data)) + data
