"""A tree with a kernel and an initramfs that are none, the launcher in it, and assertions printed as TAP."""
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools"))

import cpio  # noqa: E402

FAKE = os.path.join(HERE, "fake_qemu.py")
GUEST_NAMES = ("fail crash silent exit signal panic poweroff nonsense linger hang vanish triple garbled bytes "
               "turns big bytewise cat noinput arguments command qemu initramfs terminal").split()


def children_of(pid):
    """The pids of pid's children, from /proc."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open("/proc/%s/stat" % entry) as f:
                    parent = int(f.read().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it ended meanwhile
            if parent == pid:
                found.append(int(entry))
    return found


def processes_with(text):
    """The pids of the processes whose command line has text in it, from /proc."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            try:
                with open("/proc/%s/cmdline" % entry, "rb") as f:
                    words = f.read()
            except OSError:
                continue
            if os.fsencode(text) in words:
                found.append(int(entry))
    return found


class Tree:
    """A checkout whose path has a space, a comma and more than 108 bytes."""

    def __init__(self):
        self.base = tempfile.mkdtemp()
        self.root = os.path.join(self.base, "a, b " + "long" * 30)
        shutil.copytree(os.path.join(ROOT, "tools"), os.path.join(self.root, "tools"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        os.makedirs(os.path.join(self.root, "build", "x86_64"))
        with open(os.path.join(self.root, "build", "x86_64", "fathom.elf"), "w") as f:
            f.write("kernel")
        archive = cpio.Archive()
        for name in GUEST_NAMES:
            archive.add_file("/bin/" + name, FAKE)
        archive.add_link("/bin/alias", "exit")
        archive.add_link("/usr", "/bin")
        with open(os.path.join(self.root, "build", "initramfs.cpio"), "wb") as f:
            f.write(archive.to_bytes())
        self.run_path = os.path.join(self.root, "tools", "run")
        self.environment = dict(os.environ, FATHOM_QEMU=FAKE)
        for name in ("FATHOM_QEMU_ARGS", "FATHOM_KVM"):
            self.environment.pop(name, None)

    def run(self, *args, **more):
        """The finished run: returncode, stdout, stderr as bytes."""
        if "input" not in more:
            more.setdefault("stdin", subprocess.DEVNULL)
        environment = dict(self.environment, **more.pop("env", {}))
        more.setdefault("cwd", self.root)
        return subprocess.run([self.run_path, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              env=environment, **more)

    def start(self, *args, **more):
        return subprocess.Popen([self.run_path, *args], env=self.environment, cwd=self.root, **more)

    def leftovers(self):
        place = os.path.join(self.root, "build", "run")
        return os.listdir(place) if os.path.isdir(place) else []

    def remove(self):
        shutil.rmtree(self.base, ignore_errors=True)


def same(got, wanted, what):
    if got != wanted:
        raise AssertionError("%s: got %.300r, wanted %.300r" % (what, got, wanted))


def holds(truth, what):
    if not truth:
        raise AssertionError(what)


class Checkout(Tree):
    """This very checkout, with what is built in it, and the real QEMU."""

    def __init__(self):
        self.base = tempfile.mkdtemp()
        self.root = ROOT
        self.run_path = os.path.join(ROOT, "tools", "run")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("FATHOM_")}

    def leftovers(self):
        return []   # other tests run machines at the same time


def main(tests, tree_kind=Tree):
    """Run the functions, one TAP line each, each with a fresh tree."""
    print("1..%d" % len(tests), flush=True)
    failed = 0
    for number, test in enumerate(tests, 1):
        tree = tree_kind()
        try:
            test(tree)
            same(tree.leftovers(), [], "what is left in build/run")
            print("ok %d - %s" % (number, test.__doc__), flush=True)
        except Exception:
            failed += 1
            print("not ok %d - %s" % (number, test.__doc__), flush=True)
            print("".join("# %s\n" % line for line in traceback.format_exc().split("\n")), file=sys.stderr)
        finally:
            tree.remove()
    sys.exit(1 if failed else 0)
