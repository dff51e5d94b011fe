/* system.h: uname, sysinfo, resource limits, terminal settings, reboot: Linux x86-64's layouts and values. */
#ifndef LIB_ABI_SYSTEM_H
#define LIB_ABI_SYSTEM_H

#include "lib/types.h"

struct abi_utsname {
    char sysname[65], nodename[65], release[65], version[65], machine[65], domainname[65];
};

struct abi_sysinfo {
    s64 uptime;
    u64 loads[3];
    u64 totalram, freeram, sharedram, bufferram, totalswap, freeswap;
    u16 procs, pad;
    u32 pad2;
    u64 totalhigh, freehigh;
    u32 mem_unit, pad3;
};
_Static_assert(sizeof(struct abi_sysinfo) == 112, "struct sysinfo of x86-64");

struct abi_rlimit {
    u64 cur, max;
};
#define RLIMIT_CPU 0
#define RLIMIT_DATA 2
#define RLIMIT_STACK 3
#define RLIMIT_RSS 5
#define RLIMIT_CORE 4
#define RLIMIT_NPROC 6
#define RLIMIT_NOFILE 7
#define RLIMIT_MEMLOCK 8
#define RLIMIT_AS 9
#define RLIMIT_SIGPENDING 11
#define RLIMIT_MSGQUEUE 12
#define RLIMIT_NICE 13
#define RLIMIT_RTPRIO 14
#define ABI_RLIMITS 16
#define RLIM_INFINITY (~0ul)

struct abi_termios { /* the kernel's struct termios: TCGETS */
    u32 c_iflag, c_oflag, c_cflag, c_lflag;
    u8 c_line, c_cc[19];
};
_Static_assert(sizeof(struct abi_termios) == 36, "kernel struct termios");

struct abi_winsize {
    u16 rows, cols, xpixel, ypixel;
};

struct abi_termios2 { /* the same with speeds as numbers: TCGETS2 */
    struct abi_termios t;
    u32 c_ispeed, c_ospeed;
};

#define TCGETS 0x5401
#define TCSETS 0x5402
#define TCSETSW 0x5403
#define TCSETSF 0x5404
#define TCSBRK 0x5409
#define TCXONC 0x540a
#define TCFLSH 0x540b
#define TIOCSCTTY 0x540e
#define TIOCGPGRP 0x540f
#define TIOCSPGRP 0x5410
#define TIOCOUTQ 0x5411
#define TIOCGWINSZ 0x5413
#define TIOCSWINSZ 0x5414
#define FIONREAD 0x541b
#define FIONBIO 0x5421
#define TIOCNOTTY 0x5422
#define TCSBRKP 0x5425
#define TIOCGSID 0x5429
#define FIONCLEX 0x5450
#define FIOCLEX 0x5451
#define FIOASYNC 0x5452
#define TCGETS2 0x802c542au
#define TCSETS2 0x402c542bu
#define TCSETSW2 0x402c542cu
#define TCSETSF2 0x402c542du

#define INLCR 0000100u
#define IGNCR 0000200u
#define ICRNL 0000400u
#define IXON 0002000u
#define IXANY 0004000u
#define IMAXBEL 0020000u
#define IUTF8 0040000u
#define OPOST 0000001u
#define ONLCR 0000004u
#define OCRNL 0000010u
#define B115200 0010002u
#define CS8 0000060u
#define CREAD 0000200u
#define HUPCL 0002000u
#define CLOCAL 0004000u
#define ISIG 0000001u
#define ICANON 0000002u
#define ECHO 0000010u
#define ECHOE 0000020u
#define ECHOK 0000040u
#define ECHONL 0000100u
#define NOFLSH 0000200u
#define TOSTOP 0000400u
#define ECHOCTL 0001000u
#define ECHOKE 0004000u
#define IEXTEN 0100000u
#define VINTR 0
#define VQUIT 1
#define VERASE 2
#define VKILL 3
#define VEOF 4
#define VTIME 5
#define VMIN 6
#define VSTART 8
#define VSTOP 9
#define VSUSP 10
#define VEOL 11
#define VREPRINT 12
#define VWERASE 14
#define VLNEXT 15
#define VEOL2 16

#define REBOOT_MAGIC1 0xfee1deadu
#define REBOOT_MAGIC2 0x28121969u
#define REBOOT_RESTART 0x01234567u
#define REBOOT_HALT 0xcdef0123u
#define REBOOT_POWER_OFF 0x4321fedcu
#define REBOOT_CAD_ON 0x89abcdefu
#define REBOOT_CAD_OFF 0x00000000u

#define PR_SET_PDEATHSIG 1
#define PR_GET_PDEATHSIG 2
#define PR_GET_DUMPABLE 3
#define PR_SET_DUMPABLE 4
#define PR_SET_NAME 15
#define PR_GET_NAME 16
#define PR_SET_NO_NEW_PRIVS 38
#define PR_GET_NO_NEW_PRIVS 39

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004

#define FUTEX_WAIT 0
#define FUTEX_WAKE 1
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAKE_BITSET 10
#define FUTEX_COMMAND_MASK 0x7f /* without PRIVATE and CLOCK_REALTIME */

#endif
