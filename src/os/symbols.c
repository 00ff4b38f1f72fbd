/* SPDX-License-Identifier: MIT */
/* symbols.c — what the function at an address is called, as far as the program's files tell */
#include "os/symbols.h"

#include "base/alloc.h"
#include "base/fault.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Which file an address is from, the dynamic linker says; the rest is in the file, as ELF has it: a
 * table of sections, among them one of symbols, which names another of their texts.  A file may
 * have been replaced since it was loaded, so it is read, not mapped, and nothing in it is believed
 * to be within its bounds.
 */
#define TABLE_BYTES_MOST ((size_t)256 << 20) /* of symbols or of texts; arbitrary */

/* One file. */
struct object {
	struct object *next;
	uintptr_t base;	     /* by which its addresses are moved */
	ElfW(Sym) * symbols; /* NULL: it has none that can be read */
	size_t count;
	char *texts; /* ended by a zero */
	size_t texts_bytes;
	char name[64]; /* the last part of its path */
};

struct skuai_symbols {
	struct object *objects;
};

/* --- reading --- */

static bool read_at(int fd, void *to, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t got = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

/* The bytes of a section and a zero behind them; NULL: they are not to be had. */
static void *read_section(int fd, const ElfW(Shdr) * section)
{
	if (section->sh_type == SHT_NOBITS || section->sh_size > TABLE_BYTES_MOST)
		return NULL;
	char *bytes = skuai_alloc(1, section->sh_size + 1);
	if (bytes && !read_at(fd, bytes, section->sh_size, section->sh_offset)) {
		skuai_free(bytes);
		return NULL;
	}
	return bytes;
}

static bool is_our_elf(const ElfW(Ehdr) * header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       header->e_shentsize == sizeof(ElfW(Shdr)) && header->e_shnum > 0;
}

/* The section of symbols: the whole table, else what the linker needs of it. */
static const ElfW(Shdr) * find_symbols(const ElfW(Shdr) * sections, size_t count)
{
	const ElfW(Shdr) *found = NULL;

	for (size_t i = 0; i < count; i++)
		if (sections[i].sh_type == SHT_SYMTAB ||
		    (sections[i].sh_type == SHT_DYNSYM && !found))
			found = &sections[i];
	return found && found->sh_entsize == sizeof(ElfW(Sym)) && found->sh_link < count ? found
											 : NULL;
}

static void read_object(int fd, struct object *object)
{
	ElfW(Ehdr) header;

	if (!read_at(fd, &header, sizeof(header), 0) || !is_our_elf(&header))
		return;
	ElfW(Shdr) *sections = skuai_alloc(header.e_shnum, sizeof(*sections));
	if (!sections)
		return;
	if (read_at(fd, sections, header.e_shnum * sizeof(*sections), header.e_shoff)) {
		const ElfW(Shdr) *found = find_symbols(sections, header.e_shnum);
		if (found) {
			const ElfW(Shdr) *texts = &sections[found->sh_link];
			object->symbols = read_section(fd, found);
			object->texts = read_section(fd, texts);
			object->count = found->sh_size / sizeof(ElfW(Sym));
			object->texts_bytes = texts->sh_size;
		}
	}
	skuai_free(sections);
	if (!object->symbols || !object->texts)
		object->count = 0;
}

/* --- which file --- */

struct place {
	uintptr_t address;
	uintptr_t base;
	char path[4096];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct place *place = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		if (part->p_type != PT_LOAD ||
		    place->address - info->dlpi_addr - part->p_vaddr >= part->p_memsz)
			continue;
		const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name
								       : "/proc/self/exe";
		place->base = info->dlpi_addr;
		snprintf(place->path, sizeof(place->path), "%s", path);
		return 1;
	}
	return 0;
}

/* The last part of the path; of /proc/self/exe, of what that leads to. */
static void name_object(struct object *object, const char *path)
{
	char target[4096];
	ssize_t bytes = readlink(path, target, sizeof(target) - 1);

	if (bytes > 0 && strcmp(path, "/proc/self/exe") == 0) {
		target[bytes] = '\0';
		path = target;
	}
	const char *slash = strrchr(path, '/');
	snprintf(object->name, sizeof(object->name), "%.63s", slash ? slash + 1 : path);
}

static struct object *add_object(struct skuai_symbols *symbols, const struct place *place)
{
	struct object *object = skuai_alloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->base = place->base;
	name_object(object, place->path);
	int fd = skuai_fault(SKUAI_FAULT_OPEN) ? -1 : open(place->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_object(fd, object);
		close(fd);
	}
	object->next = symbols->objects;
	symbols->objects = object;
	return object;
}

static struct object *object_of(struct skuai_symbols *symbols, uintptr_t address)
{
	struct place place = { .address = address };

	if (!dl_iterate_phdr(look_at, &place))
		return NULL;
	for (struct object *object = symbols->objects; object; object = object->next)
		if (object->base == place.base)
			return object;
	return add_object(symbols, &place);
}

/* --- names --- */

/* NULL: none. */
static const char *find_name(const struct object *object, uintptr_t address)
{
	uintptr_t value = address - object->base;

	for (size_t i = 0; i < object->count; i++) {
		const ElfW(Sym) *symbol = &object->symbols[i];
		if ((symbol->st_info & 0xf) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
		    symbol->st_name >= object->texts_bytes || !object->texts[symbol->st_name])
			continue;
		if (value == symbol->st_value ||
		    (value > symbol->st_value && value - symbol->st_value < symbol->st_size))
			return &object->texts[symbol->st_name];
	}
	return NULL;
}

/* Without what the compiler added behind a dot, and SKUA_TASK to the name of a task. */
static void write_name(const char *found, char *name, size_t room)
{
	static const char task[] = "_skua_task";
	size_t bytes = strcspn(found, "."), tail = sizeof(task) - 1;

	if (bytes == 0)
		bytes = strlen(found);
	if (bytes > tail && memcmp(found + bytes - tail, task, tail) == 0)
		bytes -= tail;
	snprintf(name, room, "%.*s", (int)(bytes < room ? bytes : room), found);
}

void skuai_symbols_name(struct skuai_symbols *symbols, uintptr_t address, char *name, size_t room)
{
	struct object *object = symbols ? object_of(symbols, address) : NULL;
	const char *found = object ? find_name(object, address) : NULL;

	if (found)
		write_name(found, name, room);
	else if (object)
		snprintf(name, room, "%.24s+0x%llx", object->name,
			 (unsigned long long)(address - object->base));
	else
		snprintf(name, room, "0x%llx", (unsigned long long)address);
}

struct skuai_symbols *skuai_symbols_open(void)
{
	return skuai_alloc(1, sizeof(struct skuai_symbols));
}

void skuai_symbols_close(struct skuai_symbols *symbols)
{
	if (!symbols)
		return;
	for (struct object *object = symbols->objects, *next; object; object = next) {
		next = object->next;
		skuai_free(object->symbols);
		skuai_free(object->texts);
		skuai_free(object);
	}
	skuai_free(symbols);
}
