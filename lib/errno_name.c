/* errno_name.c: the tables of lib/abi as strings. Pure. */
#include "lib/errno_name.h"

#include "lib/abi/errno.h"
#include "lib/abi/signal.h"

const char *errno_name(int error)
{
    switch (error) {
#define X(name, number)                                                                            \
    case number:                                                                                   \
        return #name;
        ERRNO_NAMES(X)
#undef X
    }
    return "?";
}

const char *signal_name(int signal)
{
    switch (signal) {
#define X(name, number)                                                                            \
    case number:                                                                                   \
        return #name;
        SIGNAL_NAMES(X)
#undef X
    }
    return "?";
}
