/* SPDX-License-Identifier: MIT */
/* trace_perfetto.c — a trace as Perfetto's protobuf, encoded by hand */
#include "text.h"
#include "trace/trace_sink.h"
#include "trace/trace_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * A file is one message Trace: packets, each with a length in front, so it can be written packet
 * by packet.  A worker is a thread track with its slices and points, and a counter track with the
 * depth of its deque.  A theft is a point at the victim and one at the thief, joined by a flow.
 * The numbers are those of perfetto's own .proto files; tests/trace/perfetto.proto repeats them.
 */
enum {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_TRACK = 60,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
	COUNTER_UNIT_COUNT = 2,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,

	ANNOTATION_UINT = 3,
	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,

	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,

	SEQUENCE = 1,
	PROCESS_UUID = 1,
};

/* A message being built: room for a name of which every byte became three, and a few numbers. */
struct message {
	size_t size;
	unsigned char bytes[3 * TRACE_NAME_BYTES + 600];
};

/* What is converted. */
struct proto {
	const struct trace *trace;
	struct trace_sink *sink;
	uint64_t base_ns; /* of the first moment */
	uint64_t flows;
	uint8_t has_track[UINT16_MAX / 8 + 1]; /* of victims without a ring */
};

static void put_bytes(struct message *message, const void *bytes, size_t count)
{
	if (count > sizeof(message->bytes) - message->size)
		return; /* cannot be: names are cut when they are read */
	memcpy(message->bytes + message->size, bytes, count);
	message->size += count;
}

static void put_varint(struct message *message, uint64_t value)
{
	unsigned char bytes[10];
	size_t count = 0;

	do {
		bytes[count++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	put_bytes(message, bytes, count);
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
	put_varint(message, field << 3);
	put_varint(message, value);
}

static void put_fixed(struct message *message, unsigned field, uint64_t value)
{
	unsigned char bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	put_varint(message, field << 3 | 1);
	put_bytes(message, bytes, sizeof(bytes));
}

static void put_message(struct message *message, unsigned field, const struct message *inner)
{
	put_varint(message, field << 3 | 2);
	put_varint(message, inner->size);
	put_bytes(message, inner->bytes, inner->size);
}

/* What is not UTF-8 becomes U+FFFD: readers may refuse a whole file for one bad byte. */
static void put_text(struct message *message, unsigned field, const char *text)
{
	char clean[3 * TRACE_NAME_BYTES + 3];
	size_t left = strlen(text), size = 0;

	while (left && size + 4 <= sizeof(clean)) {
		uint32_t character;
		size_t bytes = text_decode(text, left, &character);
		bool is_bad = character == TEXT_INVALID;
		memcpy(clean + size, is_bad ? "\xef\xbf\xbd" : text, is_bad ? 3 : bytes);
		size += is_bad ? 3 : bytes;
		text += bytes;
		left -= bytes;
	}
	put_varint(message, field << 3 | 2);
	put_varint(message, size);
	put_bytes(message, clean, size);
}

static void annotate(struct message *event, const char *key, uint64_t value)
{
	struct message inner;

	inner.size = 0;
	put_text(&inner, ANNOTATION_NAME, key);
	put_number(&inner, ANNOTATION_UINT, value);
	put_message(event, EVENT_ANNOTATION, &inner);
}

static void annotate_word(struct message *event, const char *key, const char *word)
{
	struct message inner;

	if (!word)
		return;
	inner.size = 0;
	put_text(&inner, ANNOTATION_NAME, key);
	put_text(&inner, ANNOTATION_TEXT, word);
	put_message(event, EVENT_ANNOTATION, &inner);
}

static void write_packet(struct proto *proto, const struct message *packet)
{
	struct message head;

	head.size = 0;
	put_varint(&head, TRACE_PACKET << 3 | 2);
	put_varint(&head, packet->size);
	trace_sink_bytes(proto->sink, head.bytes, head.size);
	trace_sink_bytes(proto->sink, packet->bytes, packet->size);
}

static void write_track(struct proto *proto, const struct message *track)
{
	struct message packet;

	packet.size = 0;
	put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
	put_message(&packet, PACKET_TRACK, track);
	write_packet(proto, &packet);
}

static void write_event(struct proto *proto, int64_t ns, const struct message *event)
{
	struct message packet;

	packet.size = 0;
	put_number(&packet, PACKET_TIMESTAMP, proto->base_ns + (uint64_t)ns);
	put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
	put_message(&packet, PACKET_EVENT, event);
	write_packet(proto, &packet);
}

/* Process numbers are small; a hostile one is made so. */
static uint64_t pid_of(const struct proto *proto)
{
	return proto->trace->header.process & 0x3fffffff;
}

static uint64_t thread_uuid(uint32_t worker)
{
	return 16 + 2 * (uint64_t)worker;
}

static uint64_t counter_uuid(uint32_t worker)
{
	return thread_uuid(worker) + 1;
}

static void describe_process(struct proto *proto)
{
	struct message track, process;
	const char *program = trace_fact(proto->trace, "program");

	process.size = track.size = 0;
	put_number(&process, PROCESS_PID, pid_of(proto));
	if (program)
		put_text(&process, PROCESS_NAME, program);
	put_number(&track, TRACK_UUID, PROCESS_UUID);
	put_message(&track, TRACK_PROCESS, &process);
	write_track(proto, &track);
}

/* The system's numbers of its threads are not in a trace: those behind the process's do. */
static void describe_worker(struct proto *proto, uint32_t worker, bool is_outside)
{
	struct message track, thread;
	char name[32] = "other threads";

	if (!is_outside)
		snprintf(name, sizeof(name), "worker %" PRIu32, worker);
	thread.size = track.size = 0;
	put_number(&thread, THREAD_PID, pid_of(proto));
	put_number(&thread, THREAD_TID, (pid_of(proto) + 1 + worker) & INT32_MAX);
	put_text(&thread, THREAD_NAME, name);
	put_number(&track, TRACK_UUID, thread_uuid(worker));
	put_number(&track, TRACK_PARENT, PROCESS_UUID);
	put_message(&track, TRACK_THREAD, &thread);
	write_track(proto, &track);
}

static void describe_counter(struct proto *proto, uint32_t worker)
{
	struct message track, counter;
	char name[40];

	snprintf(name, sizeof(name), "depth of worker %" PRIu32, worker);
	counter.size = track.size = 0;
	put_number(&counter, COUNTER_UNIT, COUNTER_UNIT_COUNT);
	put_number(&track, TRACK_UUID, counter_uuid(worker));
	put_text(&track, TRACK_NAME, name);
	put_number(&track, TRACK_PARENT, PROCESS_UUID);
	put_message(&track, TRACK_COUNTER, &counter);
	write_track(proto, &track);
}

static void begin_event(struct message *event, unsigned type, uint64_t track, const char *category,
			const char *name)
{
	event->size = 0;
	put_number(event, EVENT_TYPE, type);
	put_number(event, EVENT_TRACK, track);
	if (category)
		put_text(event, EVENT_CATEGORY, category);
	if (name)
		put_text(event, EVENT_NAME, name);
}

static void write_open(struct proto *proto, uint32_t worker, const struct walk_step *step)
{
	static const char *const categories[SLICE_KINDS] = { "task", "wait", "park", "block",
							     "span" };
	const struct open_slice *slice = &step->slice;
	struct message event;

	begin_event(&event, TYPE_BEGIN, thread_uuid(worker), categories[slice->kind],
		    walk_slice_name(proto->trace, slice));
	if (slice->kind == SLICE_TASK && !slice->is_before) {
		annotate_word(&event, "origin", walk_origin(slice->record.detail));
		if (slice->record.peer != SKUAI_TRACE_NOBODY)
			annotate(&event, "from worker", slice->record.peer);
	}
	write_event(proto, step->ns, &event);
}

/* A victim that recorded nothing has no track yet. */
static void describe_victim(struct proto *proto, uint16_t victim)
{
	if (trace_find_ring(proto->trace, victim) ||
	    proto->has_track[victim / 8] & 1u << victim % 8)
		return;
	proto->has_track[victim / 8] |= (uint8_t)(1u << victim % 8);
	describe_worker(proto, victim, false);
}

static void write_steal(struct proto *proto, uint32_t worker, const struct walk_step *step)
{
	const struct skuai_trace_record *record = &step->record;
	struct message event;
	bool has_victim = trace_is_worker(proto->trace, record->peer);

	proto->flows += has_victim;
	if (has_victim) {
		describe_victim(proto, record->peer);
		begin_event(&event, TYPE_INSTANT, thread_uuid(record->peer), "steal", "robbed");
		put_fixed(&event, EVENT_FLOW, proto->flows);
		annotate(&event, "by worker", worker);
		write_event(proto, step->ns, &event);
	}
	begin_event(&event, TYPE_INSTANT, thread_uuid(worker), "steal", "steal");
	if (has_victim)
		put_fixed(&event, EVENT_FLOW_END, proto->flows);
	annotate(&event, "tasks", record->argument);
	annotate_word(&event, "distance", walk_distance(record->detail));
	write_event(proto, step->ns, &event);
}

static void write_point(struct proto *proto, uint32_t worker, const struct walk_step *step)
{
	const struct skuai_trace_record *record = &step->record;
	const struct trace_name *name;
	struct message event;

	switch (record->kind) {
	case SKUAI_TRACE_STEAL:
		write_steal(proto, worker, step);
		break;
	case SKUAI_TRACE_DEPTH:
		begin_event(&event, TYPE_COUNTER, counter_uuid(worker), NULL, NULL);
		put_number(&event, EVENT_COUNTER, record->argument);
		write_event(proto, step->ns, &event);
		break;
	case SKUAI_TRACE_MARK:
		name = trace_find_name(proto->trace, record->argument);
		begin_event(&event, TYPE_INSTANT, thread_uuid(worker), "mark",
			    name ? name->text : "mark");
		annotate(&event, "value", trace_mark_value(record));
		write_event(proto, step->ns, &event);
		break;
	default: /* misses, wakes and such would hide what matters; list and summary have them */
		break;
	}
}

static bool write_ring(struct proto *proto, const struct trace_ring *ring)
{
	struct walk walk;
	struct walk_step step;
	struct message event;
	enum walk_what what;

	if (!walk_start(&walk, proto->trace, ring))
		return false;
	while ((what = walk_next(&walk, &step)) != WALK_END && what != WALK_NO_MEMORY) {
		if (what == WALK_OPEN)
			write_open(proto, ring->worker, &step);
		if (what == WALK_SHUT) {
			begin_event(&event, TYPE_END, thread_uuid(ring->worker), NULL, NULL);
			write_event(proto, step.ns, &event);
		}
		if (what == WALK_POINT)
			write_point(proto, ring->worker, &step);
	}
	walk_stop(&walk);
	return what == WALK_END;
}

int trace_write_perfetto(const struct trace *trace, struct trace_sink *sink)
{
	struct proto proto = { .trace = trace, .sink = sink };
	bool is_good = true;

	if (trace->header.start_ns > 0)
		proto.base_ns = (uint64_t)trace->header.start_ns;
	describe_process(&proto);
	for (size_t i = 0; i < trace->ring_count; i++) {
		bool is_outside = trace_is_outside(trace, &trace->rings[i]);
		describe_worker(&proto, trace->rings[i].worker, is_outside);
		if (!is_outside)
			describe_counter(&proto, trace->rings[i].worker);
	}
	for (size_t i = 0; i < trace->ring_count && is_good; i++)
		is_good = write_ring(&proto, &trace->rings[i]);
	return is_good ? 0 : TRACE_NO_MEMORY;
}
