/*
 * host.h: the machine under the host tests.
 *
 * The sources of kernel/mm and lib are compiled unchanged; what they stand on is replaced by the
 * files of this directory, each of which is stricter than the real thing:
 *
 *   arena.c   physical memory: an mmap'ed arena; free memory is poisoned for AddressSanitizer
 *   tlb.c     mmu.h as a model TLB, which never forgets by itself: memory that is freed while a
 *             translation still leads to it, or a way through it, panics. So "clear, drop, free"
 *             is checked in every test
 *   locks.c   spin and sleeping locks that check rank order, owner, sleeping under a spin lock
 *   panic.c   panic: caught by host_panics(), otherwise it fails the program; printk, time,
 *             yield points
 *   knob.c    a registry of knobs, only where kernel/core/knob.c is missing
 *
 * A test is bracketed by host_begin and host_end; the latter reports a page, a lock or a
 * translation left behind.
 */
#ifndef STANDIN_HOST_H
#define STANDIN_HOST_H

#include <setjmp.h>

#include "kernel/mm/page.h"
#include "kernel/x86/mmu.h"
#include "tests/host/tap.h"

/* ---- start and end ---- */

/* Frames that are no memory: number 0, and a hole whose struct pages cannot be touched. */
enum { HOST_HOLE = 69, HOST_MISSING = 1 + HOST_HOLE };

/* Memory of `frames` frames less those, and an allocator that knows of it. Once a program. */
void host_boot(u64 frames);

/* ASan may let n bytes at p be used again (poison.h does it by itself). */
void host_memory_used(const void *p, size_t n);

void host_begin(void);
/* What was left behind since: page_check passes, no lock is held, else it panics; NULL: nothing. */
const char *host_leak(void);

/* The end of a test is a test of its own. */
static inline void host_end(const char *name)
{
    const char *why = host_leak();

    if (!ok(!why, "%s: everything is given back", name))
        diag("%s", why);
}

/* ---- panics ---- */

extern jmp_buf host_panic_jump;
extern char host_panic_message[512]; /* of the last panic caught */
void host_panic_arm(bool armed);     /* remembers, or restores, the spin locks held */

/* True if the statement panics; the spin locks that it took are then free again. */
#define host_panics(statement)                                                                     \
    ({                                                                                             \
        volatile bool host_did = true;                                                             \
        if (setjmp(host_panic_jump) == 0) {                                                        \
            host_panic_arm(true);                                                                  \
            statement;                                                                             \
            host_did = false;                                                                      \
        }                                                                                          \
        host_panic_arm(false);                                                                     \
        host_did;                                                                                  \
    })

/* ---- the CPU, as a user program sees it ---- */

/* Access addr as the CPU would: by the TLB if it holds a translation that allows it, else by
 * walking the table, which sets the accessed and dirty bits and fills the TLB. rights: one of
 * RIGHT_. Returns the page; NULL: a page fault. */
struct page *host_access(struct mmu_space *space, vaddr_t addr, unsigned rights);

u64 host_tlb_count(void);          /* translations held */
bool host_tlb_leads_to(pfn_t pfn); /* a translation to, or through, this frame is held */
extern u64 host_tlb_drops;         /* calls of mmu_drop and mmu_drop_all */
extern bool host_attach_fails;     /* mmu_attach answers -ENOMEM */

/* ---- locks and time ---- */

u32 host_locks_mark(void);                /* how many are held */
void host_locks_restore(u32 mark);        /* after a panic: let go of those taken since */
void host_locks_check(const char *where); /* panics if any lock is held */
extern u64 host_yields;                   /* yield points passed */
extern void (*host_on_yield)(void);       /* what "the others" do there; NULL: nothing */
extern u64 host_clock_ns;                 /* what time_ns answers; grows by 1 a call */

#endif
