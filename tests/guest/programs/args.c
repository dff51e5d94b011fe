/* args.c: prints what exec put on the stack: arguments, environment and the auxiliary vector, a
 * line each. */
#include <elf.h>
#include <stdio.h>

int main(int argc, char **argv, char **envp)
{
    char **p = envp;

    printf("argc %d\n", argc);
    for (int i = 0; i < argc; i++)
        printf("argv[%d] %s\n", i, argv[i]);
    if (argv[argc])
        return 1;
    for (; *p; p++)
        printf("env %s\n", *p);
    for (Elf64_auxv_t *a = (Elf64_auxv_t *)(p + 1); a->a_type != AT_NULL; a++) {
        printf("aux %lu %lu\n", a->a_type, a->a_un.a_val);
        if (a->a_type == AT_EXECFN)
            printf("execfn %s\n", (char *)a->a_un.a_val);
    }
    return ((unsigned long)argv - sizeof(long)) % 16; /* the stack pointer at entry */
}
