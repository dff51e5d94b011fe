"""One run: carries bytes between the guest's channels and ours, and decides the exit status.

One loop, one wait; nothing in it blocks, so a timeout or a signal is always noticed. What the program
wrote is kept in one queue in the order in which it came, and the guest is held back while the queue is
long. The run is over when QEMU is gone, its sockets are empty and the queue is written.

    guest COM3 --> link --> queue --> stdout, stderr          guest COM2 --> log, a file of QEMU's own
    stdin --> one frame for each that the guest asks for      guest COM4 --> record, one line
"""
import collections
import errno
import os
import re
import signal
import stat
import time

from launcher import image, link, monitor, options, qemu, ready, terminal
from launcher.options import Killed, LauncherError, say

QUEUE_MAX = 256 * 1024      # bytes waiting for stdout above which the guest is held back
WRITE_MAX = 4096            # a pipe that poll calls writable takes this much without blocking
LOG_MAX = 4 * 1024 * 1024   # of the kernel log, the end of it is kept
LIFE_SECONDS = 5
LIFE_SECONDS_CD = 30        # firmware and a loader come before the kernel
READER_SECONDS = 2          # for somebody to open the FIFO that --log names
END_SECONDS = 5             # between the record and QEMU's own end
FLUSH_SECONDS = 2           # for what is left to write after the run was cut short
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Session:
    def __init__(self):
        self.image = self.log_file = self.log_reader = None
        self.console = None             # Terminal, or None for the stdio link
        self.channels = {}              # socket -> name
        self.listeners = {}             # socket -> name
        self.frames = link.Reader()
        self.monitor = monitor.Monitor()
        self.console_text = bytearray()
        self.record, self.errors = bytearray(), bytearray()
        self.queue, self.queued = collections.deque(), 0
        self.wanted, self.input_ended = 0, False
        self.alive = False
        self.gdb_socket = None
        self.killed = None              # number of the signal that asks us to go
        self.result = None              # an exit status decided here: timeout, left, broken pipe
        self.died = None                # text: the machine did what it must not

    # -- Signals and the start ---------------------------------------------------------------------

    def catch_signals(self):
        self.wake_read, wake_write = os.pipe()
        for fd in (self.wake_read, wake_write):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)

        def note(number, _):
            if number != signal.SIGCHLD:
                self.killed = self.killed or number
        for number in SIGNALS + (signal.SIGCHLD,):
            if number == signal.SIGCHLD or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, note)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)

    def prepare(self, opts):
        """All that is needed before QEMU. A signal meanwhile is noted, and found afterwards."""
        use_console = terminal.wanted()
        self.image = (image.CdImage if opts.iso else image.Image)(opts, use_console)
        self.log_file = open_log(opts.log) if opts.log else None
        if use_console:
            self.console = terminal.Terminal()

    def prepare_log(self):
        """QEMU writes the log to the name "log"; with --log that is our open file, whatever kind it is.
        We keep a descriptor to read it after a death, if it can be read."""
        name = os.path.join(self.image.directory, "log")
        if self.log_file:
            os.symlink("/dev/fd/%d" % self.log_file.fileno(), name)
            regular = os.path.isfile(self.log_file.name)
            self.log_reader = open(self.log_file.name, "rb") if regular else None
        else:
            open(name, "wb").close()
            self.log_reader = open(name, "rb")

    def start(self, opts):
        program = qemu.find_program()
        self.prepare_log()
        self.listeners = {s: name for name, s in qemu.listen(self.image.directory).items()}
        self.started = time.monotonic()
        self.deadline = self.started + opts.timeout if opts.timeout else None
        self.end_by = self.flush_by = None
        self.gdb_socket = opts.gdb
        self.patient = LIFE_SECONDS_CD if opts.iso else LIFE_SECONDS
        self.life = None if opts.gdb else self.started + self.patient
        arguments = qemu.arguments(opts, self.image.command_line, self.image.directory)
        keep = (self.log_file.fileno(),) if self.log_file else ()
        self.qemu = qemu.Qemu(program, arguments, self.image.directory, keep)

    # -- The loop ----------------------------------------------------------------------------------

    def loop(self):
        while not self.over():
            if self.killed:
                return
            readable, writable = ready.wait(self.readers(), self.writers(), self.patience())
            for source in readable:
                self.read(source)
            if writable:
                self.write_some()
            self.look_at_clock()

    def over(self):
        if self.qemu.status() is None:
            return False
        for listener in list(self.listeners):
            self.accept(listener)       # it may have connected, spoken and gone
        self.listeners = {}
        return not self.channels and not self.queue

    def readers(self):
        """What to listen to now. A program's output waits in its socket while the queue is long."""
        sources = [self.wake_read] + list(self.listeners)
        full = self.queued > QUEUE_MAX
        sources += [s for s, name in self.channels.items()
                    if not (full and name in ("link", "console"))]
        if self.qemu.stderr:
            sources.append(self.qemu.stderr)
        if not self.input_ended and (self.console or self.wanted) and self.result is None:
            sources.append(0)
        return sources

    def writers(self):
        return [self.queue[0][0]] if self.queue else []

    def patience(self):
        times = [t for t in (self.deadline, self.life, self.end_by, self.flush_by) if t is not None]
        return max(0, min(times) - time.monotonic()) if times else None

    def look_at_clock(self):
        now = time.monotonic()
        if self.life is not None and now >= self.life and self.spoke():
            self.life = None
        if self.life is not None and now >= self.life:
            self.life = None
            if self.console:
                self.put(1, b"\r\n")
            say("no sign of life from the kernel after %d s; waiting on\r" % self.patient if self.console
                else "no sign of life from the kernel after %d s; waiting on" % self.patient)
        if self.end_by is not None and now >= self.end_by:
            self.end_by = None
            self.qemu.kill()
        if self.deadline is not None and now >= self.deadline:
            self.deadline = None
            self.result = options.TIMEOUT if self.result is None else self.result
            self.cut_short()
        if self.flush_by is not None and now >= self.flush_by:
            self.flush_by = None
            self.drop_output()

    def cut_short(self):
        """End the machine now; what it has sent so far is still delivered, if that does not take long."""
        self.qemu.kill()
        self.flush_by = time.monotonic() + FLUSH_SECONDS

    def drop_output(self):
        """Nobody will read what is left: forget it, and what may still come from the guest."""
        self.queue.clear()
        self.queued = 0
        for channel in self.channels:
            channel.close()
        self.channels = {}

    # -- Input -------------------------------------------------------------------------------------

    def read(self, source):
        if source in self.listeners:
            self.accept(source)
        elif source == self.wake_read:
            os.read(source, 4096)
        elif source == 0:
            self.read_stdin()
        elif source is self.qemu.stderr:
            data = os.read(source.fileno(), 65536)
            self.errors += data
            if not data:
                source.close()
                self.qemu.process.stderr = None
        elif source in self.channels:
            self.receive(source)

    def accept(self, listener):
        try:
            channel, _ = listener.accept()
        except OSError:
            return
        self.channels[channel] = self.listeners.pop(listener)
        listener.close()

    def receive(self, channel):
        try:
            data = channel.recv(65536)
        except OSError:
            data = b""
        if not data:
            del self.channels[channel]
            channel.close()
            return
        name = self.channels[channel]
        if name == "monitor":
            self.send(channel, self.monitor.feed(data))
            return
        if not self.alive:
            self.alive, self.life = True, None
            self.image.remove()         # QEMU has read all there was to read
        getattr(self, "take_" + name)(data)

    def send(self, channel, data):
        try:
            channel.sendall(data)
        except OSError:
            pass                        # QEMU is going; its status will say why

    def take_console(self, data):
        if self.console:
            self.put(1, data)
        else:
            self.console_text += data
            del self.console_text[:-LOG_MAX]

    def log(self):
        """The end of the kernel log; empty when it went where it cannot be read."""
        if not self.log_reader:
            return b""
        self.log_reader.seek(max(0, os.fstat(self.log_reader.fileno()).st_size - LOG_MAX))
        return self.log_reader.read()

    def spoke(self):
        """Whether anything has come from the kernel."""
        return self.alive or bool(self.log())

    def take_link(self, data):
        try:
            for kind, text in self.frames.feed(data):
                if kind == link.WANT_INPUT:
                    self.wanted += 1
                else:
                    self.put(kind, text)    # 1 and 2 are the descriptors, too
        except link.GarbledLink as error:
            self.died = str(error)
            self.cut_short()
            return
        self.serve_end_of_input()

    def take_result(self, data):
        self.record += data
        if b"\n" in self.record:
            del self.record[self.record.index(b"\n") + 1:]
            self.end_by = time.monotonic() + END_SECONDS

    def read_stdin(self):
        try:
            data = os.read(0, link.INPUT_MAX)
        except OSError:
            data = b""
        if self.console:
            data, leave = self.console.keys(data) if data else (b"", True)
            self.send_to("console", data)
            if leave:
                self.result = 0
                self.cut_short()
        elif data:
            self.wanted -= 1
            self.send_to("link", link.input_frame(data))
        else:
            self.input_ended = True
            self.serve_end_of_input()

    def serve_end_of_input(self):
        while self.input_ended and self.wanted:
            self.wanted -= 1
            self.send_to("link", link.input_frame(b""))

    def send_to(self, name, data):
        for channel, channel_name in list(self.channels.items()):
            if channel_name == name:
                self.send(channel, data)

    # -- Output ------------------------------------------------------------------------------------

    def put(self, fd, data):
        self.queue.append((fd, data))
        self.queued += len(data)

    def write_some(self):
        """Write the head of the queue. Nobody reading stdout any more ends the run, quietly; what stderr does
        not take is lost."""
        fd, data = self.queue.popleft()
        try:
            written = os.write(fd, data[:WRITE_MAX])
        except BlockingIOError:
            written = 0
        except OSError as error:
            if fd == 2:                 # it never decides the status
                self.queued -= len(data)
                return
            self.drop_output()
            self.result = 128 + signal.SIGPIPE
            self.cut_short()
            if not isinstance(error, BrokenPipeError):
                self.died = "cannot write the program's output: %s" % error.strerror
                self.result = options.OWN_ERROR
            return
        self.queued -= written
        if written < len(data):
            self.queue.appendleft((fd, data[written:]))

    # -- The end -----------------------------------------------------------------------------------

    def close(self):
        """Everything of ours is gone after this, whatever happened before."""
        if hasattr(self, "qemu"):
            self.qemu.kill()
        if self.console:
            self.console.restore()
        if self.image:
            self.image.remove()
        if self.log_file:
            self.log_file.close()
        if self.gdb_socket and os.path.exists(self.gdb_socket):
            os.unlink(self.gdb_socket)

    def status(self):
        """The exit status; says on stderr what has to be said."""
        if self.died and self.result is not None:
            say(self.died)
            return self.result
        if self.result is not None:
            if self.result == options.TIMEOUT:
                say("timeout: the program was still running")
            return self.result
        record = self.record.decode("utf-8", "replace").rstrip("\n")
        match = re.fullmatch(r"(exit|signal) (\d+)(?: (.+))?", record)
        if match and not self.died:
            number = int(match.group(2))
            if match.group(1) == "exit":
                return number & 255
            self.tell_signal(number, match.group(3))
            return 128 + number
        if record == "poweroff" and not self.died:
            return 0
        if not self.spoke() and self.monitor.reason is None:
            return self.qemu_failed()
        if record.startswith("panic"):
            return self.machine_died("the kernel panicked:" + record[len("panic"):])
        if record:
            return self.machine_died("the result record makes no sense: %r" % record)
        return self.machine_died(self.died or monitor.explain(self.monitor, self.image.kernel))

    def tell_signal(self, number, reason):
        """A reason is the kernel's own and always told; a mere signal as a shell tells it, to a person."""
        if reason:
            say("the kernel ended %s: %s" % (self.image.program, reason))
        elif os.isatty(2):
            say("%s: %s (see --log)" % (self.image.program, signal.strsignal(number) or "signal %d" % number))

    def qemu_failed(self):
        status = self.qemu.status()
        how = "was killed by signal %d" % -status if status < 0 else "ended with status %d" % status
        say("QEMU %s before the kernel said a word" % how)
        write_all(2, self.errors)
        return options.OWN_ERROR

    def machine_died(self, why):
        """A death is never silent: the reason, then the log, or what the console got if there is no log."""
        say(why)
        text = self.log() or bytes(self.console_text)
        write_all(2, b"---- kernel log ----\n" + text if text else b"(no kernel log)\n")
        if not text.endswith(b"\n"):
            write_all(2, b"\n")
        if self.errors:
            write_all(2, b"---- QEMU ----\n" + self.errors)
        return options.MACHINE_DIED


def write_all(fd, data):
    try:
        while data:
            data = data[os.write(fd, data):]
    except OSError:
        pass


def open_log(path):
    """The file for --log. A FIFO must have a reader, or we would wait for one here for ever."""
    if not (os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode)):
        return open(path, "wb", buffering=0)
    end = time.monotonic() + READER_SECONDS
    while True:
        try:
            return open(path, "wb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        if time.monotonic() >= end:
            raise LauncherError("--log: nobody reads the FIFO %s" % path)
        time.sleep(0.05)


def run(opts):
    """Run as the options say; returns the exit status. Raises LauncherError, OSError, Killed."""
    session = Session()
    try:
        session.catch_signals()
        session.prepare(opts)
        if not session.killed:
            session.start(opts)
            session.loop()
    finally:
        session.close()
    if session.killed:
        raise Killed(session.killed)
    return session.status()
