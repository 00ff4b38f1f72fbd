/* SPDX-License-Identifier: MIT */
/* fuzz_http.c — the reader of HTTP requests, fed anything, held to what it promises */
#include "view/http_request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A broken promise aborts. */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

static void check_piece(const char *piece, size_t bytes, const char *head, size_t size)
{
	PROMISE(piece >= head && bytes <= size && piece <= head + size - bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_request request, again;
	char *head = malloc(size ? size : 1); /* of exactly this length: one too far is seen */

	PROMISE(head);
	if (size)
		memcpy(head, data, size);
	enum http_status status = http_request_read(head, size, &request);
	if (status == HTTP_OK) {
		check_piece(request.path, request.path_bytes, head, size);
		check_piece(request.query, request.query_bytes, head, size);
		check_piece(request.host, request.host_bytes, head, size);
		PROMISE(request.path_bytes && request.path[0] == '/');
		PROMISE(!memmem(request.path, request.path_bytes, "..", 2));
		PROMISE(!memmem(request.path, request.path_bytes, "//", 2));
		PROMISE(!memchr(request.path, '%', request.path_bytes));
		(void)http_host_is_ours(&request, 8080);
		(void)http_path_is(&request, "/live");
	}
	/* A refusal is not taken back by what comes later, and a whole head stays whole. */
	for (size_t part = 0; part < size; part++) {
		enum http_status before = http_request_read(head, part, &again);
		PROMISE(before == HTTP_MORE || before == status);
	}
	PROMISE(http_reason(status)[0]);
	free(head);
	return 0;
}
