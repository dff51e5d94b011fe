/* errno_name.h: names of errors and signals for messages. */
#ifndef LIB_ERRNO_NAME_H
#define LIB_ERRNO_NAME_H

const char *errno_name(int error);   /* 2 is "ENOENT"; "?" for a number that has no name */
const char *signal_name(int signal); /* 11 is "SIGSEGV"; "?" likewise */

#endif
