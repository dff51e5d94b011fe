#!/usr/bin/env python3
"""The bytes: stdout, stderr, stdin, the log, broken pipes and closed descriptors."""
import os
import resource
import subprocess
import threading
import time

from tap import holds, main, same

ALL_BYTES = bytes(range(256))


def all_bytes(tree):
    """stdout and stderr are separate and byte-exact for all 256 values"""
    done = tree.run("--", "bytes")
    same((done.returncode, done.stdout, done.stderr), (0, ALL_BYTES, ALL_BYTES[::-1]), "streams")


def order(tree):
    """one pipe for both keeps the order in which they were written"""
    done = subprocess.run([tree.run_path, "--", "turns"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=60, env=tree.environment)
    same(done.stdout, b"".join(b"%d\n" % i for i in range(200)), "order")


def large_output(tree):
    """1 MiB of output arrives whole, also at a slow reader"""
    done = tree.run("--", "big", "1048576")
    same((done.returncode, done.stdout == ALL_BYTES * 4096), (0, True), "fast")
    with tree.start("--", "big", "1000001", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as slow:
        time.sleep(1)
        holds(slow.poll() is None, "it waits for its reader")
        data = b""
        while True:
            piece = os.read(slow.stdout.fileno(), 10000)
            if not piece:
                break
            data += piece
            time.sleep(0.001)
    same((slow.returncode, len(data), data == (ALL_BYTES * 4096)[:1000001]), (0, 1000001, True), "slow")


def split_frames(tree):
    """frames may come in pieces of any size"""
    done = tree.run("--", "bytewise")
    same((done.returncode, done.stdout, done.stderr), (0, b"abc", b"d"), "pieces")


def standard_input(tree):
    """100 KiB of input and its end reach the program, from a pipe and from a file"""
    data = os.urandom(100 * 1024)
    done = tree.run("--", "cat", input=data)
    same((done.returncode, done.stdout == data + b"|end"), (0, True), "pipe")
    path = os.path.join(tree.base, "input")
    with open(path, "wb") as f:
        f.write(data)
    with open(path, "rb") as f:
        done = tree.run("--", "cat", stdin=f)
        same((done.returncode, done.stdout == data + b"|end"), (0, True), "file")


def dialogue(tree):
    """input is passed on as it comes, not only at its end"""
    with tree.start("--", "cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE) as talk:
        for word in (b"one", b"two", ALL_BYTES):
            talk.stdin.write(word)
            talk.stdin.flush()
            same(os.read(talk.stdout.fileno(), 1000), word, "the answer")
        talk.stdin.close()
        same(talk.stdout.read(), b"|end", "the end")
    same(talk.returncode, 0, "status")


def input_left_alone(tree):
    """input that the program does not ask for stays for the next program"""
    read_end, write_end = os.pipe()
    os.write(write_end, b"for later")
    os.close(write_end)
    done = tree.run("--", "noinput", stdin=read_end)
    same((done.returncode, done.stdout), (0, b"never asked\n"), "the run")
    same(os.read(read_end, 100), b"for later", "what is left")
    os.close(read_end)


def broken_pipe(tree):
    """a reader that goes away ends the run quietly"""
    with tree.start("--", "big", "1048576", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE) as run:
        same(len(run.stdout.read(10)), 10, "a beginning")
        run.stdout.close()
        same((run.wait(20), run.stderr.read()), (141, b""), "the end")


def full_disk(tree):
    """output that cannot be written is an error of the launcher's own"""
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "wb") as full:
        run = subprocess.run([tree.run_path, "--", "bytes"], stdin=subprocess.DEVNULL, stdout=full,
                             stderr=subprocess.PIPE, env=tree.environment, timeout=60)
    same(run.returncode, 125, "status")
    holds(b"No space left" in run.stderr, "the reason")


def closed_descriptors(tree):
    """descriptors that are closed, or open the wrong way round, do no harm"""
    for odd in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2</dev/null", "1</dev/null", "0>/dev/null", "0>/dev/null 1</dev/null 2<&1"):
        done = subprocess.run(["sh", "-c", 'exec "$0" -- cat %s' % odd, tree.run_path], timeout=60,
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=tree.environment)
        same(done.returncode, 0, odd)
    for odd in ("2>&-", "2</dev/null", "2>/dev/full"):
        done = subprocess.run(["sh", "-c", 'exec "$0" -- bytes %s' % odd, tree.run_path], timeout=60, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, env=tree.environment)
        same((done.returncode, done.stdout), (0, ALL_BYTES), "output to both with " + odd)


def many_descriptors(tree):
    """more than 1024 inherited descriptors do no harm"""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1500:
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1500), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1200)]
    for fd in held:
        os.set_inheritable(fd, True)
    done = tree.run("--", "cat", input=b"text", close_fds=False)
    same((done.returncode, done.stdout), (0, b"text|end"), "the run")
    for fd in held:
        os.close(fd)


def kernel_log(tree):
    """--log has the kernel's messages, and stdout and stderr have none of them"""
    path = os.path.join(tree.base, "log, of the kernel")
    done = tree.run("--log", path, "--", "bytes")
    same((done.returncode, done.stdout, done.stderr), (0, ALL_BYTES, ALL_BYTES[::-1]), "streams")
    with open(path) as f:
        same(f.read(), "fathom: hello\n", "log")
    done = tree.run("--log", "/dev/stderr", "--", "exit", "3")
    same((done.returncode, done.stdout, done.stderr), (3, b"", b"fathom: hello\n"), "the log on stderr")
    done = tree.run("--log", path, "--", "panic")
    holds(done.returncode == 126 and b"panic: counts are wrong" in done.stderr, "the log is read after a panic")


def no_sign_of_life(tree):
    """a kernel that says nothing for 5 seconds is reported, and waited for"""
    done = tree.run("--", "silent", "5.5")
    same(done.returncode, 0, "status")
    holds(b"no sign of life from the kernel after 5 s" in done.stderr, "the message")


def full_pipe_does_not_stop_the_clock(tree):
    """the timeout also ends a run whose reader sleeps"""
    with tree.start("--timeout", "1", "--", "big", "1048576", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL) as run:
        status = []
        waiter = threading.Thread(target=lambda: status.append(run.wait(20)))
        waiter.start()
        waiter.join()
        same(status, [124], "status")
        run.stdout.close()


main([all_bytes, order, large_output, split_frames, standard_input, dialogue, input_left_alone, broken_pipe,
      full_disk, closed_descriptors, many_descriptors, kernel_log, no_sign_of_life, full_pipe_does_not_stop_the_clock])
