/*
 * test_mm.c: an address space from end to end: making one when memory fails, exec's copies,
 * /proc/PID/maps letter for letter, the mail's 16 TiB with three pages touched, the end with
 * everything mapped, and that mm_check sees lies.
 */
#include <stdlib.h>

#include "tests/host/standin/mm_test.h"

static struct mm *mm;
static struct test_file f;

static void begin(void)
{
    host_begin();
    mm = mm_create();
}

static void end(const char *name)
{
    mm_end(mm);
    host_end(name);
}

static void test_create(void)
{
    unsigned tries = 0;

    host_begin();
    do {
        fail_countdown = ++tries;
        mm = mm_create();
        fail_countdown = 0;
        ASSERT(mm || objects("mm") == 0, "an mm is left");
    } while (!mm);
    ok(tries > 1, "mm_create: %u failures without loss", tries - 1);
    mm_get(mm);
    mm_put(mm);
    is(objects("mm"), 1, "a reference keeps it");
    mm_end(mm);
    host_attach_fails = true;
    ok(!mm_create(), "nor without the machine's consent");
    host_attach_fails = false;
    host_end("create");
}

static void test_write(void)
{
    static u8 data[3 * PAGE_SIZE];
    bool same = true;

    for (unsigned i = 0; i < sizeof(data); i++)
        data[i] = i * 7 + (i >> 8);
    begin();
    file_make(&f, PAGES(4), false);
    map_at(mm, PAGES(100), 4, RW);
    is(mm_write(mm, PAGES(100) + 1000, data, sizeof(data)), 0, "copy over four pages");
    for (unsigned i = 0; i < sizeof(data); i += 511)
        same &= peek(mm, PAGES(100) + 1000 + i) == data[i];
    ok(same, "they have it");
    map_file(mm, PAGES(200), PAGES(2), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, &f, 0);
    is(mm_write(mm, PAGES(200) + 4, "text", 4), 0, "into private memory that is not writable");
    ok(peek(mm, PAGES(200) + 4) == 't' && file_byte(&f, 4) == 0, "a copy");
    is(mm_write(mm, PAGES(200), "T", 1), 0, "again");
    ok(poke(mm, PAGES(200), 1) == -FAULT_ACCERR && run_at(mm, PAGES(200)) == 0, "its rights stay");
    map_file(mm, PAGES(300), PAGES(1), PROT_READ, MAP_SHARED | MAP_FIXED, &f, 0);
    is(mm_write(mm, PAGES(300), "x", 1), -EFAULT, "not into a shared map that is not writable");
    is(mm_write(mm, PAGES(400), "x", 1), -EFAULT, "unmapped");
    is(mm_write(mm, PAGES(103) + 4090, data, 10), -EFAULT, "half unmapped");
    is(mm_write(mm, USER_END, data, 1), -EFAULT, "past user space");
    is(mm_write(mm, ~0ul, data, 2), -EFAULT, "wrapped");
    map(mm, PAGES(600), PAGES(1), RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    is(mm_write(mm, PAGES(590), data, 100), 0, "below a stack: it grows");
    map_at(mm, PAGES(1000), 1, RW);
    fail_countdown = 1;
    is(mm_write(mm, PAGES(1000), data, 10), -ENOMEM, "no memory");
    fail_countdown = 0;
    mm_check(mm);
    mm_end(mm);
    file_end(&f);
    host_end("mm_write");
}

static void sees(const char *want, const char *name)
{
    if (!ok(strcmp(maps(mm), want) == 0, "%s", name))
        diag("got:\n%swant:\n%s", maps(mm), want);
}

static void test_maps(void)
{
    char line[64];
    vaddr_t addr = 0;

    begin();
    file_make(&f, PAGES(9), false);
    sees("", "an empty space");
    map_file(mm, 0x400000, PAGES(2), PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, &f, 0x1000);
    map_file(mm, 0x500000, PAGES(1), RW, MAP_SHARED | MAP_FIXED, &f, 0);
    mm->brk = mm->brk_start = 0x600000;
    mm_brk(mm, 0x601000);
    map(mm, 0x700000, 0x1000, PROT_NONE, ANON | MAP_FIXED);
    map(mm, 0x7ffffffde000, 0x21000, RW, ANON | MAP_FIXED | MAP_GROWSDOWN);
    mm->stack_start = 0x7fffffffe000;
    sees("00400000-00402000 r-xp 00001000 fe:01 12345                              /tmp/file\n"
         "00500000-00501000 rw-s 00000000 fe:01 12345                              /tmp/file\n"
         "00600000-00601000 rw-p 00000000 00:00 0                                  [heap]\n"
         "00700000-00701000 ---p 00000000 00:00 0 \n"
         "7ffffffde000-7ffffffff000 rw-p 00000000 00:00 0                          [stack]\n",
         "as Linux writes it");
    f.path = "/a\nb (deleted)";
    is(proc_maps_line(mm, &addr, line, sizeof(line)), 62 + 1, "a line cut to the buffer");
    ok(addr == 0x402000 && strlen(line) == 63 && line[62] == '\n', "is still a line");
    ok(strstr(maps(mm), " /a\\012b (deleted)\n"), "a line feed in a name is written \\012");
    addr = 0;
    fail_countdown = 1;
    ok(proc_maps_line(mm, &addr, line, sizeof(line)) == -ENOMEM && addr == 0,
       "no memory for the name");
    fail_countdown = 0;
    mm_end(mm);
    file_end(&f);
    host_end("maps");
}

/* The mail: 16 TiB of a shared file; first, middle and last page touched. */
static void test_mail(void)
{
    const u64 length = 17592182882304ul;
    const vaddr_t at = (1ul << 44) + (3ul << 20);

    begin();
    file_make(&f, length, true);
    is(map_file(mm, at, length, RW, MAP_SHARED | MAP_FIXED_NOREPLACE, &f, 0), at,
       "the mail's mapping");
    u64 before = mm->counts.n[VMC_pgd_reads];
    is(mm_munmap(mm, at, length), 0, "unmapped untouched");
    is(mm->counts.n[VMC_pgd_reads] - before, 32, "32 pgd entries read");
    is(mm->counts.n[VMC_pud_reads] + mm->counts.n[VMC_pmd_reads] + mm->counts.n[VMC_pte_reads], 0,
       "and nothing else");
    is(mm->counts.n[VMC_zap_calls], 1, "in one turn");
    map_file(mm, at, length, RW, MAP_SHARED | MAP_FIXED, &f, 0);
    vaddr_t touched[] = {at, at + page_align_up(length / 2), at + length - PAGES(1)};
    for (int i = 0; i < 3; i++)
        is(poke(mm, touched[i], i + 1), 0, "touch %d", i);
    is(mm->pt.tables, 1 + 9, "three ways of three tables");
    is(mm_munmap(mm, at, length), 0, "unmapped with three pages");
    ok(mm->pt.tables == 1 && mm->rss[RSS_FILE] == 0, "no table, no page is left");
    ok(peek(mm, at) == -FAULT_MAPERR && file_byte(&f, length - PAGES(1)) == 3,
       "the file has what was stored");
    mm_end(mm);
    file_end(&f);
    host_end("the mail");
}

static void test_top(void)
{
    begin();
    map_at(mm, USER_END - PAGES(600), 600, RW);
    ok(poke(mm, USER_END - 1, 1) == 0 && poke(mm, USER_END - PAGES(600), 2) == 0,
       "the highest pages");
    is(mm_mprotect(mm, USER_END - PAGES(600), PAGES(600), PROT_READ), 0, "protected");
    is(mm_munmap(mm, USER_END - PAGES(1), PAGES(1)), 0, "the very last unmapped");
    is(mm_munmap(mm, 0, USER_END), 0, "and all of user space at once");
    ok(mm->pt.tables == 1 && mm->vmas.count == 0, "nothing is left");
    end("top of user space");
}

/* Tables are freed only between what remains: a neighbour's stay. */
static void test_tables(void)
{
    begin();
    const vaddr_t table = 1ul << 30; /* one leaf table covers from here on */
    map_at(mm, table, 4, RW);
    map_at(mm, table + PAGES(100), 4, RW);
    poke(mm, table, 1);
    poke(mm, table + PAGES(100), 2);
    is(mm->pt.tables, 4, "one way down");
    mm_munmap(mm, table, PAGES(4));
    ok(mm->pt.tables == 4 && peek(mm, table + PAGES(100)) == 2,
       "a table with a neighbour's page stays");
    mm_munmap(mm, table + PAGES(100), PAGES(4));
    is(mm->pt.tables, 1, "with the last all go");
    end("tables");
}

static void test_exit(void)
{
    for (int work = 0; work < 2; work++) {
        host_begin();
        set_knob("vm.zap", work ? "work" : "block");
        mm = mm_create();
        file_make(&f, PAGES(64), false);
        for (int i = 0; i < 40; i++) {
            vaddr_t at = (1ul << 32) + i * (LEVEL_SPAN(LEVEL_PMD) + PAGES(3));
            map_at(mm, at, 3, RW);
            map_file(mm, at + PAGES(3), PAGES(5), RW, MAP_SHARED | MAP_FIXED, &f, PAGES(i % 32));
            for (int page = 0; page < 8; page++)
                poke(mm, at + PAGES(page), page);
        }
        map(mm, 0, PAGES(3), RW, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE);
        mm_check(mm);
        mm_put(mm);
        ok(objects("vma") == 0 && f.file.refs == 1 && commit_total() == 0,
           "exit with %d VMAs mapped", 81);
        file_end(&f);
        host_end("exit");
    }
}

static void test_check(void)
{
    begin();
    map_at(mm, PAGES(100), 2, RW);
    poke(mm, PAGES(100), 1);
    mm->rss[RSS_ANON]++;
    ok(host_panics(mm_check(mm)), "mm_check sees a wrong rss");
    mm->rss[RSS_ANON]--;
    mm->total_pages++;
    ok(host_panics(mm_check(mm)), "a wrong count of pages");
    mm->total_pages--;
    struct vma *vma = vma_find(&mm->vmas, PAGES(100));
    vma->flags &= ~(u32)VM_WRITE;
    ok(host_panics(mm_check(mm)), "an entry that allows more than its VMA");
    vma->flags |= VM_WRITE;
    vma_set_range(&mm->vmas, vma, PAGES(101), PAGES(102));
    mm->total_pages--;
    ok(host_panics(mm_check(mm)), "an entry outside all VMAs");
    mm->total_pages++;
    vma_set_range(&mm->vmas, vma, PAGES(100), PAGES(102));
    end("mm_check");
}

int main(void)
{
    host_boot(8192);
    mm_init_once();
    test_create();
    test_write();
    test_maps();
    test_mail();
    test_top();
    test_tables();
    test_exit();
    test_check();
    return tap_done();
}
