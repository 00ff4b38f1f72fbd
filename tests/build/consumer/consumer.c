/* SPDX-License-Identifier: MIT */
/* consumer.c — a C program outside the tree that uses an installed skua */
#include <skua/skua.h>

#include <stdio.h>

int main(void)
{
	struct skua_machine machine = { .size = sizeof(machine) };

	if (skua_version() != SKUA_VERSION) {
		fprintf(stderr, "headers are %d, library is %d\n", SKUA_VERSION, skua_version());
		return 1;
	}
	int error = skua_machine_read(&machine, NULL);
	if (error) {
		fprintf(stderr, "skua_machine_read: %s\n", skua_strerror(error));
		return 1;
	}
	printf("skua %s, %u workers\n", skua_version_text(), machine.workers);
	return machine.workers >= 1 ? 0 : 1;
}
