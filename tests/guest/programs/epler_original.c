/*
 * epler_original.c: the system calls of the program in Epler's mail of 2001, in its order. As there,
 * test.dat has to be in the current directory, addresses are kept in an int, and the loop goes on
 * until a map fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

enum { START = 0x70000000, STEP = 4096, LINE = 10000 };

int main(void)
{
    int file = open("test.dat", O_RDWR), address = START;

    if (file < 0) {
        puts("cannot open test.dat");
        return 1;
    }
    time_t then = time(NULL);
    for (int count = 1;; count++) {
        void *map = mmap((void *)(long)address, STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
        address -= STEP;
        if ((int)(long)map == -1)
            break;
        if (count % LINE == 0) {
            printf(" %d  Time: %ld\n", count, (long)(time(NULL) - then));
            then = time(NULL);
        }
    }
    printf("Failed %p %d\n", (void *)(long)address, errno);
    return 0;
}
