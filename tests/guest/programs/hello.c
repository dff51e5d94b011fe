/* hello.c: the least that a C library has to do; built with glibc, as a static PIE, and with
 * musl. */
#include <stdio.h>

int main(void)
{
    return puts("hello, world") < 0;
}
