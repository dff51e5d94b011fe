/*
 * mmap.c: making a mapping.
 *
 *      check     what needs no look at the address space: length, flags, rights of the file
 *      place     where: FIXED, a hint that is free, or the highest hole below mmap_base
 *      reserve   promises, an object for shared memory, one VMA, what FIXED needs to unmap
 *      commit    unmap what is replaced, merge with a neighbour or insert
 *
 * An error comes from the first three, and then nothing has changed. The order of the checks is
 * Linux's do_mmap, since a call that is wrong in two ways has to get the same answer. => mm.lock
 * held for write from place to commit.
 */
#include "kernel/mm/space.h"
#include "kernel/sched/thread.h"
#include "lib/abi/errno.h"
#include "lib/abi/mman.h"

/* With MAP_HUGETLB the highest flag bits are log2 of a page's size. */
enum { MAP_HUGE_SHIFT = 26, HUGE_2M = 21, HUGE_1G = 30 };

/* Flags that MAP_SHARED_VALIDATE knows: those older than itself, MAP_UNINITIALIZED, MAP_ABOVE4G
 * and the sizes of huge pages among them. Not MAP_FIXED_NOREPLACE, as Linux 6 has it. */
#define MAP_OLD_FLAGS                                                                              \
    (MAP_TYPE | MAP_FIXED | MAP_ANONYMOUS | MAP_32BIT | 0x80 | MAP_GROWSDOWN | MAP_DENYWRITE |     \
     MAP_EXECUTABLE | MAP_LOCKED | MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_STACK |       \
     MAP_HUGETLB | 0x4000000 | (u32)HUGE_2M << MAP_HUGE_SHIFT | (u32)HUGE_1G << MAP_HUGE_SHIFT)

#define MAP_32BIT_START 0x40000000ul
#define MAP_32BIT_END 0x80000000ul
#define FILE_BYTES_MAX (~0ul >> 1) /* Linux's s_maxbytes of tmpfs */

struct knob max_map_count_knob = {
    .name = "vm.max_map_count",
    .help = "VMAs of one address space",
    .value = 65530,
    .max = 0x7fffffff,
};

struct knob mmap_min_addr_knob = {
    .name = "vm.mmap_min_addr",
    .help = "lowest address that mmap gives without MAP_FIXED, bytes",
    .value = 65536,
    .max = 1ul << 32,
};

struct plan {
    const struct mmap_request *request;
    u32 flags; /* MAP_ */
    u32 lock;  /* VM_LOCK_BITS */
    u64 length;
    u64 charged;
    struct mm_file *file; /* a reference is held */
    struct vma *next;     /* the first VMA that ends above the place */
    struct vma_shape shape;
};

/* ---- place ---- */

/* May [addr, addr + length) be used as it is, in a range that ends at limit? */
static bool free_at(struct mm *mm, struct plan *plan, vaddr_t addr, vaddr_t limit)
{
    if (plan->length > limit || addr > limit - plan->length)
        return false;
    plan->next = vma_find(&mm->vmas, addr);
    return !plan->next || addr + plan->length <= vma_gap_end(plan->next);
}

static vaddr_t min_addr(void)
{
    return page_align_up(knob_value(&mmap_min_addr_knob));
}

static long place_hole(struct mm *mm, struct plan *plan, bool low)
{
    struct vma_hole hole = {.length = plan->length, .floor = min_addr(), .ceiling = mm->mmap_base};

    if (low) {
        hole.bottom_up = true;
        hole.floor = MAP_32BIT_START;
        hole.ceiling = MAP_32BIT_END;
    }
    bool found = vma_find_hole(&mm->vmas, &hole);
    if (!found && !low) { /* nothing below mmap_base: the old layout has room above it */
        hole.bottom_up = true;
        hole.floor = page_align_up(USER_LIMIT / 3);
        hole.ceiling = USER_END;
        found = vma_find_hole(&mm->vmas, &hole);
    }
    plan->next = hole.next;
    return found ? (long)hole.addr : -ENOMEM;
}

/* Sets plan->next as well. */
static long place(struct mm *mm, struct plan *plan)
{
    vaddr_t addr = plan->request->addr;
    bool low = plan->flags & MAP_32BIT;

    if (plan->length > USER_END)
        return -ENOMEM;
    if (plan->flags & MAP_FIXED) {
        if (addr > USER_END - plan->length)
            return -ENOMEM;
        if (addr & ~PAGE_MASK)
            return -EINVAL;
        plan->next = vma_find(&mm->vmas, addr);
        return addr;
    }
    addr &= PAGE_MASK;
    if (addr != 0) {
        addr = max_u64(addr, min_addr());
        if (free_at(mm, plan, addr, low ? MAP_32BIT_END : USER_END))
            return addr;
    }
    return place_hole(mm, plan, low);
}

long mmap_place(struct mm *mm, vaddr_t hint, u64 length)
{
    struct mmap_request request = {.addr = hint};
    struct plan plan = {.request = &request, .length = length};

    return place(mm, &plan);
}

/* ---- check ---- */

static bool huge_size_exists(u32 shift)
{
    return shift == 0 || shift == HUGE_2M || shift == HUGE_1G;
}

static int check_request(struct plan *plan)
{
    const struct mmap_request *r = plan->request;

    if ((r->offset & ~PAGE_MASK) || r->length == 0)
        return -EINVAL;
    plan->flags = r->flags;
    if (plan->flags & MAP_FIXED_NOREPLACE)
        plan->flags |= MAP_FIXED;
    if (plan->flags & MAP_HUGETLB) /* of the sizes that x86 has, there are none left to have */
        return !r->file && huge_size_exists(plan->flags >> MAP_HUGE_SHIFT) ? -ENOMEM : -EINVAL;
    plan->length = page_align_up(r->length);
    if (plan->length == 0)
        return -ENOMEM;
    plan->shape.pgoff = r->offset >> PAGE_SHIFT;
    return 0;
}

static int check_file(struct plan *plan)
{
    const struct mmap_request *r = plan->request;
    u32 type = plan->flags & MAP_TYPE, *vm = &plan->shape.flags;
    bool can_write = r->file->access & MM_FILE_WRITE;

    if (plan->length > FILE_BYTES_MAX || r->offset > ((FILE_BYTES_MAX - plan->length) & PAGE_MASK))
        return -EOVERFLOW;
    if (type == MAP_SHARED_VALIDATE && (plan->flags & ~MAP_OLD_FLAGS))
        return -EOPNOTSUPP;
    if (type == MAP_SHARED || type == MAP_SHARED_VALIDATE) {
        if ((r->prot & PROT_WRITE) && !can_write)
            return -EACCES;
        *vm |= VM_SHARED | VM_MAYSHARE;
        if (!can_write)
            *vm &= ~(VM_MAYWRITE | VM_SHARED);
    } else if (type != MAP_PRIVATE) {
        return -EINVAL;
    }
    if (!(r->file->access & MM_FILE_READ))
        return -EACCES;
    if (!r->file->mapping && !r->file->zero)
        return -ENODEV;
    if (*vm & VM_GROWSDOWN)
        return -EINVAL;
    if (!r->file->zero)
        plan->shape.file = r->file;
    else
        plan->shape.pgoff = *vm & VM_MAYSHARE ? 0 : plan->shape.start >> PAGE_SHIFT;
    return 0;
}

static int check_anonymous(struct plan *plan)
{
    switch (plan->flags & MAP_TYPE) {
    case MAP_SHARED:
        if (plan->shape.flags & VM_GROWSDOWN)
            return -EINVAL;
        plan->shape.flags |= VM_SHARED | VM_MAYSHARE;
        plan->shape.pgoff = 0;
        return 0;
    case MAP_PRIVATE:
        plan->shape.pgoff = plan->shape.start >> PAGE_SHIFT;
        return 0;
    default:
        return -EINVAL;
    }
}

static int check_kind(struct plan *plan)
{
    u32 flags = plan->flags;

    plan->shape.flags = (plan->request->prot & VM_RIGHTS) | VM_MAYREAD | VM_MAYWRITE | VM_MAYEXEC |
                        (flags & MAP_GROWSDOWN ? VM_GROWSDOWN : 0) | plan->lock;
    int error = plan->request->file ? check_file(plan) : check_anonymous(plan);
    if (error)
        return error;
    if ((flags & MAP_NORESERVE) && knob_value(&overcommit_knob) != OVERCOMMIT_NEVER)
        plan->shape.flags |= VM_NORESERVE;
    return 0;
}

/* ---- reserve and commit ---- */

/* Look at the limits; promise the pages; get hold of the file. */
static int reserve(struct mm *mm, struct plan *plan)
{
    u64 pages = plan->length >> PAGE_SHIFT;
    u64 replaced = mm_pages_in(mm, plan->next, plan->shape.start, plan->shape.end, 0);

    if (!mm_may_grow(mm, plan->shape.flags, pages - replaced))
        return -ENOMEM;
    if (commit_counts(plan->shape.flags)) {
        if (commit_charge(mm, pages))
            return -ENOMEM;
        plan->charged = pages;
        plan->shape.flags |= VM_ACCOUNT;
    }
    if (plan->shape.file) {
        plan->file = mm_file_get(plan->shape.file);
    } else if (plan->shape.flags & VM_MAYSHARE) {
        bool promise = !(plan->shape.flags & VM_NORESERVE);
        plan->file = plan->shape.file = shared_create(mm, pages, promise);
        if (!plan->file)
            return -ENOMEM;
    }
    return 0;
}

static void unreserve(struct plan *plan)
{
    commit_return(plan->charged);
    if (plan->file)
        mm_file_put(plan->file);
}

bool mm_merge_shape(struct mm *mm, const struct vma_shape *shape, struct vma *prev,
                    struct vma *next)
{
    if (!vma_merge_new(&mm->vmas, prev, next, shape))
        return false;
    mm_account(mm, shape->flags, (shape->end - shape->start) >> PAGE_SHIFT);
    if (shape->file)
        mm_file_put(shape->file); /* the VMA that took it in has one */
    return true;
}

void mm_insert_shape(struct mm *mm, const struct vma_shape *shape, struct vma *next,
                     struct vma *vma)
{
    mm_account(mm, shape->flags, (shape->end - shape->start) >> PAGE_SHIFT);
    vma_take_shape(vma, shape);
    vma_hook(&mm->vmas, vma, next);
}

static bool busy(const struct plan *plan)
{
    return plan->next && plan->next->start < plan->shape.end;
}

/* Where there is nothing, a merge needs no memory. */
static int commit(struct mm *mm, struct plan *plan)
{
    struct unmap unmap = {.next = plan->next, .prev = vma_prev(&mm->vmas, plan->next)};
    bool replace = busy(plan);

    if (!replace && mm_merge_shape(mm, &plan->shape, unmap.prev, unmap.next))
        return 0;
    struct vma *vma = vma_alloc(&mm->vmas);
    if (!vma)
        return -ENOMEM;
    if (replace) {
        if (unmap_prepare(mm, &unmap, plan->next, plan->shape.start, plan->shape.end)) {
            vma_free(vma);
            return -ENOMEM;
        }
        unmap_perform(mm, &unmap);
        if (mm_merge_shape(mm, &plan->shape, unmap.prev, unmap.next)) {
            vma_free(vma);
            return 0;
        }
    }
    mm_insert_shape(mm, &plan->shape, unmap.next, vma);
    return 0;
}

static int check_lock(struct mm *mm, struct plan *plan)
{
    plan->lock = mm->lock_future | (plan->flags & MAP_LOCKED ? VM_LOCKED : 0);
    if ((plan->flags & MAP_LOCKED) && !mm->limit[MM_LIMIT_MEMLOCK] && !mm->lock_exempt)
        return -EPERM;
    return mm_may_lock(mm, plan->lock, plan->length >> PAGE_SHIFT) ? 0 : -EAGAIN;
}

static long map_planned(struct mm *mm, struct plan *plan)
{
    int error;

    if (map_count_full(mm, 0))
        return -ENOMEM;
    long addr = place(mm, plan);
    if (addr < 0)
        return addr;
    plan->shape.start = addr;
    plan->shape.end = addr + plan->length;
    if ((plan->flags & MAP_FIXED_NOREPLACE) && busy(plan))
        return -EEXIST;
    if ((error = check_lock(mm, plan)) != 0 || (error = check_kind(plan)) != 0)
        return error;
    if ((error = reserve(mm, plan)) == 0 && (error = commit(mm, plan)) == 0)
        return addr;
    unreserve(plan);
    return error;
}

long mmap_locked(struct mm *mm, const struct mmap_request *request)
{
    struct plan plan = {.request = request};
    int error = check_request(&plan);

    return error ? error : map_planned(mm, &plan);
}

long mm_mmap(struct mm *mm, const struct mmap_request *request)
{
    u32 flags = request->flags;

    rwsem_write_lock(&mm->lock);
    long addr = mmap_locked(mm, request);
    bool locked = (flags & MAP_LOCKED) || mm->lock_future;
    rwsem_write_unlock(&mm->lock);
    if (addr >= 0 && (locked || (flags & (MAP_POPULATE | MAP_NONBLOCK)) == MAP_POPULATE))
        mm_populate(mm, addr, addr + page_align_up(request->length), POPULATE_MAP);
    return addr;
}
