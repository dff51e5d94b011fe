/* bytes.c: all 256 byte values, in order on standard output and backwards on standard error. */
#include <unistd.h>

int main(void)
{
    unsigned char up[256], down[256];

    for (int i = 0; i < 256; i++)
        down[255 - i] = up[i] = i;
    return write(1, up, sizeof up) != sizeof up || write(2, down, sizeof down) != sizeof down;
}
