/* SPDX-License-Identifier: MIT */
/* graph_dot.c — a graph as text in the DOT language */
#include "par/graph_parts.h"

#include <errno.h>

/*
 * The file's own buffer is all there is: errors are asked for once, at the end, from the file.
 */

/* In quotes; what would end them or the line is written as DOT wants it. */
static void dot_put_name(const char *name, FILE *file)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;
		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", file);
		else
			fputc(c < ' ' || c == 0x7f ? ' ' : c, file);
	}
}

static void dot_put_node(const struct skua_graph *graph, uint32_t n, FILE *file)
{
	const char *name = graph->text ? graph->text + graph->names[n] : "";

	fprintf(file, "\tn%u [label=\"", n);
	if (*name)
		dot_put_name(name, file);
	else
		fprintf(file, "%u", n);
	fputs(graph->nodes[n].first & SKUAI_CONDITION ? "\", shape=diamond];\n" : "\"];\n", file);
}

static void dot_put_edge(uint32_t from, uint32_t to, FILE *file)
{
	fprintf(file, "\tn%u -> n%u;\n", from, to);
}

static void dot_put_choice(uint32_t from, uint32_t to, unsigned number, FILE *file)
{
	fprintf(file, "\tn%u -> n%u [style=dashed, label=\"%u\"];\n", from, to, number);
}

/* Packed edges of a node.  How many. */
static unsigned dot_put_packed(const struct skua_graph *graph, uint32_t n, FILE *file)
{
	uint32_t edge = graph->nodes[n].first & ~SKUAI_CONDITION;
	bool is_last = edge == SKUAI_FIRST_NONE;
	unsigned count = 0;

	for (; !is_last; edge++, count++) {
		uint32_t to = graph->edges[edge] & ~SKUAI_EDGE_LAST;
		is_last = graph->edges[edge] & SKUAI_EDGE_LAST;
		if (graph->nodes[n].first & SKUAI_CONDITION)
			dot_put_choice(n, to, count, file);
		else
			dot_put_edge(n, to, file);
	}
	return count;
}

/* Edges of a condition that are not packed yet: they are numbered, so its own are looked for. */
static void dot_put_choices(const struct skua_graph *graph, uint32_t n, unsigned number, FILE *file)
{
	for (uint32_t i = 0; i < graph->link_count; i++)
		if (graph->links[i].from == n)
			dot_put_choice(n, graph->links[i].to, number++, file);
}

int skua_graph_dot(const struct skua_graph *graph, FILE *file)
{
	int saved = errno;

	if (!graph || !file)
		return SKUA_EINVAL;
	fputs("digraph skua {\n\tnode [shape=box];\n", file);
	for (uint32_t n = 0; n < graph->count; n++)
		dot_put_node(graph, n, file);
	for (uint32_t n = 0; n < graph->count; n++) {
		unsigned count = dot_put_packed(graph, n, file);
		if (graph->nodes[n].first & SKUAI_CONDITION && graph->link_count)
			dot_put_choices(graph, n, count, file);
	}
	for (uint32_t i = 0; i < graph->link_count; i++)
		if (!(graph->nodes[graph->links[i].from].first & SKUAI_CONDITION))
			dot_put_edge(graph->links[i].from, graph->links[i].to, file);
	fputs("}\n", file);
	bool is_bad = fflush(file) != 0 || ferror(file);
	errno = saved;
	return is_bad ? SKUA_EIO : SKUA_OK;
}
