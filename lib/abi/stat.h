/* stat.h: struct stat as Linux x86-64 lays it out, file types and modes, directory entries. */
#ifndef LIB_ABI_STAT_H
#define LIB_ABI_STAT_H

#include "lib/types.h"

#define S_IFMT 0170000u
#define S_IFSOCK 0140000u
#define S_IFLNK 0120000u
#define S_IFREG 0100000u
#define S_IFBLK 0060000u
#define S_IFDIR 0040000u
#define S_IFCHR 0020000u
#define S_IFIFO 0010000u
#define S_ISUID 04000u
#define S_ISGID 02000u
#define S_ISVTX 01000u

#define S_ISREG(mode) (((mode)&S_IFMT) == S_IFREG)
#define S_ISDIR(mode) (((mode)&S_IFMT) == S_IFDIR)
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)
#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)
#define S_ISCHR(mode) (((mode)&S_IFMT) == S_IFCHR)

/* Device numbers as user programs see them in st_rdev (major below 4096 and minor below 2^20 here). */
static inline u64 abi_makedev(u32 major, u32 minor)
{
    return (u64)major << 8 | (minor & 0xff) | (u64)(minor & ~0xffu) << 12;
}

struct abi_stat {
    u64 st_dev;
    u64 st_ino;
    u64 st_nlink;
    u32 st_mode;
    u32 st_uid;
    u32 st_gid;
    u32 pad0;
    u64 st_rdev;
    s64 st_size;
    s64 st_blksize;
    s64 st_blocks; /* of 512 bytes */
    u64 st_atime, st_atime_nsec;
    u64 st_mtime, st_mtime_nsec;
    u64 st_ctime, st_ctime_nsec;
    s64 unused[3];
};
_Static_assert(sizeof(struct abi_stat) == 144, "struct stat of x86-64");

/* getdents64: header of one record; the name with its NUL follows, and the record is a multiple of 8. */
struct abi_dirent64 {
    u64 d_ino;
    s64 d_off;
    u16 d_reclen;
    u8 d_type; /* file type: mode >> 12 */
    char d_name[];
} __attribute__((packed));

struct abi_statfs {
    s64 f_type, f_bsize;
    u64 f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    u32 f_fsid[2];
    s64 f_namelen, f_frsize, f_flags, f_spare[4];
};
_Static_assert(sizeof(struct abi_statfs) == 120, "struct statfs of x86-64");

#define STATFS_VALID 0x20
#define STATFS_RELATIME 0x1000
#define TMPFS_MAGIC 0x01021994
#define PROC_MAGIC 0x9fa0

#endif
