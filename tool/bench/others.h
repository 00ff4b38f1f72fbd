/* SPDX-License-Identifier: MIT */
/* others.h — how many CPUs other processes of the machine use while we measure */
#ifndef SKUAT_OTHERS_H
#define SKUAT_OTHERS_H

struct others {
	double cpu; /* seconds that all others have used; negative: not known */
	double time;
};

struct others others_start(void);

/* CPUs they used since then, on average; negative: not known, or it was too short to tell. */
double others_since(const struct others *start);

#endif
