#!/usr/bin/env python3
"""cpio.py: writes and lists cpio "newc" archives, the format of the initramfs.

    tools/cpio.py OUT [dir:/PATH | file:/PATH=HOST | link:/PATH=TARGET | @LIST]...

LIST is a file with one of these a line. A file of the host that is named later replaces an earlier one.

The same input gives the same bytes: entries are sorted, times are 0, owner is 0, inode numbers count
up, and of the host's modes only "may be executed" survives. Parents that are not named are made.
The launcher uses Archive for the second archive that carries the reader's program, and names() to
look into the first one. The format is the one of Linux's Documentation/driver-api/early-userspace/
buffer-format.rst: a header of 13 hexadecimal numbers of 8 digits, the name, the bytes, each padded to 4.
"""
import io
import os
import stat
import sys

MAGIC = b"070701"
HEADER_SIZE = 110
TRAILER = "TRAILER!!!"
SIZE_MAX = 0xffffffff   # eight hexadecimal digits
CHUNK = 1 << 20


class HostFile:
    """Bytes that are still in a file of the host. They are copied when the archive is written."""

    def __init__(self, path, size):
        self.path, self.size = path, size

    def __len__(self):
        return self.size

    def copy_to(self, out):
        left = self.size
        with open(self.path, "rb") as f:
            while left:
                data = f.read(min(left, CHUNK))
                if not data:
                    raise ValueError("%s became shorter while it was read" % self.path)
                out.write(data)
                left -= len(data)


class Archive:
    """Entries by guest path: (mode, bytes or HostFile). The last one added for a path counts."""

    def __init__(self):
        self.entries = {}

    @staticmethod
    def clean(path):
        """The path as it stands in the archive: no leading slash, no dots."""
        return os.path.normpath("/" + path).lstrip("/")

    def put(self, path, mode, data):
        """ValueError for what no archive can hold."""
        path = self.clean(path)
        if len(data) > SIZE_MAX:
            raise ValueError("%s has more than the 4 GiB that a file in a cpio archive can have" % path)
        before, _ = self.entries.get(path, (mode, None))
        if stat.S_IFMT(before) != stat.S_IFMT(mode):
            raise ValueError("/%s is added twice, as different kinds of file" % path)
        self.entries[path] = (mode, data)

    def add_dir(self, path):
        self.put(path, stat.S_IFDIR | 0o755, b"")

    def add_link(self, path, target):
        self.put(path, stat.S_IFLNK | 0o777, os.fsencode(target))

    def add_file(self, path, host):
        """A host file, or a directory with all below it, in which links stay links. Where the host's name is
        a link it is followed. Nothing is opened here that could make us wait. ValueError for other kinds."""
        self.add_kind(path, host, os.stat(host))

    def add_kind(self, path, host, found):
        if stat.S_ISDIR(found.st_mode):
            self.add_dir(path)
            for name in os.listdir(host):
                below = os.path.join(host, name)
                self.add_kind(path + "/" + name, below, os.lstat(below))
        elif stat.S_ISLNK(found.st_mode):
            self.add_link(path, os.readlink(host))
        elif stat.S_ISREG(found.st_mode):
            mode = stat.S_IFREG | (0o755 if found.st_mode & 0o111 else 0o644)
            self.put(path, mode, HostFile(host, found.st_size))
        else:
            raise ValueError("%s is neither a file nor a directory" % host)

    def with_parents(self, known):
        """All entries and the parents they need beyond those in `known`."""
        entries = dict(self.entries)
        for path in self.entries:
            parent = os.path.dirname(path)
            while parent and parent not in known:
                entries.setdefault(parent, (stat.S_IFDIR | 0o755, b""))
                parent = os.path.dirname(parent)
        entries.pop("", None)
        return entries

    def size(self):
        """About how many bytes will be written."""
        return sum(len(data) for _, data in self.entries.values())

    def write(self, out, known=()):
        """The archive to an open file."""
        entries = self.with_parents(known)
        for inode, path in enumerate(sorted(entries), 1):
            mode, data = entries[path]
            out.write(header(inode, mode, path, len(data)))
            if isinstance(data, HostFile):
                data.copy_to(out)
            else:
                out.write(data)
            out.write(padding(len(data)))
        out.write(header(0, 0, TRAILER, 0))

    def to_bytes(self, known=()):
        out = io.BytesIO()
        self.write(out, known)
        return out.getvalue()


def padding(size):
    return b"\0" * (-size % 4)


def header(inode, mode, path, size):
    name = os.fsencode(path) + b"\0"
    links = 2 if stat.S_ISDIR(mode) else 1
    fields = (inode, mode, 0, 0, links, 0, size, 0, 0, 0, 0, len(name), 0)
    text = MAGIC + b"".join(b"%08X" % field for field in fields) + name
    return text + padding(len(text))


def names(data):
    """{path: (mode, link target or None)} of all archives in `data`; ValueError with the offset if damaged."""
    found = {}
    at = 0
    while at < len(data):
        if data[at:at + 4] == b"\0\0\0\0":
            at += 4
            continue
        header = data[at:at + HEADER_SIZE]
        if len(header) < HEADER_SIZE or header[:6] != MAGIC:
            raise ValueError("no cpio newc header at offset %d" % at)
        fields = [int(header[6 + 8 * i:14 + 8 * i], 16) for i in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name_at = at + HEADER_SIZE
        data_at = (name_at + name_size + 3) & ~3
        if data_at + size > len(data):
            raise ValueError("the entry at offset %d is cut off" % at)
        name = os.fsdecode(data[name_at:name_at + name_size - 1])
        at = (data_at + size + 3) & ~3
        if name != TRAILER:
            target = os.fsdecode(data[data_at:data_at + size]) if stat.S_ISLNK(mode) else None
            found[Archive.clean(name)] = (mode, target)
    return found


def read_lists(specs):
    for spec in specs:
        if not spec.startswith("@"):
            yield spec
            continue
        with open(spec[1:]) as f:
            yield from f.read().splitlines()


def main(argv):
    if len(argv) < 2 or argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(argv) > 1 else 2
    archive = Archive()
    for spec in read_lists(argv[2:]):
        kind, colon, rest = spec.partition(":")
        path, _, source = rest.partition("=")
        if kind == "dir" and path:
            archive.add_dir(path)
        elif kind == "file" and source:
            archive.add_file(path, source)
        elif kind == "link" and source:
            archive.add_link(path, source)
        else:
            sys.exit("cpio.py: cannot read %r; see --help" % spec)
    scratch = argv[1] + ".new"
    with open(scratch, "wb") as out:
        archive.write(out)
    os.replace(scratch, argv[1])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv))
    except (OSError, ValueError) as error:
        sys.exit("cpio.py: %s" % error)
