/* echo.c: standard input to standard output, byte for byte, until its end; how many bytes, to
 * standard error. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    static char buf[3000]; /* no multiple of a frame of the link */
    unsigned long total = 0;
    ssize_t n;

    while ((n = read(0, buf, sizeof buf)) > 0) {
        for (ssize_t done = 0, m; done < n; done += m)
            if ((m = write(1, buf + done, n - done)) <= 0)
                return 1;
        total += n;
    }
    fprintf(stderr, "%lu bytes\n", total);
    return n < 0 ? 2 : 0;
}
