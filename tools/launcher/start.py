"""The first moments: what has to be right before anything else is loaded or opened. Imports nothing of ours."""
import fcntl
import os
import signal


def valid(fd, directions):
    try:
        return fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE in directions
    except OSError:
        return False


def prepare_descriptors():
    """Make 0 readable and 1 and 2 writable: one that is closed, or open the wrong way round, becomes
    /dev/null, or its number would go to one of our files or sockets."""
    for fd, direction in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
        if not valid(fd, (direction, os.O_RDWR)):
            null = os.open(os.devnull, os.O_RDWR)
            if null != fd:
                os.dup2(null, fd)
                os.close(null)
            os.set_inheritable(fd, True)


def prepare():
    """A Ctrl-C while there is nothing to tidy up ends us at once, without Python's traceback. One that was
    ignored stays so."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    prepare_descriptors()
