"""Waits for descriptors. By poll, which takes any number of them; select takes none above 1023. macOS, whose
poll knows no terminals, has select."""
import math
import select
import sys


def by_poll(readers, writers, patience):
    sources, poll = {}, select.poll()
    wanted = {}
    for source, event in [(r, select.POLLIN) for r in readers] + [(w, select.POLLOUT) for w in writers]:
        fd = source if isinstance(source, int) else source.fileno()
        sources[fd, event] = source
        wanted[fd] = wanted.get(fd, 0) | event
    for fd, events in wanted.items():
        poll.register(fd, events)
    # An error or a hang-up is for the read or the write to find.
    ready = poll.poll(None if patience is None else math.ceil(patience * 1000))
    return tuple([sources[fd, event] for fd, got in ready if got & ~other and (fd, event) in sources]
                 for event, other in ((select.POLLIN, select.POLLOUT), (select.POLLOUT, select.POLLIN)))


def by_select(readers, writers, patience):
    return select.select(readers, writers, [], patience)[:2]


wait = by_select if sys.platform == "darwin" or not hasattr(select, "poll") else by_poll
