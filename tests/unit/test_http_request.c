/* SPDX-License-Identifier: MIT */
/* test_http_request.c — heads of HTTP requests: good ones, cut ones, and those made to confuse */
#include "check.h"
#include "view/http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOST "Host: localhost:8080\r\n"

/* Read from a heap copy of exactly this length: a byte too far is seen by a sanitizer. */
static enum http_status read_bytes(const char *bytes, size_t count, struct http_request *request,
				   char **copy)
{
	*copy = malloc(count ? count : 1);
	assert_non_null(*copy);
	memcpy(*copy, bytes, count);
	return http_request_read(*copy, count, request);
}

static enum http_status status_of(const char *bytes, size_t count)
{
	struct http_request request;
	char *copy;
	enum http_status status = read_bytes(bytes, count, &request, &copy);

	free(copy);
	return status;
}

static void expect_head(const char *text, enum http_status wanted)
{
	enum http_status status = status_of(text, strlen(text));

	if (status != wanted)
		fail_msg("%d, not %d: %s", (int)status, (int)wanted, text);
}

static void test_http_request_of_a_browser_is_read(void **state)
{
	const char *text = "GET /live?pid=12 HTTP/1.1\r\nHost:  localhost:8080 \r\n"
			   "Accept: text/html;q=0.9\r\nCookie: a=\"b\"\r\n\r\nrest";
	struct http_request request;
	char *copy;

	(void)state;
	assert_int_equal(read_bytes(text, strlen(text), &request, &copy), HTTP_OK);
	assert_false(request.is_head);
	assert_int_equal(request.path_bytes, 5);
	assert_memory_equal(request.path, "/live", 5);
	assert_int_equal(request.query_bytes, 6);
	assert_memory_equal(request.query, "pid=12", 6);
	assert_int_equal(request.host_bytes, 14);
	assert_true(http_path_is(&request, "/live"));
	assert_false(http_path_is(&request, "/liv"));
	assert_false(http_path_is(&request, "/live/"));
	assert_true(http_host_is_ours(&request, 8080));
	assert_false(http_host_is_ours(&request, 80));
	free(copy);
	assert_int_equal(read_bytes("HEAD / HTTP/1.0\r\n" HOST "\r\n", 41, &request, &copy),
			 HTTP_OK);
	assert_true(request.is_head);
	assert_int_equal(request.query_bytes, 0);
	free(copy);
}

static void test_http_request_cut_anywhere_wants_more(void **state)
{
	static const char text[] = "GET /live?pid=12 HTTP/1.1\r\n" HOST "A: b\r\n\r\n";

	(void)state;
	for (size_t count = 0; count < sizeof(text) - 1; count++)
		assert_int_equal(status_of(text, count), HTTP_MORE);
	assert_int_equal(status_of(text, sizeof(text) - 1), HTTP_OK);
}

static void test_http_request_paths_out_of_the_root_are_refused(void **state)
{
	static const char *const targets[] = {
		"/../etc/passwd",
		"/..",
		"/a/../b",
		"/%2e%2e/",
		"/%2E%2E%2f",
		"/%00",
		"//",
		"//etc",
		"/a//b",
		"/a\\..\\b",
		"/\xc0\xae\xc0\xae/",
		"/\xe0\x80\xaf",
		"http://localhost:8080/",
		"HTTP://x/",
		"*",
		"localhost:80",
		"",
		"../",
		"/a b",
		"/#x",
		"/<x>",
		"/\"",
		"/;a",
		"/a\tb",
		"/a\x7f",
		"/...",
		"?pid=1",
		"/live?pid=%31",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n" HOST "\r\n", targets[i]);
		expect_head(text, HTTP_BAD);
	}
}

static void test_http_request_first_line_is_held_to_its_form(void **state)
{
	static const char *const lines[] = {
		"GET /",
		"GET",
		"",
		" GET / HTTP/1.1",
		"GET  / HTTP/1.1",
		"GET / HTTP/1.1 ",
		"GET / HTTP/2.0",
		"GET / HTTP/1.11",
		"GET / http/1.1",
		"GET / HTTP/0.9",
		"G\x01T / HTTP/1.1",
		"GET\t/\tHTTP/1.1",
		"GET / / HTTP/1.1",
		"G(T / HTTP/1.1",
		"GET / HTTP/1.1\r",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		snprintf(text, sizeof(text), "%s\r\n" HOST "\r\n", lines[i]);
		expect_head(text, HTTP_BAD);
	}
	expect_head("POST / HTTP/1.1\r\n" HOST "\r\n", HTTP_NO_METHOD);
	expect_head("get / HTTP/1.1\r\n" HOST "\r\n", HTTP_NO_METHOD);
	expect_head("DELETE / HTTP/1.1\r\n" HOST "\r\n", HTTP_NO_METHOD);
	expect_head("GETS / HTTP/1.1\r\n" HOST "\r\n", HTTP_NO_METHOD);
	expect_head("OPTIONS / HTTP/1.1\r\n" HOST "\r\n", HTTP_NO_METHOD);
}

static void test_http_request_headers_are_held_to_their_form(void **state)
{
	static const char *const headers[] = {
		HOST "A\r\n",
		HOST ": b\r\n",
		HOST "A : b\r\n",
		HOST " A: b\r\n",
		HOST "\tA: b\r\n",
		HOST "A: b\nC: d\r\n",
		HOST "A: b\rC: d\r\n",
		HOST "A: \x01\r\n",
		HOST "A: \x7f\r\n",
		HOST HOST,
		"",
		HOST "Host: localhost:8080\r\n",
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n%s\r\n", headers[i]);
		expect_head(text, HTTP_BAD);
	}
	expect_head("GET / HTTP/1.1\n" HOST "\n", HTTP_BAD);
	expect_head("GET / HTTP/1.1\r\nHost: localhost:8080\n\n", HTTP_BAD);
	assert_int_equal(status_of("GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n", 29), HTTP_BAD);
	assert_int_equal(status_of("\0", 1), HTTP_BAD);
	expect_head("\n", HTTP_BAD);
}

static void test_http_request_bodies_are_refused(void **state)
{
	static const struct {
		const char *headers;
		enum http_status status;
	} cases[] = {
		{ "Content-Length: 0\r\n", HTTP_OK },
		{ "Content-Length: 000\r\n", HTTP_OK },
		{ "Content-Length: 1\r\n", HTTP_BODY },
		{ "content-length: 99999999999999999999999999\r\n", HTTP_BODY },
		{ "Content-Length: -1\r\n", HTTP_BAD },
		{ "Content-Length: +1\r\n", HTTP_BAD },
		{ "Content-Length: 0x0\r\n", HTTP_BAD },
		{ "Content-Length:\r\n", HTTP_BAD },
		{ "Content-Length: 0, 0\r\n", HTTP_BAD },
		{ "Content-Length: 0\r\nContent-Length: 0\r\n", HTTP_BAD },
		{ "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", HTTP_BAD },
		{ "Transfer-Encoding: chunked\r\n", HTTP_BAD },
		{ "transfer-encoding: identity\r\n", HTTP_BAD },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n" HOST "%s\r\n", cases[i].headers);
		expect_head(text, cases[i].status);
	}
}

/* So many bytes of one letter, between two texts. */
static enum http_status status_of_long(const char *before, size_t count, const char *behind)
{
	size_t bytes = strlen(before) + count + strlen(behind);
	char *text = malloc(bytes + 1);

	assert_non_null(text);
	memcpy(text, before, strlen(before));
	memset(text + strlen(before), 'a', count);
	memcpy(text + strlen(before) + count, behind, strlen(behind) + 1);
	enum http_status status = status_of(text, bytes);
	free(text);
	return status;
}

static void test_http_request_sizes_have_limits(void **state)
{
	static const char end[] = " HTTP/1.1\r\n" HOST "\r\n";
	char many[HTTP_HEAD_MAX];
	size_t at;

	(void)state;
	assert_int_equal(status_of_long("GET /", HTTP_TARGET_MAX - 1, end), HTTP_OK);
	assert_int_equal(status_of_long("GET /", HTTP_TARGET_MAX, end), HTTP_LONG_PATH);
	assert_int_equal(status_of_long("GET /", 8192, ""), HTTP_LONG_PATH);
	assert_int_equal(status_of_long("", 1 << 20, ""), HTTP_LONG_PATH);
	assert_int_equal(status_of_long("GET / HTTP/1.1\r\nA: ", 4000, "\r\n" HOST "\r\n"),
			 HTTP_OK);
	assert_int_equal(status_of_long("GET / HTTP/1.1\r\nA: ", HTTP_HEAD_MAX, "\r\n\r\n"),
			 HTTP_LONG_HEAD);
	assert_int_equal(status_of_long("GET / HTTP/1.1\r\nA: ", 1 << 20, "\r\n\r\n"),
			 HTTP_LONG_HEAD);
	for (unsigned headers = HTTP_HEADERS_MAX; headers <= HTTP_HEADERS_MAX + 1; headers++) {
		at = (size_t)sprintf(many, "GET / HTTP/1.1\r\n" HOST);
		for (unsigned i = 1; i < headers; i++)
			at += (size_t)sprintf(many + at, "A: b\r\n");
		at += (size_t)sprintf(many + at, "\r\n");
		assert_int_equal(status_of(many, at),
				 headers > HTTP_HEADERS_MAX ? HTTP_LONG_HEAD : HTTP_OK);
	}
}

static void test_http_request_hosts_of_others_are_not_ours(void **state)
{
	static const char *const ours[] = { "localhost:8080", "LocalHost:8080", "127.0.0.1:8080",
					    "[::1]:8080" };
	static const char *const others[] = { "localhost",	   "localhost:80",
					      "evil.example:8080", "localhost:8080.evil.example",
					      "localhost.:8080",   "127.0.0.1",
					      "0.0.0.0:8080",	   "",
					      "127.0.0.1:08080",   "localhost:8080:8080",
					      "127.0.0.1 :8080",   "xlocalhost:8080" };
	struct http_request request = { .is_head = false };

	(void)state;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		request.host = ours[i];
		request.host_bytes = strlen(ours[i]);
		assert_true(http_host_is_ours(&request, 8080));
		assert_false(http_host_is_ours(&request, 8081));
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		request.host = others[i];
		request.host_bytes = strlen(others[i]);
		assert_false(http_host_is_ours(&request, 8080));
	}
	request.host = "localhost";
	request.host_bytes = 9;
	assert_true(http_host_is_ours(&request, 80));
}

static void test_http_request_statuses_have_words(void **state)
{
	static const enum http_status all[] = { HTTP_OK,	 HTTP_NOT_FOUND, HTTP_NO_METHOD,
						HTTP_TOO_SLOW,	 HTTP_BODY,	 HTTP_LONG_PATH,
						HTTP_WRONG_HOST, HTTP_LONG_HEAD, HTTP_NO_MEMORY };

	(void)state;
	assert_string_equal(http_reason(HTTP_BAD), "Bad Request");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_string_not_equal(http_reason(all[i]), "Bad Request");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_http_request_of_a_browser_is_read),
		cmocka_unit_test(test_http_request_cut_anywhere_wants_more),
		cmocka_unit_test(test_http_request_paths_out_of_the_root_are_refused),
		cmocka_unit_test(test_http_request_first_line_is_held_to_its_form),
		cmocka_unit_test(test_http_request_headers_are_held_to_their_form),
		cmocka_unit_test(test_http_request_bodies_are_refused),
		cmocka_unit_test(test_http_request_sizes_have_limits),
		cmocka_unit_test(test_http_request_hosts_of_others_are_not_ours),
		cmocka_unit_test(test_http_request_statuses_have_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
