"""source.py: what the checks share: which files there are, C without comments, exceptions, and the end."""
import os
import re
import sys

ROOMS = ("boot", "lib", "kernel", "user", "tests", "tools")
EXCEPTIONS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "exceptions.txt")


def files(root, *endings, below=ROOMS):
    """Paths relative to root, sorted, of all source files with one of the endings."""
    found = []
    for top in below:
        for place, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = sorted(f for f in folders if not f.startswith((".", "__")))
            found += [os.path.relpath(os.path.join(place, name), root) for name in names if name.endswith(endings)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def bare(text):
    """C text with comments, strings and characters blanked; the lines stay where they are."""
    def blank(match):
        piece = match.group(0)
        return re.sub(r"[^\n]", " ", piece) if piece[0] == "/" else piece[0] + piece[0]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.DOTALL)


def exceptions(kind):
    """{subject: reason} of one kind. A line of the list is: kind, subject, reason."""
    found = {}
    with open(EXCEPTIONS, encoding="utf-8") as f:
        for line in f:
            words = line.split(None, 2)
            if words and words[0] == kind:
                if len(words) < 3:
                    sys.exit("exceptions.txt: no reason is given for %s" % line.strip())
                found[words[1]] = words[2].strip()
    return found


def finish(problems):
    """Print the problems; the exit status says whether there are any."""
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)
