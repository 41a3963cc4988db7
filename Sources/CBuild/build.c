/* Names the build of this program. */
#define _GNU_SOURCE
#include "CBuild.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

struct search {
    char *buffer;
    size_t capacity;
    size_t length;
};

static size_t aligned (size_t size)
{
    return (size + 3u) & ~(size_t) 3u;
}

static void write_digits (struct search *search, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    if (2 * count >= search->capacity)
        return;
    for (size_t i = 0; i < count; i++) {
        search->buffer[2 * i] = digits[bytes[i] >> 4];
        search->buffer[2 * i + 1] = digits[bytes[i] & 0xf];
    }
    search->length = 2 * count;
    search->buffer[search->length] = '\0';
}

static void look_through_notes (struct search *search, const char *notes, size_t size)
{
    while (size >= sizeof (ElfW (Nhdr))) {
        ElfW (Nhdr) note;
        memcpy (&note, notes, sizeof note);
        const size_t name = sizeof note, text = name + aligned (note.n_namesz), end = text + aligned (note.n_descsz);
        if (end > size)
            return;
        if (NT_GNU_BUILD_ID == note.n_type && 4 == note.n_namesz && 0 == memcmp (notes + name, "GNU", 4))
            return write_digits (search, (const unsigned char *) notes + text, note.n_descsz);
        notes += end;
        size -= end;
    }
}

/* Called for the program itself first (dl_iterate_phdr(3)). */
static int look_at (struct dl_phdr_info *info, size_t size, void *context)
{
    (void) size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW (Phdr) *const header = &info->dlpi_phdr[i];
        if (PT_NOTE == header->p_type)
            look_through_notes (context, (const char *) (uintptr_t) (info->dlpi_addr + header->p_vaddr), header->p_memsz);
    }
    return 1;
}

const char *build_revision (void)
{
#ifdef BINDERY_REVISION
    return BINDERY_REVISION;
#else
    return NULL;
#endif
}

size_t build_id (char *buffer, size_t capacity)
{
    struct search search = { buffer, capacity, 0 };
    (void) dl_iterate_phdr (&look_at, &search);
    return search.length;
}
