/*
 * random.c: numbers for AT_RANDOM, getrandom and /dev/random. xorshift64* (Vigna, "An experimental exploration of Marsaglia's
 * xorshift generators, scrambled"), seeded from the clocks: good enough for hash seeds and stack canaries of a teaching
 * machine, useless for secrets, and the same in every run under -icount. State is one word, updated atomically.
 */
#include "kernel/core/random.h"

#include "kernel/core/time.h"
#include "lib/string.h"

static u64 state;

static u64 random_next(void)
{
    u64 old = READ_ONCE(state), x;
    do {
        x = old ? old : time_ns() * 0x9e3779b97f4a7c15ul + time_wall_ns() + 1;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
    } while (
        !__atomic_compare_exchange_n(&state, &old, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return x * 0x2545f4914f6cdd1dul;
}

void random_fill(void *buf, size_t size)
{
    u8 *out = buf;
    while (size) {
        u64 x = random_next();
        size_t n = min_u64(size, sizeof(x));
        memcpy(out, &x, n);
        out += n;
        size -= n;
    }
}
