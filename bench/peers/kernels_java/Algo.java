// SPDX-License-Identifier: MIT
// Algo.java — Java: reduce, scan, sort and an uneven loop by streams and Arrays, inside the pool

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;

final class Algo {
    private static final int REDUCE = 1, SCAN = 5, SORT32 = 8; // enum algo_case: the seeds
    private static final int CHUNK = 1024; // elements of a leaf: one at a time is slow
    private static final int TURNS = 78, ALL = 100000, SCALE = 1024; // of loops_data.h
    private static long random;

    private static long splitmix() {
        long x = random += 0x9e3779b97f4a7c15L;
        x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        return x ^ x >>> 31;
    }

    private static void inside(ForkJoinPool pool, Runnable body) {
        pool.submit(body).join();
    }

    // --- reduce ---

    /** Eight sums side by side: one would wait for each addition. */
    private static float sumPlain(float[] x, int first, int end) {
        float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        int i = first;
        for (; i + 8 <= end; i += 8) {
            a += x[i];
            b += x[i + 1];
            c += x[i + 2];
            d += x[i + 3];
            e += x[i + 4];
            f += x[i + 5];
            g += x[i + 6];
            h += x[i + 7];
        }
        for (; i < end; i++) {
            a += x[i];
        }
        return a + b + c + d + e + f + g + h;
    }

    private static double sum;

    private static Kernels.Figure reduce(int n, ForkJoinPool pool) {
        float[] x = new float[n];
        long all = 0;
        random = REDUCE;
        for (int i = 0; i < n; i++) {
            x[i] = Long.remainderUnsigned(splitmix(), 3) - 1;
            all += (long) x[i];
        }
        int chunks = (n + CHUNK - 1) / CHUNK;
        long answer = all;
        Runnable body = () -> sum = IntStream.range(0, chunks).parallel()
            .mapToDouble(k -> sumPlain(x, k * CHUNK, Math.min(n, (k + 1) * CHUNK))).sum();
        return new Kernels.Figure("reduce", "IntStream.parallel.mapToDouble.sum by chunks of 1024",
            Kernels.clocked(() -> sum = 0.5, () -> inside(pool, body), () -> sum == answer));
    }

    // --- scan and sort ---

    private static Kernels.Figure scan(int n, ForkJoinPool pool) {
        long[] given = new long[n], x = new long[n], answer = new long[n];
        random = SCAN;
        for (int i = 0; i < n; i++) {
            given[i] = Long.remainderUnsigned(splitmix(), 1000000);
            answer[i] = given[i] + (i > 0 ? answer[i - 1] : 0);
        }
        return new Kernels.Figure("scan", "Arrays.parallelPrefix, in place", Kernels.clocked(
            () -> System.arraycopy(given, 0, x, 0, n),
            () -> inside(pool, () -> Arrays.parallelPrefix(x, Long::sum)),
            () -> Arrays.equals(x, answer)));
    }

    /** The highest bit is turned over: Java's int has a sign, and the order is to be the same. */
    private static Kernels.Figure sort32(int n, ForkJoinPool pool) {
        int[] given = new int[n], x = new int[n];
        random = SORT32;
        for (int i = 0; i < n; i++) {
            given[i] = (int) (splitmix() >>> 32) ^ Integer.MIN_VALUE;
        }
        int[] answer = given.clone();
        Arrays.sort(answer);
        return new Kernels.Figure("sort32", "Arrays.parallelSort", Kernels.clocked(
            () -> System.arraycopy(given, 0, x, 0, n),
            () -> inside(pool, () -> Arrays.parallelSort(x)), () -> Arrays.equals(x, answer)));
    }

    /** The reduction has ten times as many elements, as in algo_data.h. */
    static List<Kernels.Figure> algo(String size, ForkJoinPool pool) {
        int n = size.equals("3000") ? 3000 : 1000000;
        if (!size.equals("3000") && !size.equals("1M")) {
            return null;
        }
        return List.of(reduce(10 * n, pool), scan(n, pool), sort32(n, pool));
    }

    // --- loops ---

    private static long weight(long i, long n) {
        long scaled = 1 + i * SCALE / n;
        return scaled * scaled;
    }

    private static boolean isRight(long[] output, int[] turns) {
        for (int i = 0; i < output.length; i++) {
            if (output[i] != Paced.grindAnswer(i, turns[i])) {
                return false;
            }
        }
        return true;
    }

    static List<Kernels.Figure> loops(String size, ForkJoinPool pool) {
        if (!size.equals("10") && !size.equals("100") && !size.equals("1000")) {
            return null;
        }
        int n = Integer.parseInt(size), times = n < 100 ? 10 : ALL / n;
        int[] turns = new int[n];
        long[] output = new long[n];
        long all = 0;
        for (int i = 0; i < n; i++) {
            all += weight(i, n);
        }
        for (int i = 0; i < n; i++) {
            turns[i] = (int) (weight(i, n) * TURNS * n / all);
        }
        Runnable body = () -> {
            for (int k = 0; k < times; k++) {
                IntStream.range(0, n).parallel().forEach(i -> output[i] = Paced.grind(i, turns[i]));
            }
        };
        return List.of(new Kernels.Figure("quadratic", "IntStream.parallel.forEach",
            Kernels.clocked(() -> Arrays.fill(output, -1), () -> inside(pool, body),
                () -> isRight(output, turns))));
    }
}
