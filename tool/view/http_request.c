/* SPDX-License-Identifier: MIT */
/* http_request.c — the head of an HTTP request, read without trusting it; no I/O here */
#include "view/http_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A piece of the head. */
struct piece {
	const char *at;
	size_t bytes;
};

/* What the headers say that matters. */
struct said {
	struct piece host, length;
	unsigned hosts, lengths, encodings;
};

static bool is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* What our own addresses are made of; nothing that is decoded by anybody. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("/._~?=&-", c));
}

static bool is_word(struct piece piece, const char *word)
{
	return piece.bytes == strlen(word) && strncasecmp(piece.at, word, piece.bytes) == 0;
}

/* The line at *at, without its CR LF, behind which *at moves; false: it has another end. */
static bool next_line(const char *bytes, size_t count, size_t *at, struct piece *line)
{
	const char *end = memchr(bytes + *at, '\n', count - *at);

	if (!end || end == bytes + *at || end[-1] != '\r')
		return false;
	*line = (struct piece){ bytes + *at, (size_t)(end - 1 - (bytes + *at)) };
	*at = (size_t)(end + 1 - bytes);
	return !memchr(line->at, '\r', line->bytes);
}

static enum http_status read_target(struct piece target, struct http_request *request)
{
	if (target.bytes > HTTP_TARGET_MAX)
		return HTTP_LONG_PATH;
	if (!target.bytes || target.at[0] != '/')
		return HTTP_BAD;
	for (size_t i = 0; i < target.bytes; i++) {
		bool is_first = i == 0;
		if (!is_plain(target.at[i]) || (!is_first && target.at[i] == target.at[i - 1] &&
						(target.at[i] == '/' || target.at[i] == '.')))
			return HTTP_BAD;
	}
	const char *mark = memchr(target.at, '?', target.bytes);
	request->path = target.at;
	request->path_bytes = mark ? (size_t)(mark - target.at) : target.bytes;
	request->query = mark ? mark + 1 : target.at + target.bytes;
	request->query_bytes = target.bytes - request->path_bytes - (mark != NULL);
	return HTTP_OK;
}

/* "GET /path HTTP/1.1": one blank between, none elsewhere. */
static enum http_status read_first(struct piece line, struct http_request *request)
{
	const char *end = line.at + line.bytes, *blank = memchr(line.at, ' ', line.bytes);

	if (!blank || blank == line.at)
		return HTTP_BAD;
	struct piece method = { line.at, (size_t)(blank - line.at) };
	for (size_t i = 0; i < method.bytes; i++)
		if (!is_token(method.at[i]))
			return HTTP_BAD;
	const char *target = blank + 1;
	blank = memchr(target, ' ', (size_t)(end - target));
	if (!blank)
		return HTTP_BAD;
	struct piece version = { blank + 1, (size_t)(end - blank - 1) };
	bool is_known = version.bytes == 8 && (memcmp(version.at, "HTTP/1.1", 8) == 0 ||
					       memcmp(version.at, "HTTP/1.0", 8) == 0);
	if (!is_known)
		return HTTP_BAD;
	enum http_status status = read_target((struct piece){ target, (size_t)(blank - target) },
					      request);
	if (status != HTTP_OK)
		return status;
	request->is_head = method.bytes == 4 && memcmp(method.at, "HEAD", 4) == 0;
	bool is_get = method.bytes == 3 && memcmp(method.at, "GET", 3) == 0;
	return is_get || request->is_head ? HTTP_OK : HTTP_NO_METHOD;
}

/* "Name: value"; a line that goes on with a blank belongs to the one before, which is refused. */
static bool read_header(struct piece line, struct said *said)
{
	const char *colon = memchr(line.at, ':', line.bytes);

	if (!colon || colon == line.at)
		return false;
	struct piece name = { line.at, (size_t)(colon - line.at) };
	struct piece value = { colon + 1, line.bytes - name.bytes - 1 };
	for (size_t i = 0; i < name.bytes; i++)
		if (!is_token(name.at[i]))
			return false;
	for (size_t i = 0; i < value.bytes; i++)
		if (((unsigned char)value.at[i] < ' ' && value.at[i] != '\t') ||
		    value.at[i] == 0x7f)
			return false;
	while (value.bytes && (*value.at == ' ' || *value.at == '\t')) {
		value.at++;
		value.bytes--;
	}
	while (value.bytes &&
	       (value.at[value.bytes - 1] == ' ' || value.at[value.bytes - 1] == '\t'))
		value.bytes--;
	if (is_word(name, "host")) {
		said->host = value;
		said->hosts++;
	} else if (is_word(name, "content-length")) {
		said->length = value;
		said->lengths++;
	} else if (is_word(name, "transfer-encoding")) {
		said->encodings++;
	}
	return true;
}

/* We read no body: whatever it is said to be, it must be nothing. */
static enum http_status judge_body(const struct said *said)
{
	bool is_nothing = true;

	if (said->encodings || said->lengths > 1 || (said->lengths && !said->length.bytes))
		return HTTP_BAD;
	for (size_t i = 0; i < said->length.bytes; i++) {
		if (said->length.at[i] < '0' || said->length.at[i] > '9')
			return HTTP_BAD;
		is_nothing &= said->length.at[i] == '0';
	}
	return is_nothing ? HTTP_OK : HTTP_BODY;
}

/* Where the head ends, behind its empty line; 0: it has not ended. */
static size_t head_bytes(const char *bytes, size_t count)
{
	const char *found = memmem(bytes, count, "\r\n\r\n", 4);

	return found ? (size_t)(found + 4 - bytes) : 0;
}

/* A part of a head that can become none. */
static enum http_status judge_part(const char *bytes, size_t count)
{
	bool has_line = memchr(bytes, '\n', count) != NULL;

	for (size_t i = 0; i < count; i++)
		if ((bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r')) || !bytes[i])
			return HTTP_BAD;
	if (!has_line && count > HTTP_TARGET_MAX + 64)
		return HTTP_LONG_PATH;
	return count >= HTTP_HEAD_MAX ? HTTP_LONG_HEAD : HTTP_MORE;
}

enum http_status http_request_read(const char *bytes, size_t count, struct http_request *request)
{
	size_t end = head_bytes(bytes, count < HTTP_HEAD_MAX ? count : HTTP_HEAD_MAX), at = 0;
	struct said said = { .hosts = 0 };
	struct piece line;
	unsigned headers = 0;

	*request = (struct http_request){ .is_head = false };
	if (!end)
		return judge_part(bytes, count < HTTP_HEAD_MAX ? count : HTTP_HEAD_MAX);
	if (!next_line(bytes, end, &at, &line))
		return HTTP_BAD;
	enum http_status status = read_first(line, request);
	if (status != HTTP_OK && status != HTTP_NO_METHOD)
		return status;
	for (;;) {
		if (!next_line(bytes, end, &at, &line))
			return HTTP_BAD;
		if (!line.bytes)
			break;
		if (++headers > HTTP_HEADERS_MAX)
			return HTTP_LONG_HEAD;
		if (!read_header(line, &said))
			return HTTP_BAD;
	}
	if (said.hosts != 1)
		return HTTP_BAD;
	request->host = said.host.at;
	request->host_bytes = said.host.bytes;
	enum http_status body = judge_body(&said);
	return body != HTTP_OK ? body : status;
}

bool http_host_is_ours(const struct http_request *request, uint16_t port)
{
	static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
	struct piece host = { request->host, request->host_bytes };
	char whole[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(whole, sizeof(whole), "%s:%u", names[i], (unsigned)port);
		if (is_word(host, whole) || (port == 80 && is_word(host, names[i])))
			return true;
	}
	return false;
}

bool http_path_is(const struct http_request *request, const char *path)
{
	return request->path_bytes == strlen(path) &&
	       memcmp(request->path, path, request->path_bytes) == 0;
}

const char *http_reason(enum http_status status)
{
	switch (status) {
	case HTTP_OK:
		return "OK";
	case HTTP_NOT_FOUND:
		return "Not Found";
	case HTTP_NO_METHOD:
		return "Method Not Allowed";
	case HTTP_TOO_SLOW:
		return "Request Timeout";
	case HTTP_BODY:
		return "Content Too Large";
	case HTTP_LONG_PATH:
		return "URI Too Long";
	case HTTP_WRONG_HOST:
		return "Misdirected Request";
	case HTTP_LONG_HEAD:
		return "Request Header Fields Too Large";
	case HTTP_NO_MEMORY:
		return "Service Unavailable";
	case HTTP_BAD:
	case HTTP_MORE:
		break;
	}
	return "Bad Request";
}
