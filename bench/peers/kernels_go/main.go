// SPDX-License-Identifier: MIT
// main.go — Go with the kernels of bench/work: goroutines on GOMAXPROCS threads
//
// Go cannot call C without leaving its scheduler, so leaf code, data and judges are written again
// here: the same algorithms, the same numbers, the same answers.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"syscall"
	"time"
)

// What one run took.
type sample struct {
	seconds, cpu float64
	right        bool
}

// A line to print: its case where the problem has several, and one run, judged.
type figure struct {
	name, how string
	run       func() sample
	warm      func() // instead of a run before the first, where that would be long
}

// A kernel makes the figures of a size; none: it has no such size.
type kernel func(size string, workers int) []figure

var kernels = map[string]kernel{
	"fib":      fibKernel,
	"treesum":  treesumKernel,
	"nqueens":  nqueensKernel,
	"skynet":   skynetKernel,
	"uts":      utsKernel,
	"matmul":   matmulKernel,
	"strassen": strassenKernel,
	"cilksort": cilksortKernel,
	"tick":     tickKernel,
	"latency":  latencyKernel,
	"idle":     idleKernel,
	"algo":     algoKernel,
	"loops":    loopsKernel,
}

const waiting = "go and WaitGroup.Wait"

// cpuNow is the CPU time of all threads, in seconds.
func cpuNow() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) * 1e-9
}

func clocked(body func()) sample {
	cpu, start := cpuNow(), time.Now()
	body()
	seconds := time.Since(start).Seconds()
	return sample{seconds: seconds, cpu: cpuNow() - cpu}
}

// one is a figure of a body with both clocks around it.
func one(how string, reset, body func(), right func() bool) []figure {
	return []figure{{how: how, run: func() sample {
		reset()
		result := clocked(body)
		result.right = right()
		return result
	}}}
}

func median(numbers []float64) float64 {
	sort.Float64s(numbers)
	return numbers[len(numbers)/2]
}

func list(numbers []float64) string {
	words := make([]string, len(numbers))
	for i, number := range numbers {
		words[i] = fmt.Sprintf("%.9f", number)
	}
	return "[" + strings.Join(words, ",") + "]"
}

// measure warms up, runs, prints; it tells whether all was right.
func (f figure) measure(problem string, workers, repeat int) bool {
	right := true
	if f.warm != nil {
		f.warm()
	} else {
		right = f.run().right
	}
	var seconds, cpu []float64
	for i := 0; i < repeat; i++ {
		result := f.run()
		right = right && result.right
		seconds = append(seconds, result.seconds)
		cpu = append(cpu, result.cpu)
	}
	fmt.Printf("{\"name\":\"Go\",\"version\":\"%s\",\"problem\":\"%s\",\"case\":\"%s\","+
		"\"how\":\"%s\",\"workers\":%d,\"repeat\":%d,\"seconds\":%s,\"cpu_s\":%s,"+
		"\"check\":%t}\n", strings.TrimPrefix(runtime.Version(), "go"), problem, f.name,
		f.how, workers, repeat, list(seconds), list(cpu), right)
	return right
}

func main() {
	problem := flag.String("problem", "", "KERNEL:SIZE")
	workers := flag.Int("workers", 1, "threads that run Go code")
	repeat := flag.Int("repeat", 3, "how often it is measured")
	flag.Parse()
	name, size, found := strings.Cut(*problem, ":")
	if !found || *workers < 1 || *repeat < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr,
			"usage: kernels_go --problem KERNEL:SIZE --workers N --repeat R")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*workers)
	var figures []figure
	if prepare := kernels[name]; prepare != nil {
		figures = prepare(size, *workers)
	}
	if figures == nil {
		fmt.Fprintf(os.Stderr, "kernels_go: %s is not offered: "+
			"there is no such kernel or size here\n", *problem)
		os.Exit(3)
	}
	status := 0
	for _, f := range figures {
		if !f.measure(*problem, *workers, *repeat) {
			status = 1
		}
	}
	os.Exit(status)
}
