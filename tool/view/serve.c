/* SPDX-License-Identifier: MIT */
/* serve.c — a small web server on this machine's loopback: a page, and counters of pools */
#include "view/serve.h"

#include "command.h"
#include "output.h"
#include "view/serve_answer.h"
#include "view/serve_limits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/*
 * One thread, one ppoll, and a fixed table of clients.
 *
 * state    what happens            leaves by
 * READING  its head comes in       a whole head, a wrong one, or REQUEST_NS
 * WRITING  the answer goes out     all of it sent, or serve_answer_until
 * LEAVING  the rest is read away   its end, or LEAVING_NS
 *
 * A connection has one request.  LEAVING is there because a socket that is closed with unread bytes
 * takes back what was sent.
 *
 * Nobody can hold a place: where the table is full or the process has no descriptors left, the
 * newest comes in for another.  Those that have not moved for SERVE_KEEP_NS go first, READING and
 * LEAVING before WRITING; where all have moved since, whoever has been still for longest.  Bytes of
 * a head that does not end are no move, bytes of an answer that were taken are.  So neither silent
 * clients nor slow readers keep an honest one out: it asks within milliseconds, and then reads.
 */
#define CLIENTS_MAX 256
#define ACCEPTS_MAX 64 /* in one turn, so that clients come to their turn, too */
#define REQUEST_NS  10000000000
#define LEAVING_NS  1000000000
#define SENDS_MAX   16	      /* to one client, likewise */
#define SEND_BYTES  65536     /* a slow reader has the kernel hold this, doubled, and no more */
#define PAUSE_NS    100000000 /* without accept, when it cannot */

enum client_state {
	CLIENT_FREE,
	CLIENT_READING,
	CLIENT_LEAVING,
	CLIENT_WRITING
};

struct client {
	int fd;
	enum client_state state;
	int64_t since_ns, until_ns; /* of this state */
	int64_t moved_ns;	    /* since_ns, or when a part of the answer was taken */
	size_t got;
	size_t sent; /* of head and body together */
	struct answer answer;
	char head[HTTP_HEAD_MAX];
};

struct server {
	const struct serve *serve;
	int fd;
	uint16_t port;
	int64_t pause_until_ns; /* no accept before */
	struct client *clients;
};

static volatile sig_atomic_t is_over;

static void end_serving(int number)
{
	(void)number;
	is_over = 1;
}

static int64_t server_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* --- one client --- */

static void enter(struct client *client, enum client_state state, int64_t ns)
{
	client->state = state;
	client->since_ns = client->moved_ns = server_clock();
	client->until_ns = client->since_ns + ns;
}

/* A reader that stopped in the middle is reset, lest the kernel keeps what it does not read. */
static void drop_client(struct client *client)
{
	struct linger at_once = { .l_onoff = 1 };

	if (client->state == CLIENT_WRITING)
		setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(client->fd);
	free(client->answer.owned);
	client->answer.owned = NULL;
	client->state = CLIENT_FREE;
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void leave(struct client *client)
{
	shutdown(client->fd, SHUT_WR);
	enter(client, CLIENT_LEAVING, LEAVING_NS);
}

/* A part of the answer was taken: there is more time for the rest. */
static void note_move(struct client *client, size_t sent)
{
	client->sent += sent;
	client->moved_ns = server_clock();
	client->until_ns = serve_answer_until(client->since_ns, client->moved_ns, client->sent);
}

/* As much as the other side takes now; a fast one comes to its turn again. */
static void write_some(struct client *client)
{
	const struct answer *answer = &client->answer;
	size_t whole = answer->head_bytes + answer->body_bytes;

	for (unsigned i = 0; i < SENDS_MAX && client->sent < whole; i++) {
		bool is_head = client->sent < answer->head_bytes;
		size_t at = is_head ? client->sent : client->sent - answer->head_bytes;
		const char *from = is_head ? answer->head : answer->body;
		size_t left = (is_head ? answer->head_bytes : answer->body_bytes) - at;
		ssize_t sent = send(client->fd, from + at, left,
				    MSG_NOSIGNAL | (is_head && answer->body_bytes ? MSG_MORE : 0));
		if (sent < 0 && would_block())
			return;
		if (sent < 0) {
			drop_client(client);
			return;
		}
		note_move(client, (size_t)sent);
	}
	if (client->sent == whole)
		leave(client);
}

static void begin_answer(struct client *client)
{
	client->sent = 0;
	enter(client, CLIENT_WRITING, SERVE_STALL_NS);
	write_some(client);
}

static void read_some(struct server *server, struct client *client)
{
	struct http_request request;
	ssize_t got = recv(client->fd, client->head + client->got, HTTP_HEAD_MAX - client->got, 0);

	if (got < 0 && would_block())
		return;
	if (got <= 0) {
		drop_client(client);
		return;
	}
	client->got += (size_t)got;
	enum http_status status = http_request_read(client->head, client->got, &request);
	if (status == HTTP_MORE)
		return;
	answer_make(&client->answer, status, &request, server->serve, server->port);
	begin_answer(client);
}

/* What comes now is of no interest. */
static void read_away(struct client *client)
{
	ssize_t got = recv(client->fd, client->head, HTTP_HEAD_MAX, 0);

	if (got == 0 || (got < 0 && !would_block()))
		drop_client(client);
}

static void expire(struct client *client)
{
	if (client->state == CLIENT_READING && client->got) {
		answer_refuse(&client->answer, HTTP_TOO_SLOW);
		begin_answer(client);
	} else {
		drop_client(client);
	}
}

/* --- all of them --- */

/* The one that it is of least use to keep. */
static bool drop_stillest(struct server *server)
{
	struct client *stillest = NULL;
	struct serve_place place, least;
	int64_t now = server_clock();

	for (struct client *client = server->clients; client < server->clients + CLIENTS_MAX;
	     client++) {
		if (client->state == CLIENT_FREE)
			continue;
		place = (struct serve_place){ .is_writing = client->state == CLIENT_WRITING,
					      .moved_ns = client->moved_ns };
		if (stillest && !serve_goes_first(&place, &least, now))
			continue;
		stillest = client;
		least = place;
	}
	if (stillest)
		drop_client(stillest);
	return stillest != NULL;
}

static struct client *free_place(struct server *server)
{
	for (unsigned turn = 0; turn < 2; turn++) {
		for (struct client *client = server->clients;
		     client < server->clients + CLIENTS_MAX; client++)
			if (client->state == CLIENT_FREE)
				return client;
		drop_stillest(server);
	}
	return NULL;
}

static void accept_some(struct server *server)
{
	for (unsigned i = 0; i < ACCEPTS_MAX; i++) {
		int fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE) && drop_stillest(server))
			fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == ECONNABORTED || errno == EINTR))
			continue;
		if (fd < 0) {
			if (errno !=
			    EAGAIN) /* no memory, no descriptor: it will not be better at once */
				server->pause_until_ns = server_clock() + PAUSE_NS;
			return;
		}
		struct client *client = free_place(server);
		if (!client) {
			close(fd);
			return;
		}
		client->fd = fd;
		client->got = 0;
		enter(client, CLIENT_READING, REQUEST_NS);
		read_some(server, client); /* what waited long has said all it wants */
	}
}

/* Clients of one turn; ppoll takes no more than the process may have descriptors. */
struct turn {
	struct pollfd polls[CLIENTS_MAX + 1]; /* the first is for new ones */
	struct client *clients[CLIENTS_MAX + 1];
	unsigned count;
	int64_t next_ns; /* the next deadline */
};

static void prepare(struct server *server, struct turn *turn)
{
	int64_t now = server_clock();
	bool is_paused = server->pause_until_ns > now;

	turn->polls[0] = (struct pollfd){ .fd = is_paused ? -1 : server->fd, .events = POLLIN };
	turn->count = 1;
	turn->next_ns = is_paused ? server->pause_until_ns : INT64_MAX;
	for (struct client *client = server->clients; client < server->clients + CLIENTS_MAX;
	     client++) {
		if (client->state != CLIENT_FREE && client->until_ns <= now)
			expire(client);
		if (client->state == CLIENT_FREE)
			continue;
		turn->polls[turn->count] = (struct pollfd){
			.fd = client->fd,
			.events = client->state == CLIENT_WRITING ? POLLOUT : POLLIN
		};
		turn->clients[turn->count++] = client;
		if (client->until_ns < turn->next_ns)
			turn->next_ns = client->until_ns;
	}
}

static void serve_client(struct server *server, struct client *client)
{
	if (client->state == CLIENT_READING)
		read_some(server, client);
	else if (client->state == CLIENT_WRITING)
		write_some(client);
	else if (client->state == CLIENT_LEAVING)
		read_away(client);
}

/* `open_mask` lets the signals in while nothing is done.  The exit status. */
static int serve_turns(struct server *server, const sigset_t *open_mask)
{
	struct turn turn;
	int status = STATUS_DONE;

	while (!is_over) {
		prepare(server, &turn);
		int64_t now = server_clock();
		int64_t wait = turn.next_ns > now ? turn.next_ns - now : 0;
		struct timespec time = { .tv_sec = (time_t)(wait / 1000000000),
					 .tv_nsec = (long)(wait % 1000000000) };
		int ready = ppoll(turn.polls, turn.count, turn.next_ns == INT64_MAX ? NULL : &time,
				  open_mask);
		if (ready < 0 && errno != EINTR) {
			fprintf(stderr, "skua view: cannot wait for clients: %s\n",
				strerror(errno));
			status = STATUS_FAULT;
			break;
		}
		if (ready <= 0)
			continue;
		for (unsigned i = 1; i < turn.count; i++)
			if (turn.polls[i].revents)
				serve_client(server, turn.clients[i]);
		if (turn.polls[0].revents)
			accept_some(server);
	}
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (server->clients[i].state != CLIENT_FREE)
			drop_client(&server->clients[i]);
	return status;
}

/* --- begin and end --- */

static bool listen_here(struct server *server)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(server->serve->port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	int on = 1, buffer = SEND_BYTES;

	server->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (server->fd >= 0 &&
	    setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    setsockopt(server->fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer)) == 0 &&
	    bind(server->fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    listen(server->fd, SOMAXCONN) == 0 &&
	    getsockname(server->fd, (struct sockaddr *)&address, &bytes) == 0) {
		server->port = ntohs(address.sin_port);
		return true;
	}
	int error = errno;
	fprintf(stderr, "skua view: cannot listen on 127.0.0.1, port %u: %s%s\n",
		server->serve->port, strerror(error),
		error == EADDRINUSE ? "; leave --port out for a free one"
		: error == EACCES   ? "; ports below 1024 are root's"
				    : "");
	return false;
}

static void hear_signals(sigset_t *before)
{
	struct sigaction action = { .sa_handler = end_serving };
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigprocmask(SIG_BLOCK, &ours, before);
	sigdelset(before, SIGINT);
	sigdelset(before, SIGTERM);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

int serve_run(const struct serve *serve)
{
	struct server server = { .serve = serve, .fd = -1 };
	sigset_t open_mask;
	int status = STATUS_FAULT;

	server.clients = calloc(CLIENTS_MAX, sizeof(*server.clients));
	if (!server.clients) {
		fprintf(stderr, "skua view: not enough memory to serve the page\n");
	} else if (listen_here(&server)) {
		hear_signals(&open_mask);
		out("http://127.0.0.1:%u/\n", server.port);
		if (fflush(stdout) == 0) {
			fprintf(stderr,
				"skua view: serving the page to this machine; Ctrl-C ends it\n");
			status = serve_turns(&server, &open_mask);
		} else { /* nobody knows where it is */
			fprintf(stderr, "skua view: cannot write to standard output: %s\n",
				strerror(errno));
		}
	}
	if (server.fd >= 0)
		close(server.fd);
	free(server.clients);
	return status;
}
