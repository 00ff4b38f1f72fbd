/* SPDX-License-Identifier: MIT */
/* simcmd_svg.c — a sweep as one picture: speed-up by workers, both by decades; no script */
#include "sim/simcmd.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * A scheduler is told by colour (Okabe and Ito's, which the colour-blind can tell apart), by the
 * shape of its dots and by its name at the right.  Colours are classes, set for light and dark.
 */
#define WIDTH  760
#define HEIGHT 460
#define LEFT   70
#define RIGHT  150
#define TOP    52
#define BOTTOM 56

struct scale {
	double low, high; /* of what is shown */
	double from, to;  /* where that is */
};

struct figure {
	FILE *to;
	const struct simcmd_sweep *sweep;
	enum simcmd_metric metric;
	bool has_ideal; /* the line that no scheduler can be above */
	struct scale x, y;
};

static double place(const struct scale *scale, double value)
{
	double share = log(value / scale->low) / log(scale->high / scale->low);

	share = share < 0 ? 0 : share > 1 ? 1 : share;
	return scale->from + share * (scale->to - scale->from);
}

/* "1", "10", "1k", "1M"; "0.01" */
static void label(char *text, size_t size, double value)
{
	static const char units[] = "kMGTP";
	unsigned u = 0;

	if (value < 999.5) {
		snprintf(text, size, "%.3g", value);
		return;
	}
	for (value /= 1000; value >= 999.5 && u < 4; u++)
		value /= 1000;
	snprintf(text, size, "%.3g%c", value, units[u]);
}

static void start_svg(const struct figure *figure, const char *title)
{
	fprintf(figure->to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		"height=\"%d\" role=\"img\" aria-labelledby=\"title desc\" lang=\"en\">\n"
		"<title id=\"title\">%s</title>\n",
		WIDTH, HEIGHT, WIDTH, HEIGHT, title);
}

static const char style[] =
	"<style>\n"
	"svg { color-scheme: light dark; background: #fff; font: 14px system-ui, sans-serif; }\n"
	"text { fill: #222; }\n"
	".small { font-size: 12px; fill: #555; }\n"
	".grid { stroke: #ddd; }\n"
	".frame { stroke: #888; fill: none; }\n"
	".ideal { stroke: #555; stroke-dasharray: 6 4; fill: none; }\n"
	".bound { stroke: #555; stroke-dasharray: 2 3; fill: none; }\n"
	".line { fill: none; stroke-width: 2; }\n"
	".s0 { --c: #0072b2; } .s1 { --c: #b35c00; } .s2 { --c: #8a5a83; } .s3 { --c: #007a5e; }\n"
	".s4 { --c: #c2380a; } .s5 { --c: #33658a; } .s6 { --c: #806600; } .s7 { --c: #333; }\n"
	".line, .bar { stroke: var(--c); } .dot { fill: var(--c); } .name { fill: var(--c); }\n"
	"@media (prefers-color-scheme: dark) {\n"
	"svg { background: #16181c; } text { fill: #e6e6e6; } .small { fill: #a8a8a8; }\n"
	".grid { stroke: #33363c; } .frame { stroke: #777; } .ideal, .bound { stroke: #bbb; }\n"
	".s0 { --c: #56b4e9; } .s1 { --c: #e69f00; } .s2 { --c: #cc79a7; } .s3 { --c: #00c896; }\n"
	".s4 { --c: #ff7f50; } .s5 { --c: #9cc3e6; } .s6 { --c: #f0e442; } .s7 { --c: #ddd; }\n"
	"}\n"
	"</style>\n";

/* The same in words: what each scheduler has at the most workers. */
static void write_description(const struct figure *figure)
{
	const struct simcmd_plan *plan = figure->sweep->plan;
	unsigned last = plan->count_count - 1;

	fprintf(figure->to,
		"<desc id=\"desc\">Simulated; %u run%s each, seed %" PRIu64 ". With %" PRIu32
		" workers: ",
		plan->runs, plan->runs == 1 ? "" : "s", plan->seed, plan->counts[last]);
	for (unsigned v = 0; v < plan->variant_count; v++)
		fprintf(figure->to, "%s%s %.4g", v ? ", " : "", plan->variants[v]->name,
			simcmd_spread(figure->sweep, v, last, figure->metric).mean);
	fputs(".</desc>\n", figure->to);
}

static void write_x_grid(const struct figure *figure)
{
	char text[24];

	for (int power = 0; pow(10, power) <= figure->x.high * 1.0001; power++) {
		double tick = pow(10, power), x = place(&figure->x, tick);
		if (tick < figure->x.low * 0.9999)
			continue;
		label(text, sizeof(text), tick);
		fprintf(figure->to,
			"<path class=\"grid\" d=\"M%.1f %dV%d\"/>"
			"<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
			x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, text);
	}
}

static void write_y_grid(const struct figure *figure)
{
	char text[24];
	int power = (int)ceil(log10(figure->y.low) - 1e-9);

	for (; pow(10, power) <= figure->y.high * 1.0001; power++) {
		double tick = pow(10, power), y = place(&figure->y, tick);
		label(text, sizeof(text), tick);
		fprintf(figure->to,
			"<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
			"<text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT, y, WIDTH - RIGHT, LEFT - 8, y + 4, text);
	}
}

static void write_axes(const struct figure *figure)
{
	write_x_grid(figure);
	write_y_grid(figure);
	fprintf(figure->to,
		"<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, TOP,
		WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
	fprintf(figure->to,
		"<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">workers</text>\n"
		"<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, (TOP + HEIGHT - BOTTOM) / 2,
		figure->has_ideal ? "speed-up over T1" : "time in system, in service times");
}

/* What no schedule can be above, min(P, T1/Tinf), and what a greedy one is not below. */
static void write_bounds(const struct figure *figure)
{
	const struct sim_result *result = figure->sweep->results;
	double work = (double)result->work, span = (double)result->span;

	if (!figure->has_ideal || work <= 0 || span <= 0)
		return;
	for (int is_greedy = 0; is_greedy < 2; is_greedy++) {
		fprintf(figure->to, "<path class=\"%s\" d=\"", is_greedy ? "bound" : "ideal");
		for (int i = 0; i <= 60; i++) {
			double p = figure->x.low *
				   pow(figure->x.high / figure->x.low, (double)i / 60);
			double most = p < work / span ? p : work / span;
			double value = is_greedy ? work / (work / p + span) : most;
			fprintf(figure->to, "%c%.1f %.1f", i ? 'L' : 'M', place(&figure->x, p),
				place(&figure->y, value));
		}
		fprintf(figure->to, "\"><title>%s</title></path>\n",
			is_greedy ? "T1 / (T1/P + Tinf): no greedy schedule is below"
				  : "P, or T1/Tinf: no schedule is above");
	}
}

static void write_dot(const struct figure *figure, unsigned variant, double x, double y)
{
	static const char *const shapes[] = { "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
					      "M-4 -4h8v8h-8z",
					      "M0 -5.5L5.5 0L0 5.5L-5.5 0z",
					      "M0 -5.5L5.2 4.2H-5.2z",
					      "M0 5.5L5.2 -4.2H-5.2z",
					      "M-2 -6h4v12h-4z" };

	fprintf(figure->to, "<path class=\"dot\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", x,
		y, shapes[variant % 6]);
}

static void write_line(const struct figure *figure, unsigned variant)
{
	const struct simcmd_plan *plan = figure->sweep->plan;

	fprintf(figure->to, "<g class=\"s%u\">\n<path class=\"line\" d=\"", variant % 8);
	for (unsigned c = 0; c < plan->count_count; c++)
		fprintf(figure->to, "%c%.1f %.1f", c ? 'L' : 'M',
			place(&figure->x, plan->counts[c]),
			place(&figure->y,
			      simcmd_spread(figure->sweep, variant, c, figure->metric).mean));
	fputs("\"/>\n", figure->to);
	for (unsigned c = 0; c < plan->count_count; c++) {
		struct simcmd_spread spread = simcmd_spread(figure->sweep, variant, c,
							    figure->metric);
		double x = place(&figure->x, plan->counts[c]), y = place(&figure->y, spread.mean);

		fprintf(figure->to, "<g><title>%s, %" PRIu32 " workers: %.4g",
			plan->variants[variant]->name, plan->counts[c], spread.mean);
		if (spread.half >= 0)
			fprintf(figure->to, " \302\261 %.2g", spread.half);
		fputs("</title>", figure->to);
		if (spread.half > 0)
			fprintf(figure->to, "<path class=\"bar\" d=\"M%.1f %.1fV%.1f\"/>", x,
				place(&figure->y, spread.mean - spread.half > figure->y.low
							  ? spread.mean - spread.half
							  : figure->y.low),
				place(&figure->y, spread.mean + spread.half));
		write_dot(figure, variant, x, y);
		fputs("</g>\n", figure->to);
	}
	fputs("</g>\n", figure->to);
}

/* Names at the right, beside the end of their lines as far as they do not stand on each other. */
static void write_names(const struct figure *figure)
{
	const struct simcmd_plan *plan = figure->sweep->plan;
	double at[SIMCMD_VARIANTS_MAX];
	unsigned order[SIMCMD_VARIANTS_MAX];

	for (unsigned v = 0; v < plan->variant_count; v++) {
		unsigned i = v;
		at[v] = place(&figure->y,
			      simcmd_spread(figure->sweep, v, plan->count_count - 1, figure->metric)
				      .mean);
		for (; i > 0 && at[order[i - 1]] > at[v]; i--)
			order[i] = order[i - 1];
		order[i] = v;
	}
	for (unsigned i = 1; i < plan->variant_count; i++) {
		if (at[order[i]] < at[order[i - 1]] + 18)
			at[order[i]] = at[order[i - 1]] + 18;
	}
	for (unsigned i = 0; i < plan->variant_count; i++) {
		unsigned v = order[i];
		fprintf(figure->to, "<g class=\"s%u\">", v % 8);
		write_dot(figure, v, WIDTH - RIGHT + 16, at[v]);
		fprintf(figure->to, "<text class=\"name\" x=\"%d\" y=\"%.1f\">%s</text></g>\n",
			WIDTH - RIGHT + 28, at[v] + 5, plan->variants[v]->name);
	}
}

static void set_scales(struct figure *figure)
{
	const struct simcmd_plan *plan = figure->sweep->plan;
	double low = HUGE_VAL, high = 0, few = HUGE_VAL, many = 1;

	for (unsigned c = 0; c < plan->count_count; c++) {
		few = plan->counts[c] < few ? plan->counts[c] : few;
		many = plan->counts[c] > many ? plan->counts[c] : many;
		for (unsigned v = 0; v < plan->variant_count; v++) {
			double value = simcmd_spread(figure->sweep, v, c, figure->metric).mean;
			if (value > 0 && value < low)
				low = value;
			high = value > high ? value : high;
		}
	}
	if (figure->has_ideal) {
		double most = (double)figure->sweep->results->work /
			      (double)(figure->sweep->results->span ? figure->sweep->results->span
								    : 1);
		most = most < many ? most : many;
		high = most > high ? most : high;
	}
	if (!(low < high))
		low = high > 0 ? high : 1;
	if (!(high > 0))
		high = low;
	figure->x = (struct scale){ few, many > few ? many : 10 * few, LEFT, WIDTH - RIGHT };
	figure->y = (struct scale){ low / 1.3, high * 1.3, HEIGHT - BOTTOM, TOP };
}

bool simcmd_svg(FILE *to, const void *what)
{
	const struct simcmd_sweep *sweep = what;
	const struct simcmd_plan *plan = sweep->plan;
	bool is_open = plan->base.model == SIM_OPEN;
	struct figure figure = { .to = to,
				 .sweep = sweep,
				 .metric = is_open ? SIMCMD_SOJOURN : SIMCMD_SPEEDUP,
				 .has_ideal = !is_open };
	char title[200];

	set_scales(&figure);
	snprintf(title, sizeof(title), "%s of %.60s, simulated",
		 is_open ? "Time in system" : "Speed-up", plan->load.name);
	start_svg(&figure, title);
	write_description(&figure);
	fputs(style, to);
	fprintf(to,
		"<text x=\"%d\" y=\"22\" font-weight=\"600\">%s</text>\n"
		"<text class=\"small\" x=\"%d\" y=\"40\">means of %u run%s, seed %" PRIu64
		"; bars: 95 %% intervals%s</text>\n",
		LEFT, title, LEFT, plan->runs, plan->runs == 1 ? "" : "s", plan->seed,
		is_open ? "" : "; dashes: min(P, T1/Tinf); dots: T1/(T1/P + Tinf)");
	write_axes(&figure);
	write_bounds(&figure);
	for (unsigned v = 0; v < plan->variant_count; v++)
		write_line(&figure, v);
	write_names(&figure);
	fputs("</svg>\n", to);
	return true;
}
