/*
 * copy.c: copies into and out of an address space that need not be the one in use: exec fills a new
 * one, /proc reads another process's.
 *
 * Page by page, through the kernel's own mapping of the frame, under a reference of the page.
 * Writing makes a page present as the program's own write would; reading leaves all as it is.
 */
#include "kernel/mm/space.h"
#include "lib/abi/errno.h"
#include "lib/string.h"

/* A reference of the page at addr; NULL: none is there. => mm.lock held. */
static struct page *page_at(struct mm *mm, vaddr_t addr)
{
    struct pt_slot slot;
    struct page *page = NULL;

    if (pt_slot_lock(&mm->pt, addr, false, &slot))
        return NULL;
    if (pte_has_page(*slot.entry)) {
        page = pfn_to_page(pte_pfn(*slot.entry));
        page_get(page);
    }
    pt_slot_unlock(&slot);
    return page;
}

/* Of a copy of length bytes at addr, what lies in the first page. */
static size_t page_part(vaddr_t addr, size_t length)
{
    return min_u64(length, PAGE_SIZE - (addr & ~PAGE_MASK));
}

static u8 *byte_at(struct page *page, vaddr_t addr)
{
    return (u8 *)page_to_virt(page) + (addr & ~PAGE_MASK);
}

static int page_for_write(struct mm *mm, vaddr_t addr, struct page **page)
{
    do {
        enum fault_result result = fault_in(mm, addr, FAULT_WRITE, true);
        if (result == FAULT_OOM)
            return -ENOMEM;
        if (result != FAULT_DONE && result != FAULT_RETRY)
            return -EFAULT;
        rwsem_read_lock(&mm->lock);
        *page = result == FAULT_DONE ? page_at(mm, addr) : NULL; /* NULL: it went again */
        rwsem_read_unlock(&mm->lock);
    } while (!*page);
    return 0;
}

int mm_write(struct mm *mm, vaddr_t addr, const void *src, size_t length)
{
    if (!user_range_ok(addr, length))
        return -EFAULT;
    for (size_t done = 0, n; done < length; done += n) {
        struct page *page;
        int error = page_for_write(mm, addr + done, &page);
        if (error)
            return error;
        n = page_part(addr + done, length - done);
        memcpy(byte_at(page, addr + done), (const u8 *)src + done, n);
        page_put(page);
    }
    return 0;
}

/* n bytes of one page. => mm.lock held; a VMA is there. */
static void peek_page(struct mm *mm, vaddr_t addr, void *dst, size_t n)
{
    struct page *page = page_at(mm, addr);

    if (!page) {
        memset(dst, 0, n);
        return;
    }
    memcpy(dst, byte_at(page, addr), n);
    page_put(page);
}

size_t mm_peek(struct mm *mm, vaddr_t addr, void *dst, size_t length)
{
    size_t done = 0;

    rwsem_read_lock(&mm->lock);
    for (size_t n; done < length; done += n) {
        struct vma *vma = vma_find_quiet(&mm->vmas, addr + done);
        if (!vma || addr + done < vma->start)
            break;
        n = page_part(addr + done, length - done);
        peek_page(mm, addr + done, (u8 *)dst + done, n);
    }
    rwsem_read_unlock(&mm->lock);
    return done;
}
