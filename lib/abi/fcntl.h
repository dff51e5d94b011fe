/* fcntl.h: open flags, fcntl commands, *at flags, seek and access constants: Linux x86-64's values. */
#ifndef LIB_ABI_FCNTL_H
#define LIB_ABI_FCNTL_H

#define O_RDONLY 00
#define O_WRONLY 01
#define O_RDWR 02
#define O_ACCMODE 03
#define O_CREAT 0100
#define O_EXCL 0200
#define O_NOCTTY 0400
#define O_TRUNC 01000
#define O_APPEND 02000
#define O_NONBLOCK 04000
#define O_DSYNC 010000
#define O_ASYNC 020000
#define O_DIRECT 040000
#define O_LARGEFILE 0100000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW 0400000
#define O_NOATIME 01000000
#define O_CLOEXEC 02000000
#define O_SYNC 04010000
#define O_PATH 010000000
#define O_TMPFILE_BIT 020000000 /* with O_DIRECTORY: O_TMPFILE */

#define F_DUPFD 0
#define F_GETFD 1
#define F_SETFD 2
#define F_GETFL 3
#define F_SETFL 4
#define F_DUPFD_CLOEXEC 1030
#define FD_CLOEXEC 1

#define MFD_CLOEXEC 1
#define MFD_ALLOW_SEALING 2
#define MFD_NAME_MAX 249 /* without the NUL */

#define AT_FDCWD (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_EACCESS 0x200
#define AT_REMOVEDIR 0x200
#define AT_SYMLINK_FOLLOW 0x400
#define AT_NO_AUTOMOUNT 0x800
#define AT_EMPTY_PATH 0x1000

#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define SEEK_DATA 3
#define SEEK_HOLE 4

#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4

#define ABI_PATH_MAX 4096 /* with the NUL */
#define ABI_NAME_MAX 255
#define ABI_IOV_MAX 1024
#define ABI_RW_MAX 0x7ffff000ul /* most bytes one read or write moves */
#define ABI_FILE_MAX 0x7ffffffffffffffful

struct abi_iovec {
    unsigned long base, length;
};

struct abi_pollfd {
    int fd;
    short events, revents;
};
#define POLLIN 0x01
#define POLLOUT 0x04
#define POLLERR 0x08
#define POLLHUP 0x10
#define POLLNVAL 0x20

#endif
