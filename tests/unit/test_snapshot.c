/* SPDX-License-Identifier: MIT */
/* test_snapshot.c — a snapshot gives back its scan; cut or damaged it gives nothing */
#include "check.h"
#include "scan/ncdu_file.h"
#include "scan/scan_command.h"
#include "scan/snapshot.h"
#include "scan/tree_tour.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char export[] =
	"[1,2,{\"timestamp\":77},[{\"name\":\"/r\",\"asize\":100,\"dsize\":512,\"dev\":7},"
	"{\"name\":\"a\\u00ff\xff\\n\",\"asize\":10,\"dsize\":1024,\"mtime\":-3},"
	"[{\"name\":\"d\",\"read_error\":true,\"dev\":9},{\"name\":\"l\",\"asize\":30,\"dsize\":512,"
	"\"ino\":9,\"nlink\":2}],{\"name\":\"l\",\"asize\":30,\"dsize\":512,"
	"\"ino\":9,\"nlink\":2,"
	"\"dev\":9},{\"name\":\"p\",\"notreg\":true},{\"name\":\"u\",\"read_error\":true},"
	"[{\"name\":\"k\",\"excluded\":\"kernfs\"}],{\"name\":\"f\",\"excluded\":\"frmlnk\"}]]";

static const struct scan_options plain;

static void read_export(struct scan *scan)
{
	struct pull pull;

	assert_true(pull_open_bytes(&pull, export, sizeof(export) - 1));
	assert_null(ncdu_read(scan, &plain, &pull));
	pull_close(&pull);
}

static const char *saved_path(void)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/s.skua", test_folder());
	return path;
}

/* The bytes of a good snapshot, to be freed. */
static unsigned char *saved(size_t *size)
{
	struct scan scan;
	unsigned char *bytes = malloc(4096);

	assert_non_null(bytes);
	read_export(&scan);
	assert_int_equal(snapshot_write(&scan, saved_path()), 0);
	scan_close(&scan);
	FILE *file = fopen(saved_path(), "rb");
	assert_non_null(file);
	*size = fread(bytes, 1, 4096, file);
	fclose(file);
	assert_in_range(*size, 100, 4095);
	return bytes;
}

/* From a heap copy of exactly this length: a byte too far is seen by a sanitizer. */
static const char *read_bytes(struct scan *scan, const unsigned char *bytes, size_t size)
{
	char *copy = malloc(size ? size : 1);
	struct pull pull;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	assert_true(pull_open_bytes(&pull, copy, size));
	const char *wrong = snapshot_read(scan, &plain, &pull);
	pull_close(&pull);
	free(copy);
	return wrong;
}

static void check_same_dir(const struct scan_dir *a, const struct scan_dir *b)
{
	static const struct scan_choice disk, apparent = { .is_apparent = true };

	assert_string_equal(a->name, b->name);
	assert_true(a->type == b->type && a->has_error == b->has_error && a->mtime == b->mtime);
	assert_true(a->dev == b->dev && a->own_bytes == b->own_bytes);
	assert_int_equal(scan_size_of_dir(&disk, a), scan_size_of_dir(&disk, b));
	assert_int_equal(scan_size_of_dir(&apparent, a), scan_size_of_dir(&apparent, b));
	assert_int_equal(scan_entries_of(a), scan_entries_of(b));
}

static void check_same_tree(const struct scan *left, const struct scan *right)
{
	struct tour a, b;
	struct tour_links links_a, links_b;
	enum tour_step step;

	assert_true(tour_links_make(&links_a, left) && tour_links_make(&links_b, right));
	tour_start(&a, left->roots[0]);
	tour_start(&b, right->roots[0]);
	do {
		step = tour_next(&a);
		assert_int_equal(tour_next(&b), step);
		if (step == TOUR_DIR)
			check_same_dir(a.dir, b.dir);
		if (step != TOUR_FILE)
			continue;
		assert_memory_equal(a.file, b.file, sizeof(*a.file) + a.file->name_length + 1);
		const struct scan_link *link = tour_links_find(&links_a, a.file),
				       *other = tour_links_find(&links_b, b.file);
		assert_int_equal(!link, !other);
		if (link)
			assert_true(link->dev == other->dev && link->ino == other->ino &&
				    link->nlink == other->nlink);
	} while (step != TOUR_END);
	tour_stop(&a);
	tour_stop(&b);
	tour_links_free(&links_a);
	tour_links_free(&links_b);
}

static void test_snapshot_gives_back_what_was_saved(void **state)
{
	struct scan before, after;
	size_t size;
	unsigned char *bytes = saved(&size);
	(void)state;

	read_export(&before);
	assert_null(read_bytes(&after, bytes, size));
	check_same_tree(&before, &after);
	assert_memory_equal(&before.total, &after.total, sizeof(before.total));
	assert_int_equal(after.read_when, 77);
	assert_int_equal(after.errors.count, before.errors.count);
	assert_string_equal(after.errors.all[1].path, "/r/u");
	scan_close(&before);
	scan_close(&after);
	free(bytes);
}

static void test_snapshot_cut_anywhere_is_refused(void **state)
{
	struct scan scan;
	size_t size;
	unsigned char *bytes = saved(&size);
	(void)state;

	for (size_t cut = 0; cut < size; cut++) {
		const char *wrong = read_bytes(&scan, bytes, cut);
		if (!wrong)
			fail_msg("the first %zu bytes were read", cut);
		assert_non_null(strstr(wrong, cut < 8 ? "no snapshot" : "cut short"));
		scan_close(&scan);
	}
	bytes[size] = 0;
	assert_non_null(strstr(read_bytes(&scan, bytes, size + 1), "follows"));
	scan_close(&scan);
	free(bytes);
}

static void test_snapshot_any_flipped_bit_is_noticed(void **state)
{
	struct scan scan;
	size_t size;
	unsigned char *bytes = saved(&size);
	(void)state;

	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (!read_bytes(&scan, bytes, size))
			fail_msg("bit %zu of byte %zu was not noticed", bit % 8, bit / 8);
		scan_close(&scan);
		bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	free(bytes);
}

/* A checksum that fits what is there. */
static void sign(unsigned char *bytes, size_t size)
{
	snapshot_put(bytes + SNAPSHOT_HEAD + 4,
		     snapshot_crc(bytes + SNAPSHOT_HEAD + 8, size - SNAPSHOT_HEAD - 8), 4);
}

/* Whoever makes a checksum that fits is not believed either. */
static void test_snapshot_hostile_bytes_are_safe(void **state)
{
	struct scan scan;
	size_t size;
	unsigned refused = 0;
	unsigned char *bytes = saved(&size);
	(void)state;

	for (size_t at = SNAPSHOT_HEAD + 8; at < size; at++) {
		for (unsigned step = 0; step < 3; step++) {
			static const unsigned char evil[] = { 0, 0xff, 0x80 };
			unsigned char kept = bytes[at];
			bytes[at] = evil[step];
			sign(bytes, size);
			refused += read_bytes(&scan, bytes, size) != NULL;
			scan_close(&scan);
			bytes[at] = kept;
		}
	}
	assert_true(refused >
		    size / 4); /* tags, lengths, types, names; sizes and times may be any */
	free(bytes);
}

/* Lies that only a field of its own can tell: counts, and a path that ends early. */
static void test_snapshot_that_contradicts_itself_is_refused(void **state)
{
	struct scan scan;
	size_t size;
	unsigned char *bytes = saved(&size);
	const size_t records = size - 8, errors = size - 9 - 17 + 1;
	(void)state;

	bytes[records] ^= 1;
	sign(bytes, size);
	assert_non_null(strstr(read_bytes(&scan, bytes, size), "no scan writes"));
	scan_close(&scan);
	bytes[records] ^= 1;
	bytes[errors] -= 1; /* one less than it lists */
	sign(bytes, size);
	assert_non_null(strstr(read_bytes(&scan, bytes, size), "no scan writes"));
	scan_close(&scan);
	bytes[errors] += 1;
	unsigned char *path = memmem(bytes, size, "/r/u", 4);
	assert_non_null(path);
	path[2] = 0;
	sign(bytes, size);
	assert_non_null(strstr(read_bytes(&scan, bytes, size), "no scan writes"));
	scan_close(&scan);
	snapshot_put(bytes + SNAPSHOT_HEAD, SNAPSHOT_BLOCK + 1, 4);
	assert_non_null(strstr(read_bytes(&scan, bytes, size), "damaged"));
	scan_close(&scan);
	free(bytes);
}

static void test_snapshot_of_another_version_says_so(void **state)
{
	struct scan scan;
	size_t size;
	unsigned char *bytes = saved(&size);
	(void)state;

	bytes[8] = 9;
	snapshot_put(bytes + 28, snapshot_crc(bytes, 28), 4);
	assert_non_null(strstr(read_bytes(&scan, bytes, size), "newer"));
	scan_close(&scan);
	free(bytes);
}

static void test_snapshot_file_appears_whole_or_not(void **state)
{
	struct scan scan;
	struct stat stat_of;
	char path[400], magic[8];
	(void)state;

	read_export(&scan);
	snprintf(path, sizeof(path), "%s/none/s.skua", test_folder());
	assert_int_equal(snapshot_write(&scan, path), ENOENT);
	snprintf(path, sizeof(path), "%s/fifo", test_folder()); /* written to, not replaced */
	assert_int_equal(mkfifo(path, 0600), 0);
	int reader = open(path, O_RDWR | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(snapshot_write(&scan, path), 0);
	assert_int_equal(read(reader, magic, 8), 8);
	assert_memory_equal(magic, SNAPSHOT_MAGIC, 8);
	close(reader);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_true(S_ISFIFO(stat_of.st_mode));
	test_write_text(test_folder(), "old.skua", "before");
	snprintf(path, sizeof(path), "%s/old.skua", test_folder());
	assert_int_equal(snapshot_write(&scan, path), 0);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_true(stat_of.st_size > 100);
	mode_t mask = umask(0);
	umask(mask);
	assert_int_equal(stat_of.st_mode & 0777, 0666 & ~mask);
	scan_close(&scan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshot_gives_back_what_was_saved),
		cmocka_unit_test(test_snapshot_cut_anywhere_is_refused),
		cmocka_unit_test(test_snapshot_any_flipped_bit_is_noticed),
		cmocka_unit_test(test_snapshot_hostile_bytes_are_safe),
		cmocka_unit_test(test_snapshot_that_contradicts_itself_is_refused),
		cmocka_unit_test(test_snapshot_of_another_version_says_so),
		cmocka_unit_test(test_snapshot_file_appears_whole_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
