/* SPDX-License-Identifier: MIT */
/* http_request.h — the head of an HTTP request, read without trusting it; no I/O here */
#ifndef SKUAT_VIEW_HTTP_REQUEST_H
#define SKUAT_VIEW_HTTP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a browser sends is about a tenth of it; arbitrary. */
#define HTTP_HEAD_MAX	 8192 /* bytes, with the empty line that ends it */
#define HTTP_TARGET_MAX	 1024
#define HTTP_HEADERS_MAX 100

enum http_status {
	HTTP_MORE = 0, /* no whole head yet, and nothing wrong so far */
	HTTP_OK = 200,
	HTTP_BAD = 400,
	HTTP_NOT_FOUND = 404,
	HTTP_NO_METHOD = 405,  /* another than GET and HEAD */
	HTTP_TOO_SLOW = 408,   /* said by the server */
	HTTP_BODY = 413,       /* we want none */
	HTTP_LONG_PATH = 414,  /* the request line is too long */
	HTTP_WRONG_HOST = 421, /* it was meant for somebody else */
	HTTP_LONG_HEAD = 431,
	HTTP_NO_MEMORY = 503,
};

/* Texts are of HTTP_OK only; each is a piece of the head. */
struct http_request {
	bool is_head; /* HEAD, not GET */
	const char *path;
	size_t path_bytes;
	const char *query; /* behind the '?' */
	size_t query_bytes;
	const char *host;
	size_t host_bytes;
};

/*
 * Look at the first `count` bytes of what a client sent, fewer than a head or more than one.  Any
 * other line end than CR LF, bytes that may stand for others (%, \), "..", "//", whole URLs, two
 * hosts, two lengths and everything else that two readers could understand in two ways is refused.
 */
enum http_status http_request_read(const char *bytes, size_t count, struct http_request *request);

/* Is this the Host of a server on this machine's loopback at this port? */
bool http_host_is_ours(const struct http_request *request, uint16_t port);

/* Is the path this one? */
bool http_path_is(const struct http_request *request, const char *path);

/* "Bad Request" and so on. */
const char *http_reason(enum http_status status);

#endif
