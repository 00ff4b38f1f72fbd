/* SPDX-License-Identifier: MIT */
/* with_denied_syscall.c — run a command in a sandbox where one system call answers EPERM */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned number;
} calls[] = {
	{ "membarrier", __NR_membarrier },
	{ "sched_getaffinity", __NR_sched_getaffinity },
};

static int find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].name, name) == 0)
			return (int)calls[i].number;
	}
	return -1;
}

int main(int argc, char **argv)
{
	int number = argc > 2 ? find_call(argv[1]) : -1;

	if (number < 0) {
		fprintf(stderr,
			"usage: with_denied_syscall membarrier|sched_getaffinity COMMAND...\n");
		return 2;
	}
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(*filter), .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
		fprintf(stderr, "with_denied_syscall: no filter: %s\n", strerror(errno));
		return 77;
	}
	execvp(argv[2], argv + 2);
	fprintf(stderr, "with_denied_syscall: cannot run %s: %s\n", argv[2], strerror(errno));
	return 127;
}
