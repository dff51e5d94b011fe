#!/usr/bin/env python3
"""A QEMU that is none: it speaks on the launcher's channels as Fathom would, and nothing else.

So the launcher is tested by itself, in milliseconds, in cases that a real guest cannot be made to show.
The program's name (init=/bin/NAME) chooses the behaviour, its arguments the details.
"""
import os
import re
import signal
import socket
import struct
import sys
import time

GARBAGE = bytes(range(256))


def split(text):
    """The words of a command line, as kernel/core/cmdline.h has it."""
    words = []
    for word in re.findall(r'(?:"(?:[^"\\]|\\.)*"|\\.|[^\s"\\])+', text, re.DOTALL):
        words.append(re.sub(r'\\(.)|"', lambda m: m.group(1) or "", word, flags=re.DOTALL))
    return words


def file_in(archive, name):
    """The bytes of the last file of that name; nothing when there is none."""
    found, at = b"", 0
    while at < len(archive):
        if archive[at:at + 4] == b"\0\0\0\0":
            at += 4
            continue
        size, name_size = (int(archive[at + i:at + i + 8], 16) for i in (54, 94))
        data_at = at + 110 + name_size + (-(at + 110 + name_size) % 4)
        if archive[at + 110:at + 110 + name_size - 1] == name:
            found = archive[data_at:data_at + size]
        at = data_at + size + (-size % 4)
    return found


class Guest:
    def __init__(self, argv):
        self.channels = {}
        for spec in argv:
            match = re.match(r"socket,id=(\w+),path=(\w+)$", spec)
            if match:
                self.channels[match.group(1)] = socket.socket(socket.AF_UNIX)
                self.channels[match.group(1)].connect(match.group(2))
        assert "file,id=log,path=log" in argv
        self.log_file = open("log", "wb", buffering=0)
        if "-append" in argv:
            self.command_line, files = argv[argv.index("-append") + 1], ("kernel", "initramfs")
        else:   # a CD, whose menu takes the words from an OEM string
            self.command_line = re.fullmatch(r"type=11,value=fathom \S+ (.*)", argv[argv.index("-smbios") + 1]).group(1)
            files = ("cd",)
        words = split(self.command_line)
        cut = words.index("--") if "--" in words else len(words)
        self.name = [w for w in words[:cut] if w.startswith("init=")][0].rpartition("/")[2]
        for name in files:
            with open(name, "rb") as f:
                setattr(self, name, f.read())
        if files == ("cd",):
            self.arguments = words[cut + 1:]
        else:
            self.arguments = [os.fsdecode(a) for a in file_in(self.initramfs, b"init.args").split(b"\0")[:-1]]

    def frame(self, kind, data=b""):
        self.channels["link"].sendall(struct.pack("<BH", kind, len(data)) + data)

    def out(self, data, kind=1):
        for at in range(0, len(data), 60000):
            self.frame(kind, data[at:at + 60000])

    def ask(self):
        self.frame(3)
        length, = struct.unpack("<H", self.channels["link"].recv(2, socket.MSG_WAITALL))
        return self.channels["link"].recv(length, socket.MSG_WAITALL) if length else b""

    def log(self, text):
        self.log_file.write(text.encode())

    def end(self, record, status=1):
        self.channels["result"].sendall(record.encode() + b"\n")
        sys.exit(status)

    def monitor_says(self, text):
        self.channels["monitor"].sendall(text + b"\r\n")

    def monitor_hears(self):
        return self.channels["monitor"].recv(4096)


def run(guest):
    name, args = guest.name, guest.arguments
    if name == "fail":
        sys.stderr.write("qemu: no such thing\n")
        sys.exit(1)
    if name == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "silent":
        time.sleep(float(args[0]))
    guest.log("fathom: hello\n")
    if name == "exit":
        guest.end("exit " + args[0])
    if name == "signal":
        guest.end("signal " + " ".join(args))
    if name == "panic":
        guest.log("panic: counts are wrong\n")
        guest.end("panic counts are wrong")
    if name == "poweroff":
        guest.end("poweroff", 0)
    if name == "nonsense":
        guest.end("sausage")
    if name == "linger":
        guest.channels["result"].sendall(b"exit 3\n")
        time.sleep(60)
    if name == "hang":
        guest.out(b"%d\n" % os.getpid())
        time.sleep(60)
    if name == "vanish":
        sys.exit(0)
    if name == "triple":
        guest.monitor_says(b'{"QMP": {}}')
        guest.monitor_hears()
        guest.monitor_says(b'{"event": "SHUTDOWN", "data": {"guest": true, "reason": "guest-reset"}}')
        guest.monitor_hears()
        guest.monitor_says(b'{"return": "RIP=ffffffff80001234 RFL=00000002\\r\\nCR2=0000000000000bad", "id": "registers"}')
        guest.monitor_hears()
        guest.monitor_says(b'{"event": "SHUTDOWN", "data": {"guest": false, "reason": "host-qmp-quit"}}')
        sys.exit(0)
    if name == "garbled":
        guest.channels["link"].sendall(b"\x09\x00\x00")
        time.sleep(60)
    if name == "bytes":
        guest.out(GARBAGE, 1)
        guest.out(GARBAGE[::-1], 2)
    if name == "turns":
        for i in range(200):
            guest.out(b"%d\n" % i, 1 + i % 2)
    if name == "big":
        guest.out((GARBAGE * 4096)[:int(args[0])])
    if name == "bytewise":
        for byte in b"\x01\x03\x00abc\x02\x01\x00d\x01\x00\x00":
            guest.channels["link"].sendall(bytes([byte]))
            time.sleep(0.002)
    if name == "cat":
        while True:
            data = guest.ask()
            if not data:
                break
            assert len(data) <= 4096
            guest.out(data)
        assert guest.ask() == b"", "the end of input can be read again"
        guest.out(b"|end")
    if name == "noinput":
        guest.out(b"never asked\n")
    if name == "arguments":
        guest.out(b"".join(os.fsencode(a) + b"\0" for a in args))
    if name == "command":
        guest.out(os.fsencode(guest.command_line))
    if name == "qemu":
        guest.out(os.fsencode("\n".join(sys.argv[1:])))
    if name == "initramfs":
        guest.out(guest.initramfs)
    if name == "terminal":
        console = guest.channels["console"]
        console.sendall(b"ready\r\n")
        console.sendall(b"got " + console.recv(64) + b"\r\n")
    guest.end("exit 0")


if __name__ == "__main__":
    run(Guest(sys.argv[1:]))
