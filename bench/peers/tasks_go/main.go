// SPDX-License-Identifier: MIT
// main.go — Go: goroutines and a WaitGroup, round trips through a channel, on GOMAXPROCS threads
//
// Go has no per-thread counters, so each goroutine counts in a byte of its own.  "Outside" is a
// goroutine locked to its thread: as far outside as Go lets one be.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

type peerCase struct {
	name, how string
	measure   func(n int) (ns float64, right bool)
	divisor   int
}

func task(ran *byte, group *sync.WaitGroup) {
	*ran++
	group.Done()
}

func spawn(n int) (float64, bool) {
	ran := make([]byte, n)
	var group sync.WaitGroup
	start := time.Now()
	group.Add(n)
	for i := range ran {
		go task(&ran[i], &group)
	}
	group.Wait()
	ns := float64(time.Since(start).Nanoseconds())
	for _, count := range ran {
		if count != 1 {
			return ns, false
		}
	}
	return ns, true
}

func answer(number int, to chan<- int) {
	to <- number
}

func roundTrip(n int) (float64, bool) {
	answers := make(chan int, 1)
	sum := 0
	start := time.Now()
	for i := 1; i <= n; i++ {
		go answer(i, answers)
		sum += <-answers
	}
	ns := float64(time.Since(start).Nanoseconds())
	return ns, sum == n*(n+1)/2
}

// locked measures from a goroutine that has a thread to itself.
func locked(measure func(int) (float64, bool)) func(int) (float64, bool) {
	return func(n int) (ns float64, right bool) {
		done := make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ns, right = measure(n)
			done <- true
		}()
		<-done
		return
	}
}

func atLeastOne(n int) int {
	if n < 1 {
		return 1
	}
	return n
}

func main() {
	workers := flag.Int("workers", 1, "threads that run Go code")
	tasks := flag.Int("tasks", 1000000, "how many tasks")
	repeat := flag.Int("repeat", 5, "how often each case is measured")
	flag.Parse()
	if *workers < 1 || *tasks < 1 || *repeat < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*workers)
	cases := []peerCase{
		{"spawn_inside", "go and WaitGroup.Wait", spawn, 1},
		{"spawn_outside", "the same, from a locked thread", locked(spawn), 1},
		{"round_trip_inside", "go and a receive from a channel", roundTrip, 10},
		{"round_trip_outside", "the same, from a locked thread", locked(roundTrip), 10},
	}
	ns := make([][]float64, len(cases))
	right := make([]bool, len(cases))
	for round := -1; round < *repeat; round++ {
		for c, one := range cases {
			n := atLeastOne(*tasks / one.divisor)
			if round < 0 {
				n = atLeastOne(n / 10)
			}
			all, isRight := one.measure(n)
			right[c] = (round < 0 || right[c]) && isRight
			if round >= 0 {
				ns[c] = append(ns[c], all/float64(n))
			}
		}
	}
	status := 0
	for c, one := range cases {
		sort.Float64s(ns[c])
		last := len(ns[c]) - 1
		fmt.Printf("{\"name\":\"Go\",\"version\":\"%s\",\"case\":\"%s\",\"how\":\"%s\","+
			"\"workers\":%d,\"tasks\":%d,\"repeat\":%d,\"ns_per_task\":%.2f,"+
			"\"quartile_low_ns\":%.2f,\"quartile_high_ns\":%.2f,\"check\":%t}\n",
			strings.TrimPrefix(runtime.Version(), "go"), one.name, one.how, *workers,
			atLeastOne(*tasks/one.divisor), *repeat, ns[c][(last+1)/2], ns[c][(last+2)/4],
			ns[c][(3*last+2)/4], right[c])
		if !right[c] {
			status = 1
		}
	}
	os.Exit(status)
}
