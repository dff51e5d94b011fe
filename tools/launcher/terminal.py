"""The terminal of console mode: raw while the guest has it, as it was before on every way out.

Ctrl-A is the only key that is ours: Ctrl-A x leaves, Ctrl-A a sends a Ctrl-A.
"""
import os
import termios
import tty

ESCAPE = 0x01


def wanted():
    """Only when all three are terminals: what goes to a file has to be apart from the rest, byte for byte."""
    return all(os.isatty(fd) for fd in (0, 1, 2))


def size_words():
    """The window's size for the kernel command line; no words when the terminal does not know it."""
    size = os.get_terminal_size(1)
    return ["tty.rows=%d" % size.lines, "tty.cols=%d" % size.columns] if size.lines and size.columns else []


class Terminal:
    def __init__(self):
        self.saved = termios.tcgetattr(0)
        self.escaped = False
        tty.setraw(0)

    def keys(self, data):
        """(bytes for the guest, whether the user wants to leave)."""
        out = bytearray()
        for key in data:
            if self.escaped:
                self.escaped = False
                if key in b"xX":
                    return bytes(out), True
                if key in b"aA" or key == ESCAPE:
                    out.append(ESCAPE)
            elif key == ESCAPE:
                self.escaped = True
            else:
                out.append(key)
        return bytes(out), False

    def restore(self):
        try:
            termios.tcsetattr(0, termios.TCSADRAIN, self.saved)
        except (termios.error, OSError):
            pass                        # it is gone
