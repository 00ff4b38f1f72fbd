// SPDX-License-Identifier: MIT
// Paced.java — Java: the kernels that wait between jobs: tick, latency, idle

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;
import java.util.concurrent.Semaphore;

final class Paced {
    private static final int GRIND_US = 780; // turns of the mill for about a microsecond
    private static final long TIMES = 6364136223846793005L, PLUS = 1442695040888963407L;
    private static final int BURSTS = 12, JOBS = 30, JOB_US = 2, GAP_US = 200, PAUSE_MS = 3;
    private static final int SILENCE_MS = 1; // before each job: workers fall asleep
    private static final int IDLE_JOBS = 1000, IDLE_JOB_US = 1;

    static long grind(long seed, int turns) {
        for (int i = 0; i < turns; i++) {
            seed = seed * TIMES + PLUS;
        }
        return seed;
    }

    /** What that gives, without the work. */
    static long grindAnswer(long seed, int turns) {
        long times = TIMES, plus = PLUS;
        for (; turns > 0; turns /= 2) {
            if (turns % 2 != 0) {
                seed = seed * times + plus;
            }
            plus = plus * times + plus;
            times *= times;
        }
        return seed;
    }

    private static final class Job extends RecursiveAction {
        final long[] results;
        final int i, turns;

        Job(long[] results, int i, int turns) {
            this.results = results;
            this.i = i;
            this.turns = turns;
        }

        @Override
        protected void compute() {
            results[i] = grind(i, turns);
        }
    }

    /** A job for each result. */
    private static final class Burst extends RecursiveAction {
        final long[] results;
        final int turns;

        Burst(long[] results, int turns) {
            this.results = results;
            this.turns = turns;
        }

        @Override
        protected void compute() {
            Job[] forked = new Job[results.length];
            for (int i = 0; i < forked.length; i++) {
                forked[i] = new Job(results, i, turns);
                forked[i].fork();
            }
            for (int i = forked.length; i-- > 0;) {
                forked[i].join();
            }
        }
    }

    /** Judges the results and forgets them. */
    private static boolean endBurst(long[] results, int turns) {
        boolean right = true;
        for (int i = 0; i < results.length; i++) {
            right &= results[i] == grindAnswer(i, turns);
        }
        Arrays.fill(results, 0);
        return right;
    }

    private static void sleep(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException early) {
            throw new IllegalStateException("nobody interrupts this thread", early);
        }
    }

    private static long kept; // so that the serial work is not for nothing

    private static Kernels.Sample runTick(int ticks, ForkJoinPool pool) {
        double[] seconds = new double[ticks * BURSTS];
        long[] results = new long[JOBS];
        boolean right = true;
        CpuClock cpu = new CpuClock();
        for (int b = 0; b < seconds.length; b++) {
            long start = System.nanoTime();
            pool.invoke(new Burst(results, JOB_US * GRIND_US));
            seconds[b] = (System.nanoTime() - start) * 1e-9;
            right &= endBurst(results, JOB_US * GRIND_US);
            kept += grind(1, GAP_US * GRIND_US);
            if (b % BURSTS == BURSTS - 1) {
                sleep(PAUSE_MS);
            }
        }
        double used = cpu.seconds();
        return new Kernels.Sample(Kernels.median(seconds), used, right);
    }

    static List<Kernels.Figure> tick(String size, ForkJoinPool pool) {
        if (!size.equals("2") && !size.equals("60")) {
            return null;
        }
        int ticks = Integer.parseInt(size);
        return List.of(new Kernels.Figure("", Kernels.FORKS, () -> runTick(ticks, pool)));
    }

    private static long began;

    private static Kernels.Sample runLatency(int jobs, ForkJoinPool pool) {
        double[] waits = new double[jobs];
        Semaphore done = new Semaphore(0);
        boolean right = true;
        CpuClock cpu = new CpuClock();
        for (int i = 0; i < jobs; i++) {
            sleep(SILENCE_MS);
            long start = System.nanoTime();
            pool.execute(() -> {
                began = System.nanoTime();
                done.release();
            });
            done.acquireUninterruptibly();
            right &= began >= start;
            waits[i] = (began - start) * 1e-9;
        }
        double used = cpu.seconds();
        return new Kernels.Sample(Kernels.median(waits), used, right);
    }

    static List<Kernels.Figure> latency(String size, ForkJoinPool pool) {
        if (!size.equals("10") && !size.equals("300")) {
            return null;
        }
        int jobs = Integer.parseInt(size);
        return List.of(
            new Kernels.Figure("", "ForkJoinPool.execute", () -> runLatency(jobs, pool)));
    }

    static List<Kernels.Figure> idle(String size, ForkJoinPool pool) {
        int alone = size.equals("100ms") ? 100 : 1000;
        long[] results = new long[IDLE_JOBS];
        if (!size.equals("100ms") && !size.equals("1s")) {
            return null;
        }
        return Kernels.one(Kernels.FORKS + ", then nothing",
            () -> pool.invoke(new Burst(results, IDLE_JOB_US * GRIND_US)), () -> sleep(alone),
            () -> endBurst(results, IDLE_JOB_US * GRIND_US));
    }
}
