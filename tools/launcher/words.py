"""Words of the kernel's command line, by the rules of kernel/core/cmdline.h: white space divides, double
quotes group, a backslash takes the next byte as it is, in quotes and outside."""
import re

# What QEMU's PVH loader has room for is 4096 bytes with the NUL; it cuts what is longer, without a word.
COMMAND_LINE_MAX = 4095
BLANKS = " \t\n\v\f\r"


def quote(word):
    """One word, so that the kernel reads it as it is."""
    if word and not re.search(r'[ \t-\r"\\]', word):
        return word
    return '"' + re.sub(r'(["\\])', r"\\\1", word) + '"'


def split(text):
    """(the words as the kernel sees them, whether the text ends inside quotes)."""
    found, word, quoted, at = [], None, False, 0
    while at < len(text):
        byte = text[at]
        at += 1
        if not quoted and byte in BLANKS:
            if word is not None:
                found.append(word)
            word = None
            continue
        word = word or ""
        if byte == '"':
            quoted = not quoted
            continue
        if byte == "\\" and at < len(text):
            byte = text[at]
            at += 1
        word += byte
    if word is not None:
        found.append(word)
    return found, quoted
