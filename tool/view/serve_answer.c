/* SPDX-License-Identifier: MIT */
/* serve_answer.c — what a request is answered with: the page, counters as JSON, or a refusal */
#include "view/serve_answer.h"

#include "output.h"
#include "top/top.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROCESSES_MAX 256

/* Nothing of it is kept, framed, guessed at, or read by pages of others. */
static void write_head(struct answer *answer, enum http_status status, const char *type)
{
	int bytes = snprintf(answer->head, sizeof(answer->head),
			     "HTTP/1.1 %d %s\r\n"
			     "Content-Type: %s\r\n"
			     "Content-Length: %zu\r\n"
			     "Connection: close\r\n"
			     "Cache-Control: no-store\r\n"
			     "Cross-Origin-Opener-Policy: same-origin\r\n"
			     "Cross-Origin-Resource-Policy: same-origin\r\n"
			     "Referrer-Policy: no-referrer\r\n"
			     "X-Content-Type-Options: nosniff\r\n"
			     "X-Frame-Options: DENY\r\n"
			     "%s\r\n",
			     (int)status, http_reason(status), type, answer->body_bytes,
			     status == HTTP_NO_METHOD ? "Allow: GET, HEAD\r\n" : "");

	answer->head_bytes = (size_t)bytes;
}

void answer_refuse(struct answer *answer, enum http_status status)
{
	answer->owned = NULL;
	answer->body = http_reason(status);
	answer->body_bytes = strlen(answer->body);
	write_head(answer, status, "text/plain; charset=utf-8");
}

static void list_json(void)
{
	struct live_process *processes;
	unsigned removed;
	int count = live_list(&processes, PROCESSES_MAX, &removed);

	top_list_json(processes, count < 0 ? 0 : (unsigned)count, removed);
	for (int i = 0; i < count; i++)
		live_forget(&processes[i]);
	free(processes);
}

/* Of a process that is not there any more, no pools and why. */
static void process_json(unsigned number)
{
	struct top_view view = { .interval_s = 1 };
	struct timespec now;
	enum live_found found = live_look(number, &view.now);

	clock_gettime(CLOCK_MONOTONIC, &now);
	view.now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	view.now.number = number;
	if (found != LIVE_FOUND && !view.now.fault[0])
		snprintf(view.now.fault, sizeof(view.now.fault), "%s",
			 found == LIVE_NO_PROCESS   ? "it has ended"
			 : found == LIVE_OTHER_USER ? "it belongs to another user"
						    : "it has no monitored pool");
	top_show_json(&view, true);
	live_forget(&view.now);
}

/* "pid=123", or nothing: then all are listed. */
static bool read_query(const struct http_request *request, unsigned *process)
{
	static const char key[] = "pid=";
	size_t digits = request->query_bytes - (sizeof(key) - 1);

	*process = 0;
	if (!request->query_bytes)
		return true;
	if (request->query_bytes < sizeof(key) || digits > 9 ||
	    memcmp(request->query, key, sizeof(key) - 1) != 0)
		return false;
	for (size_t i = 0; i < digits; i++) {
		char digit = request->query[sizeof(key) - 1 + i];
		if (digit < '0' || digit > '9')
			return false;
		*process = *process * 10 + (unsigned)(digit - '0');
	}
	return *process > 0;
}

static void answer_live(struct answer *answer, const struct http_request *request)
{
	unsigned process;
	char *text = NULL;
	size_t bytes = 0;

	if (!read_query(request, &process)) {
		answer_refuse(answer, HTTP_BAD);
		return;
	}
	FILE *to = open_memstream(&text, &bytes);
	if (!to) {
		answer_refuse(answer, HTTP_NO_MEMORY);
		return;
	}
	out_divert(to);
	if (process)
		process_json(process);
	else
		list_json();
	out_divert(NULL);
	bool is_lost = ferror(to);
	if (fclose(to) != 0 || is_lost) {
		free(text);
		answer_refuse(answer, HTTP_NO_MEMORY);
		return;
	}
	answer->owned = text;
	answer->body = text;
	answer->body_bytes = bytes;
	write_head(answer, HTTP_OK, "application/json");
}

/* There are no files behind the addresses: these three are all there is. */
void answer_make(struct answer *answer, enum http_status status, const struct http_request *request,
		 const struct serve *serve, uint16_t port)
{
	if (status == HTTP_OK && !http_host_is_ours(request, port))
		status = HTTP_WRONG_HOST;
	if (status != HTTP_OK) {
		answer_refuse(answer, status);
	} else if (http_path_is(request, "/live")) {
		answer_live(answer, request);
	} else if (http_path_is(request, "/favicon.ico")) { /* every browser asks */
		answer->owned = NULL;
		answer->body = "";
		answer->body_bytes = 0;
		write_head(answer, HTTP_OK, "image/x-icon");
	} else if (http_path_is(request, "/") && !request->query_bytes) {
		answer->owned = NULL;
		answer->body = serve->page;
		answer->body_bytes = serve->page_bytes;
		write_head(answer, HTTP_OK, "text/html; charset=utf-8");
	} else {
		answer_refuse(answer, HTTP_NOT_FOUND);
	}
	if (request->is_head)
		answer->body_bytes = 0;
}
