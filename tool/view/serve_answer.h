/* SPDX-License-Identifier: MIT */
/* serve_answer.h — what a request is answered with */
#ifndef SKUAT_VIEW_SERVE_ANSWER_H
#define SKUAT_VIEW_SERVE_ANSWER_H

#include "view/http_request.h"
#include "view/serve.h"

/* Head and body, each sent as it is. */
struct answer {
	char head[640];
	size_t head_bytes;
	const char *body; /* the page's, or `owned` */
	size_t body_bytes;
	char *owned; /* to be freed; NULL: nothing */
};

/* `status` is what http_request_read said, not HTTP_MORE; `port` is where we listen. */
void answer_make(struct answer *answer, enum http_status status, const struct http_request *request,
		 const struct serve *serve, uint16_t port);

/* One that says no more than a status; it owns nothing. */
void answer_refuse(struct answer *answer, enum http_status status);

#endif
