/* SPDX-License-Identifier: MIT */
/* 00_machine.c — ask skua how many workers this machine, container and quota are good for */
#include <skua/skua.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	struct skua_machine machine = { .size = sizeof(machine) };
	int error = skua_machine_read(&machine, NULL);

	if (error) {
		fprintf(stderr, "00_machine: cannot read the machine: %s\n", skua_strerror(error));
		return 1;
	}
	printf("%u of %u CPUs may be used, so skua would start %u worker(s)\n",
	       machine.cpus_allowed, machine.cpus_online, machine.workers);

	/* Its own check: never more CPUs than the system has, never no worker, headers that fit. */
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	return machine.cpus_allowed >= 1 && machine.cpus_allowed <= (unsigned long)online &&
			       machine.workers >= 1 && machine.workers <= SKUA_WORKERS_MAX &&
			       skua_version() == SKUA_VERSION
		       ? 0
		       : 1;
}
