"""The launcher's command line, and its own errors (exit status 125)."""
import argparse
import os
import re
import signal
import stat
import sys

from launcher import words

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

TIMEOUT = 124
OWN_ERROR = 125
MACHINE_DIED = 126

DESCRIPTION = "Boot Fathom in QEMU, run PROG in it as the one foreground program, and exit with its status."

EPILOG = """\
which program
  NAME          a name without a slash: /bin/NAME of the guest
  /PATH         the guest's file if the initramfs has it, else the host's file of that path
  ./PATH a/b    the host's file if there is one, else the guest's /PATH
  A host file has to be a static ELF program. It is put into the guest as /bin/NAME, for this run only.
  Its arguments may be any bytes, 128 KiB each and 2 MiB together, as on Linux.

exit status
  0 to 255      the program's own
  128+N         a signal N ended it (139: SIGSEGV)
  124           it was still running after --timeout
  125           the launcher's own error: wrong option, no kernel, no QEMU, QEMU failed
  126           the kernel panicked or the machine died; the kernel log is printed on stderr

standard input and output
  When stdin, stdout and stderr are all three terminals, the program gets the guest's console: Ctrl-C
  goes to the guest, Ctrl-A x leaves (status 0), Ctrl-A a sends Ctrl-A. Otherwise, so also with 2>FILE in a
  terminal, stdin, stdout and stderr reach the program as they are, byte for byte; a terminal among them
  keeps its own line editing, and Ctrl-C ends the launcher and the guest.
  A program that the kernel ended for lack of memory is always told on stderr; one that any other signal
  ended only when stderr is a terminal. For the reason and the place see --log.

environment
  FATHOM_QEMU       the QEMU to use instead of qemu-system-x86_64
  FATHOM_QEMU_ARGS  more options for it, put last

examples
  tools/run -- holt2005 --json
  tools/run --append "vm.zap=block strace=1" --log build/kernel.log -- ./prog one "two words"
"""


class LauncherError(Exception):
    """Something on this side of the machine is wrong; the text says what to do."""


class Killed(Exception):
    """A signal asks us to go."""

    def __init__(self, signum):
        super().__init__()
        self.signum = signum


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise LauncherError("%s (tools/run --help lists the options)" % message)


def memory_size(text):
    if not re.fullmatch(r"[1-9][0-9]*[KMGkmg]?", text):
        raise argparse.ArgumentTypeError("%r is not a size like 64M or 1G" % text)
    return text if text[-1].isalpha() else text + "M"


def positive(kind):
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = 0
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError("%r is not a positive number" % text)
        return value
    return parse


def layout_name(text):
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise argparse.ArgumentTypeError("%r is not the name of a layout" % text)
    return text


def check_append(text):
    found, quoted = words.split(text)
    if quoted:
        raise LauncherError("--append ends inside quotes: %s" % text)
    if "--" in found:
        raise LauncherError("--append takes no \"--\"; arguments of the program come after PROG")


def parse(argv):
    """The options; argv up to the first "--" is ours, what follows is the program's."""
    parser = Parser(prog="tools/run", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                    formatter_class=argparse.RawDescriptionHelpFormatter,
                    usage="tools/run [OPTION]... -- PROG [ARG]...")
    parser.add_argument("--layout", type=layout_name, default="x86_64", metavar="L",
                        help="the kernel of this layout (default: x86_64)")
    parser.add_argument("--mem", type=memory_size, default="256M", metavar="SIZE",
                        help="memory of the machine (default: 256M)")
    parser.add_argument("--smp", type=positive(int), default=1, metavar="N",
                        help="number of CPUs (default: 1)")
    parser.add_argument("--icount", action="store_true",
                        help="let time follow the number of instructions, the same in every run")
    parser.add_argument("--timeout", type=positive(float), metavar="S",
                        help="give up after S seconds (default: never)")
    parser.add_argument("--append", action="append", default=[], metavar="CMDLINE",
                        help="more words for the kernel command line")
    parser.add_argument("--add", action="append", default=[], metavar="HOST[:GUEST]",
                        help="put a file or directory into the guest (default: as /NAME); links in a directory stay "
                              "links")
    parser.add_argument("--iso", metavar="FILE",
                        help="boot FILE (see make iso) as a CD under its own loader, not the kernel directly")
    parser.add_argument("--uefi", action="store_true", help="with --iso: under UEFI, not BIOS")
    parser.add_argument("--log", metavar="FILE", help="write the kernel log to FILE")
    parser.add_argument("--gdb", metavar="SOCKET",
                        help="wait for gdb on this unix socket before the first instruction")
    own, program = argv, []
    if "--" in argv:
        cut = argv.index("--")
        own, program = argv[:cut], argv[cut + 1:]
    options = parser.parse_args(own)
    if not program or not program[0]:
        raise LauncherError("which program? tools/run [OPTION]... -- PROG [ARG]...")
    check_append(" ".join(options.append))
    if options.gdb and os.path.lexists(options.gdb) and not stat.S_ISSOCK(os.lstat(options.gdb).st_mode):
        raise LauncherError("--gdb: %s is there and is no socket" % options.gdb)
    if options.uefi and not options.iso:
        raise LauncherError("--uefi needs --iso: without a loader there is no firmware to choose")
    if options.iso and options.add:
        raise LauncherError("--add cannot change what is on the CD of --iso")
    options.program, options.arguments = program[0], program[1:]
    return options


def say(text):
    """One line of our own on stderr; never fails."""
    try:
        os.write(2, str("tools/run: %s\n" % text).encode("utf-8", "surrogateescape"))
    except (OSError, UnicodeError):
        pass


def die_by(signum):
    """Die by the same signal, so that a shell or make around us sees what happened."""
    sys.stdout = sys.stderr = None
    signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)
    return 128 + signum


def leave_after_help(code):
    """argparse has printed something; somebody who does not want to read it is no error."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def run_reporting_errors(run, argv):
    """run(options), with all that can go wrong turned into a line and a status; never a traceback."""
    try:
        return run(parse(argv))
    except SystemExit as leaving:
        return leave_after_help(leaving.code)
    except LauncherError as error:
        say(error)
    except OSError as error:
        say("%s: %s" % (error.filename, error.strerror) if error.filename else error)
    except Killed as killed:
        return die_by(killed.signum)
    except KeyboardInterrupt:
        return die_by(signal.SIGINT)
    except MemoryError:
        say("this machine has not enough memory for that")
    except Exception as error:      # a fault of ours; still one line, and no program's status
        at = error.__traceback__
        while at.tb_next:
            at = at.tb_next
        say("internal error: %s: %s (%s:%d)" % (type(error).__name__, error,
                                               os.path.basename(at.tb_frame.f_code.co_filename), at.tb_lineno))
    return OWN_ERROR
