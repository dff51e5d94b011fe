/*
 * suite_locks.c: mutexes and read-write semaphores keep others out, let readers share, prefer
 * writers, and lose nobody.
 */
#include "kernel/sched/sleeplock.h"

#include "kernel/sched/thread.h"
#include "tests/kernel/kernel_test.h"

enum { WORKERS = 24, ROUNDS = 50 };

static struct mutex mutex;
static struct rwsem sem;
static struct wait_queue all_done;
static unsigned done;
static unsigned counter;     /* guarded by mutex */
static int readers, writers; /* inside sem */
static unsigned broken, met_readers;
static int rounds[WORKERS],
    most_ahead; /* turns with the mutex; the largest difference to the first thread's */

static void lock_round(void)
{
    mutex_lock(&mutex);
    unsigned value = counter;
    sched_yield(); /* everybody else gets a chance to break in */
    counter = value + 1;
    broken += !mutex_held(&mutex);
    mutex_unlock(&mutex);
}

static void read_round(void)
{
    rwsem_read_lock(&sem);
    readers++;
    met_readers += readers > 1;
    sched_yield();
    broken += writers != 0 || !rwsem_held(&sem) || rwsem_held_write(&sem);
    readers--;
    rwsem_read_unlock(&sem);
}

static void write_round(void)
{
    rwsem_write_lock(&sem);
    writers++;
    sched_yield();
    broken += writers != 1 || readers != 0 || !rwsem_held_write(&sem);
    writers--;
    rwsem_write_unlock(&sem);
}

static void work(void *arg)
{
    u64 me = (u64)arg;
    for (int i = 0; i < ROUNDS; i++) {
        lock_round();
        rounds[me]++;
        most_ahead = rounds[me] - rounds[0] > most_ahead ? rounds[me] - rounds[0] : most_ahead;
        most_ahead = rounds[0] - rounds[me] > most_ahead ? rounds[0] - rounds[me] : most_ahead;
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (me % 4)
            read_round();
        else
            write_round();
    }
    u64 flags = spin_lock_irq(&all_done.lock);
    done++;
    wait_wake_all_locked(&all_done);
    spin_unlock_irq(&all_done.lock, flags);
}

void suite_locks(void)
{
    unsigned made = 0;
    mutex_init(&mutex, RANK_DIR);
    rwsem_init(&sem, RANK_INODE);
    wait_init(&all_done);
    for (u64 i = 0; i < WORKERS; i++) {
        struct thread *t = thread_create("locks", work, (void *)i);
        if (t) {
            made++;
            thread_start(t);
        }
    }
    u64 flags = spin_lock_irq(&all_done.lock);
    while (done < made)
        wait_sleep(&all_done, &flags);
    spin_unlock_irq(&all_done.lock, flags);
    sched_yield(); /* the last one still has to end */
    ok(made == WORKERS && counter == WORKERS * ROUNDS, "a mutex lets one in at a time: %u",
       counter);
    ok(most_ahead <= 1, "in turn: nobody is more than one round ahead, but %d", most_ahead);
    ok(!broken, "a semaphore keeps writers from all others: %u times not", broken);
    ok(met_readers > 0, "and lets readers meet: %u times", met_readers);
    ok(!rwsem_held(&sem) && !mutex_held(&mutex), "both are free in the end");
}
