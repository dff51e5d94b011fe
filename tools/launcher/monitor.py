"""QEMU's monitor: what QEMU itself knows when the machine dies without a word.

After a triple fault (or a power-off of any kind) QEMU stops the machine instead of ending (-no-reboot,
-no-shutdown) and sends an event. We then ask for the registers, which are still those of the instruction
that could not go on, and tell QEMU to quit. The protocol is QMP: one JSON object a line.
"""
import json
import re
import struct

SHT_SYMTAB = 2
STT_FUNC = 2


class Monitor:
    def __init__(self):
        self.buffer = b""
        self.reason = None      # why the machine stopped, in QEMU's words
        self.registers = None   # text of "info registers", after a reset that nobody asked for

    def feed(self, data):
        """Take what arrived; returns what has to be sent."""
        self.buffer += data
        replies = b""
        while b"\n" in self.buffer:
            line, _, self.buffer = self.buffer.partition(b"\n")
            try:
                message = json.loads(line)
            except ValueError:
                continue
            replies += b"".join(json.dumps(reply).encode() + b"\n" for reply in self.answer(message))
        return replies

    def answer(self, message):
        if "QMP" in message:
            return [{"execute": "qmp_capabilities"}]
        if message.get("event") == "SHUTDOWN" and self.reason is None:   # our "quit" is a second one
            self.reason = message.get("data", {}).get("reason", "unknown")
            if self.reason != "guest-reset":
                return [{"execute": "quit"}]
            return [{"execute": "human-monitor-command", "id": "registers",
                     "arguments": {"command-line": "info registers"}}]
        if message.get("id") == "registers":
            self.registers = str(message.get("return", ""))
            return [{"execute": "quit"}]
        return []


def functions(kernel):
    """(address, name) of the kernel's functions; empty when the file cannot be read."""
    try:
        with open(kernel, "rb") as f:
            elf = f.read()
        offset, = struct.unpack_from("<Q", elf, 40)
        size, count = struct.unpack_from("<HH", elf, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", elf, offset + i * size) for i in range(count)]
        found = []
        for kind, at, length, strings in [(s[1], s[4], s[5], s[6]) for s in sections]:
            if kind != SHT_SYMTAB:
                continue
            names = sections[strings][4]
            for name, info, _, _, value, _ in struct.iter_unpack("<IBBHQQ", elf[at:at + length]):
                if info & 15 == STT_FUNC or (info & 15 == 0 and value >> 63 and name):
                    end = elf.index(b"\0", names + name)
                    found.append((value, elf[names + name:end].decode("ascii", "replace")))
        return sorted(found)
    except (OSError, struct.error, IndexError, ValueError):
        return []


def place(kernel, address):
    """"name+0x12" of an address, or its number alone."""
    before = [entry for entry in functions(kernel) if entry[0] <= address]
    if not before or address - before[-1][0] > 0x10000:
        return "0x%x" % address
    return "0x%x, %s+0x%x" % (address, before[-1][1], address - before[-1][0])


def explain(monitor, kernel):
    """What is known of a machine that stopped by itself, as text."""
    if monitor.reason is None:
        return "the machine ended without saying why"
    if monitor.reason != "guest-reset":
        return "the machine powered off without a result (%s)" % monitor.reason
    text = "the machine died of a triple fault: an exception came while the CPU could not deliver one"
    values = dict(re.findall(r"\b(RIP|RSP|CR2|CR3)=([0-9a-f]+)", monitor.registers or ""))
    if "RIP" in values:
        text += "\n  at RIP %s" % place(kernel, int(values["RIP"], 16))
        text += "".join("\n  %s 0x%s" % (name, values[name]) for name in ("RSP", "CR2", "CR3") if name in values)
    return text
