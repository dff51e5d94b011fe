/* false.c: status 1. */
int main(void)
{
    return 1;
}
