/* true.c: status 0. */
int main(void)
{
    return 0;
}
