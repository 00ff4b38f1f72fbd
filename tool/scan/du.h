/* SPDX-License-Identifier: MIT */
/* du.h — `skua scan --du`: what GNU du prints, byte for byte */
#ifndef SKUAT_SCAN_DU_H
#define SKUAT_SCAN_DU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;	    /* command.h */
struct arg_option;  /* args.h */
struct scan;	    /* walk.h */
struct scan_choice; /* scan.h */

/* Options that only du has; the others are those of every scan. */
struct du_choice {
	bool is_wanted;
	bool is_all;	    /* -a: files too */
	bool is_summary;    /* -s: operands only */
	bool is_bytes;	    /* -b: apparent sizes */
	bool has_total;	    /* -c */
	bool has_all_links; /* -l */
	bool is_inodes, has_time, is_human;
	bool is_most;	    /* -t: a negative one */
	uint64_t threshold; /* bytes, or inodes */
	uint64_t block;	    /* -B: bytes; 0: not given */
	char unit[4];	    /* -BM: printed behind each size; "": nothing */
};

/* --- du_options.c --- */

/* -h: sizes for people; without --du before it, help.  Of -h, -b, -k and -B the last one counts. */
int du_take_human(const struct call *call, const struct arg_option *option, void *values,
		  const char *value);
int du_take_bytes(const struct call *call, const struct arg_option *option, void *values,
		  const char *value);
int du_take_kibibytes(const struct call *call, const struct arg_option *option, void *values,
		      const char *value);
int du_take_block(const struct call *call, const struct arg_option *option, void *values,
		  const char *value);
int du_take_threshold(const struct call *call, const struct arg_option *option, void *values,
		      const char *value);

/* After all options were read: which of them do not go together?  ARGS_GO: none. */
int du_check(const struct call *call, struct scan_choice *choice);

/* What du needs of the walk. */
void du_plan(struct scan_choice *choice);

/* --- du_text.c --- */

#define DU_NUMBER_MAX 32

/* A size as du writes it: rounded up to whole blocks, or for people. */
void du_number(char text[DU_NUMBER_MAX], const struct du_choice *du, uint64_t number);

/* A name in quotes that a shell takes back, as GNU's messages have it; to be freed. */
char *du_quote(const char *name);

/* Messages about what could not be read, in du's words and order.  True: there was any. */
bool du_tell_errors(struct scan *scan);

#endif
