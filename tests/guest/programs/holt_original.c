/*
 * holt_original.c: the system calls of the program in Holt's mail of 2005, in its order, and nothing
 * else: no place is chosen, nothing is counted.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
    static const char name[] = "/tmp/holt-original";
    const size_t length = 17592182882304;
    int file = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);

    if (file < 0) {
        printf("cannot create %s\n", name);
        return 1;
    }
    unlink(name);
    void *map = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED)
        munmap(map, length);
    return 0;
}
