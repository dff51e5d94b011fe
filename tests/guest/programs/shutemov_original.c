/*
 * shutemov_original.c: the system calls of the program in Shutemov's mail of 2015, in its order;
 * -DMIB=4096 -DPASSES=10 as there, less by default. Nothing is counted, and vm.max_map_count is
 * left as it is.
 */
#include <stdio.h>
#include <sys/mman.h>

#ifndef MIB
#define MIB 64
#endif
#ifndef PASSES
#define PASSES 2
#endif

enum { PAGE = 4096, WORDS = PAGE / sizeof(unsigned long) };

static int pass(unsigned long size)
{
    long pages = size / PAGE;
    unsigned long *map =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (long i = 0; i < pages; i++)
        map[i * WORDS] = i;
    for (long i = 0; i < pages; i++)
        if (remap_file_pages(map + i * WORDS, PAGE, 0, (size - PAGE * (i + 1)) / PAGE, 0)) {
            perror("remap_file_pages");
            return 1;
        }
    for (long i = pages - 1; i >= 0; i--)
        if (map[i * WORDS] != (unsigned long)(pages - i - 1)) {
            printf("page %ld holds %lu\n", i, map[i * WORDS]);
            return 1;
        }
    munmap(map, size);
    return 0;
}

int main(void)
{
    for (int i = 0; i < PASSES; i++)
        if (pass(MIB * 1024ul * 1024))
            return 1;
    return 0;
}
