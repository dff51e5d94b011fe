#!/usr/bin/env python3
"""tools.t: busybox's shell and its tools at the console, each line as a person would type it."""
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import console
import suite

tap = suite.Tap()
console.need_shell(tap)
with console.Console() as c:
    tap.ok(c.expect("# "), "a prompt", c.seen)

    def line(command, pattern, **more):
        console.check(tap, c, command, pattern, **more)

    line("ls -l /", r"^drwxr-xr-x .* bin$[^$]*^lrwxrwxrwx .* sbin -> bin$")
    line("cat /proc/self/maps | wc -l", r"^([5-9]|1\d)$")
    line("ps", r"^ +1 root +(\{sh\} )?/bin/sh$")
    line("top -b -n 1 | head -5", r"^Mem: \d+K used, \d+K free[^$]*^ +PID +PPID USER")
    line("find / -name passwd -type f", r"^/etc/passwd$")
    line("grep -n root /etc/group", r"^1:root:x:0:$")
    line("dd if=/dev/zero of=/tmp/zero bs=4k count=100 2>&1", r"^100\+0 records out$")
    line("free", r"^Mem: +\d{6} +\d+ +\d+")
    line("hexdump -C /etc/group", r"^00000000  72 6f 6f 74 .*\|root:x:0:\.\|$")
    line("time ls / 2>&1", r"^real\s+0m 0\.\d\ds$")
    line("sleep 100 & sleep 0.1; kill $!; wait $!", r"", status=143, what="kill of a background job")
    line("sleep 0.2 & sleep 0.1 & wait; echo all done", r"^all done$")
    line("jobs; sleep 9 & jobs; kill %1", r"^\[1\]\+  Running +sleep 9")
    line("echo $(echo a $(echo b)) `echo c`", r"^a b c$")
    line("id", r"^uid=0\(root\) gid=0\(root\)")
    line("uname -a", r"^Linux fathom 6\.1\.0-fathom #1 Fathom \S+ x86_64 GNU/Linux$")
    line("tty", r"^/dev/console$")
    line("stty -a", r"^speed 115200 baud; rows 40; columns 300;[^$]*isig icanon")
    line("df /tmp", r"^tmpfs +\d+")
    line("stat -c '%s %a' /etc/group", r"^10 644$")
    line("cp /bin/busybox /tmp/ && cmp /bin/busybox /tmp/busybox && /tmp/busybox true", r"")
    line("tar c /etc 2>/dev/null | tar t | sort | head -1", r"^etc/$")
    line("gzip < /etc/passwd | zcat", r"^root:x:0:0:root:/:/bin/sh$")
    line("seq 100 | awk '{ s += $1 } END { print s }' | sed s/50/fifty-/", r"^fifty-50$")
    line("mkfifo /tmp/f; (echo through > /tmp/f &); cat /tmp/f", r"^through$")
    line("mknod /tmp/dev c 1 3 2>&1", r"Operation not permitted", status=1)
    line("chown 0:0 /tmp/f && chmod 600 /tmp/f && ls -l /tmp/f", r"^prw------- ")
    line("chown 7 /tmp/f 2>&1", r"Invalid argument", status=1)
    line("dmesg | grep -c 'Fathom, layout'", r"^1$")
    line("renice -n 3 -p $$ && ps -o nice,pid | grep ' 1$'", r"^ +3 +1$")
    line("timeout 0.2 sleep 5", r"", status=143)
    line("read -t 0.2 x < /dev/tty", r"", status=1, what="read with a timeout")
    line("sysctl vm.zap && echo block > /proc/sys/vm/zap && sysctl vm.zap", r"^vm.zap = work\nvm.zap = block$")
    line("cat /no/such 2>&1", r"No such file", status=1)
    line("nonsense 2>&1", r"not found", status=127)
    line("sh -c 'kill -SEGV $$' 2>&1", r"", status=139)
    line("yes | head -1000000 | wc -l", r"^1000000$", seconds=60)
    line("seq 20000 | sort -r | uniq | tail -1", r"^1$")

    c.key("cat > /tmp/here <<END\rHello $((6 * 7)) from $(uname -s)\rEND\r")
    line("cat /tmp/here", r"^Hello 42 from Linux$", what="a here-document")

    c.key("watch -n 1 -t 'echo wat''ched'\r")
    tap.ok(c.expect(r"watched\r?\n"), "watch", c.seen)
    for _ in range(5):  # while its command runs, watch ignores SIGINT, as system(3) does
        c.key("\x03")
        time.sleep(0.3)
    line("echo alive", r"^alive$", what="Ctrl-C leaves it")

    c.key("vi /tmp/text\r")
    tap.ok(c.expect(r"/tmp/text"), "vi", c.seen)
    c.key("ione\rtwo\x1b")
    c.expect(r"two", 5)
    c.key(":wq\r")
    line("cat /tmp/text", r"^one\ntwo$", what="wrote what was typed")

    c.key("less /proc/self/status\r")
    tap.ok(c.expect(r"VmSize"), "less", c.seen)
    c.key("q")
    line("echo alive", r"^alive$", what="is left by q")

    c.key("top -d 1\r")
    tap.ok(c.expect(r"Load average") and c.expect(r"Load average"), "top shows itself again and again", c.seen)
    c.key("q")
    line("echo alive", r"^alive$", what="top is left by q")

    missing = sorted(set(re.findall(r"system call \d+ \((\w+)\) is not implemented", c.kernel_log())) - {"clone3"})
    tap.ok(not missing, "no call was missed but clone3, for which the C library has clone", missing)
tap.done()
