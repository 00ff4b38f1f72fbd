/* SPDX-License-Identifier: MIT */
/* probes.h — places where perf and bpftrace can look in, with SKUA_USDT; else nothing */
#ifndef SKUAI_TRACE_PROBES_H
#define SKUAI_TRACE_PROBES_H

/*
 * Six, of the provider `skua`.  Each is one `nop` and a note in the file, until a tracer puts a
 * breakpoint there:
 *
 *	job_begin  worker, function    job_end  worker, function     jobs, stolen forks, roots
 *	steal      worker, victim, jobs; 0 jobs: a forked task
 *	park       worker              unpark   worker               its thread sleeps; is up
 *	inject     shard, job                                        into a common queue
 *
 *	perf buildid-cache --add program; perf record -e sdt_skua:steal ./program
 *	bpftrace -e 'usdt:./program:skua:park { @[arg0] = count(); }'
 */
#ifdef SKUA_USDT
#include <sys/sdt.h>
#define SKUAI_PROBE1(name, a)	    DTRACE_PROBE1(skua, name, a)
#define SKUAI_PROBE2(name, a, b)    DTRACE_PROBE2(skua, name, a, b)
#define SKUAI_PROBE3(name, a, b, c) DTRACE_PROBE3(skua, name, a, b, c)
#else
#define SKUAI_PROBE1(name, a)	    ((void)(a))
#define SKUAI_PROBE2(name, a, b)    ((void)(a), (void)(b))
#define SKUAI_PROBE3(name, a, b, c) ((void)(a), (void)(b), (void)(c))
#endif

#endif
