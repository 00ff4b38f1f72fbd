// SPDX-License-Identifier: MIT
// paced.go — Go: the kernels that wait between jobs: tick, latency, idle
package main

import (
	"runtime"
	"sync"
	"time"
)

const (
	grindUs    = 780 // turns of the mill for about a microsecond
	grindTimes = 6364136223846793005
	grindPlus  = 1442695040888963407

	tickBursts = 12
	tickJobs   = 30
	tickJobUs  = 2
	tickGapUs  = 200
	tickPause  = 3 * time.Millisecond

	latencyPause = time.Millisecond

	idleJobs  = 1000
	idleJobUs = 1
)

//go:noinline
func grind(seed uint64, turns int) uint64 {
	for i := 0; i < turns; i++ {
		seed = seed*grindTimes + grindPlus
	}
	return seed
}

// grindAnswer is what that gives, without the work.
func grindAnswer(seed uint64, turns int) uint64 {
	times, plus := uint64(grindTimes), uint64(grindPlus)
	for ; turns > 0; turns /= 2 {
		if turns%2 != 0 {
			seed = seed*times + plus
		}
		plus = plus*times + plus
		times *= times
	}
	return seed
}

// burst runs a job for each result, of so many turns.
func burst(results []uint64, turns int) {
	var group sync.WaitGroup
	group.Add(len(results))
	for i := range results {
		go func(i int) {
			results[i] = grind(uint64(i), turns)
			group.Done()
		}(i)
	}
	group.Wait()
}

// endBurst judges the results and forgets them.
func endBurst(results []uint64, turns int) bool {
	right := true
	for i := range results {
		right = right && results[i] == grindAnswer(uint64(i), turns)
		results[i] = 0
	}
	return right
}

func tickKernel(size string, _ int) []figure {
	ticks := map[string]int{"2": 2, "60": 60}[size]
	if ticks == 0 {
		return nil
	}
	results := make([]uint64, tickJobs)
	return []figure{{how: waiting, run: func() sample {
		var seconds []float64
		right, cpu, turns := true, cpuNow(), tickJobUs*grindUs
		for t := 0; t < ticks; t++ {
			for b := 0; b < tickBursts; b++ {
				start := time.Now()
				burst(results, turns)
				seconds = append(seconds, time.Since(start).Seconds())
				right = endBurst(results, turns) && right
				grind(1, tickGapUs*grindUs)
			}
			time.Sleep(tickPause)
		}
		return sample{median(seconds), cpuNow() - cpu, right}
	}}}
}

// A goroutine that is locked to its thread submits: as far outside as Go lets one be.
func latencyKernel(size string, _ int) []figure {
	jobs := map[string]int{"10": 10, "300": 300}[size]
	if jobs == 0 {
		return nil
	}
	return []figure{{how: "go, from a locked thread", run: func() sample {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var waits []float64
		right, cpu, done := true, cpuNow(), make(chan time.Time, 1)
		for i := 0; i < jobs; i++ {
			time.Sleep(latencyPause)
			start := time.Now()
			go func() { done <- time.Now() }()
			wait := (<-done).Sub(start)
			right = right && wait >= 0
			waits = append(waits, wait.Seconds())
		}
		return sample{median(waits), cpuNow() - cpu, right && len(waits) == jobs}
	}}}
}

func idleKernel(size string, _ int) []figure {
	alone := map[string]time.Duration{"100ms": 100 * time.Millisecond, "1s": time.Second}[size]
	if alone == 0 {
		return nil
	}
	results := make([]uint64, idleJobs)
	return []figure{{how: waiting + ", then nothing", run: func() sample {
		burst(results, idleJobUs*grindUs)
		result := clocked(func() { time.Sleep(alone) })
		result.right = endBurst(results, idleJobUs*grindUs)
		return result
	}}}
}
