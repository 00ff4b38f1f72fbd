// SPDX-License-Identifier: MIT
// Matrices.java — Java: matmul and strassen over matrices cut into quarters, laid out as in quads.h

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

final class Matrices {
    private static final int TILE = 64, LEAF = 128, PRODUCTS = 7;
    private static final int SUMS = 10, QUARTERS = 13; // of work: ten sums, then M1, M4, M5

    private final int n;
    private final float[] a, b, c;
    private static long random;

    private static long nextRandom() {
        random = random * 6364136223846793005L + 1442695040888963407L;
        return random >>> 33;
    }

    private Matrices(int n) {
        this.n = n;
        a = new float[n * n];
        b = new float[n * n];
        c = new float[n * n];
        random = n;
        for (int i = 0; i < n * n; i++) {
            a[i] = nextRandom() % 3 - 1;
            b[i] = nextRandom() % 3 - 1;
        }
    }

    /** A matrix is an array and where in it. */
    private record At(float[] in, int at) {
        At plus(int more) {
            return new At(in, at + more);
        }
    }

    // --- leaves ---

    private static void row(float[] c, int ci, float x, float[] b, int bi) {
        for (int j = 0; j < TILE; j++) {
            c[ci + j] += x * b[bi + j];
        }
    }

    /** c += a b of one tile. */
    private static void tile(At c, At a, At b) {
        for (int i = 0; i < TILE; i++) {
            for (int k = 0; k < TILE; k++) {
                row(c.in, c.at + i * TILE, a.in[a.at + i * TILE + k], b.in, b.at + k * TILE);
            }
        }
    }

    private static void multiplyPlain(At c, At a, At b, int n) {
        int half = n / 2, q = half * half;
        if (n == TILE) {
            tile(c, a, b);
            return;
        }
        for (int k = 0; k < 2; k++) {
            multiplyPlain(c, a.plus(k * q), b.plus(2 * k * q), half);
            multiplyPlain(c.plus(q), a.plus(k * q), b.plus(2 * k * q + q), half);
            multiplyPlain(c.plus(2 * q), a.plus(2 * q + k * q), b.plus(2 * k * q), half);
            multiplyPlain(c.plus(3 * q), a.plus(2 * q + k * q), b.plus(2 * k * q + q), half);
        }
    }

    /** x + sign * y, quarters of one matrix. */
    private static void add(float[] to, int at, float[] of, int x, float sign, int y, int q) {
        for (int i = 0; i < q; i++) {
            to[at + i] = of[x + i] + sign * of[y + i];
        }
    }

    // --- the judge: both sides times a random vector ---

    private static int place(int n, int row, int column) {
        int at = 0;
        while (n > TILE) {
            n /= 2;
            at += (2 * (row / n) + column / n) * n * n;
            row %= n;
            column %= n;
        }
        return at + row * TILE + column;
    }

    private long[] apply(float[] m, long[] x) {
        long[] y = new long[n];
        for (int row = 0; row < n; row++) {
            for (int column = 0; column < n; column += TILE) {
                int at = place(n, row, column);
                for (int j = 0; j < TILE; j++) {
                    y[row] += (long) m[at + j] * x[column + j];
                }
            }
        }
        return y;
    }

    private boolean isRight() {
        long[] x = new long[n];
        for (int i = 0; i < n; i++) {
            x[i] = nextRandom();
        }
        return Arrays.equals(apply(a, apply(b, x)), apply(c, x));
    }

    private List<Kernels.Figure> figure(Runnable body) {
        return Kernels.one(Kernels.FORKS, () -> Arrays.fill(c, 0), body, this::isRight);
    }

    // --- matmul ---

    private static final class Multiply extends RecursiveAction {
        final At c, a, b;
        final int n;

        Multiply(At c, At a, At b, int n) {
            this.c = c;
            this.a = a;
            this.b = b;
            this.n = n;
        }

        @Override
        protected void compute() {
            int half = n / 2, q = half * half;
            if (n == TILE) {
                tile(c, a, b);
                return;
            }
            for (int k = 0; k < 2; k++) {
                At upper = a.plus(k * q), lower = a.plus(2 * q + k * q);
                At left = b.plus(2 * k * q), right = b.plus(2 * k * q + q);
                Multiply fourth = new Multiply(c.plus(3 * q), lower, right, half);
                Multiply third = new Multiply(c.plus(2 * q), lower, left, half);
                Multiply second = new Multiply(c.plus(q), upper, right, half);
                fourth.fork();
                third.fork();
                second.fork();
                new Multiply(c, upper, left, half).compute();
                second.join();
                third.join();
                fourth.join();
            }
        }
    }

    static List<Kernels.Figure> matmul(String size, ForkJoinPool pool) {
        if (!size.equals("128") && !size.equals("1024")) {
            return null;
        }
        Matrices all = new Matrices(Integer.parseInt(size));
        return all.figure(() -> pool.invoke(
            new Multiply(new At(all.c, 0), new At(all.a, 0), new At(all.b, 0), all.n)));
    }

    // --- strassen ---

    private static int room(int n) {
        return n <= LEAF ? 0 : QUARTERS * n * n / 4 + PRODUCTS * room(n / 2);
    }

    private static final class Strassen extends RecursiveAction {
        final At c, a, b, work;
        final int n, q;

        Strassen(At c, At a, At b, At work, int n) {
            this.c = c;
            this.a = a;
            this.b = b;
            this.work = work;
            this.n = n;
            q = n * n / 4;
        }

        /** x + sign * y, quarters of one matrix, into one of the sums. */
        private At sum(int which, At of, int x, int sign, int y) {
            At to = work.plus(which * q);
            add(to.in, to.at, of.in, of.at + x * q, sign, of.at + y * q, q);
            return to;
        }

        /** Makes what product m is made of; it has the room behind the sums to itself. */
        private Strassen product(int m) {
            At rooms = work.plus(QUARTERS * q + m * room(n / 2));
            At left = switch (m) {
                case 0 -> sum(0, a, 0, 1, 3);
                case 1 -> sum(2, a, 2, 1, 3);
                case 2 -> a;
                case 3 -> a.plus(3 * q);
                case 4 -> sum(5, a, 0, 1, 1);
                case 5 -> sum(6, a, 2, -1, 0);
                default -> sum(8, a, 1, -1, 3);
            };
            At right = switch (m) {
                case 0 -> sum(1, b, 0, 1, 3);
                case 1 -> b;
                case 2 -> sum(3, b, 1, -1, 3);
                case 3 -> sum(4, b, 2, -1, 0);
                case 4 -> b.plus(3 * q);
                case 5 -> sum(7, b, 0, 1, 1);
                default -> sum(9, b, 2, 1, 3);
            };
            At to = switch (m) {
                case 0 -> work.plus(SUMS * q);
                case 1 -> c.plus(2 * q);
                case 2 -> c.plus(q);
                case 3 -> work.plus((SUMS + 1) * q);
                case 4 -> work.plus((SUMS + 2) * q);
                case 5 -> c.plus(3 * q);
                default -> c;
            };
            return new Strassen(to, left, right, rooms, n / 2);
        }

        /** M7, M3, M2 and M6 are in the quarters of c. */
        private static void putTogether(float[] c, int at, float[] work, int m1, int q) {
            int m4 = m1 + q, m5 = m4 + q, c12 = at + q, c21 = c12 + q, c22 = c21 + q;
            for (int i = 0; i < q; i++) {
                c[c22 + i] += work[m1 + i] - c[c21 + i] + c[c12 + i];
                c[at + i] += work[m1 + i] + work[m4 + i] - work[m5 + i];
                c[c12 + i] += work[m5 + i];
                c[c21 + i] += work[m4 + i];
            }
        }

        @Override
        protected void compute() {
            if (n <= LEAF) {
                Arrays.fill(c.in, c.at, c.at + n * n, 0);
                multiplyPlain(c, a, b, n);
                return;
            }
            Strassen[] forked = new Strassen[PRODUCTS];
            for (int m = 0; m < PRODUCTS; m++) {
                forked[m] = product(m);
                forked[m].fork();
            }
            for (int m = PRODUCTS; m-- > 0;) {
                forked[m].join();
            }
            putTogether(c.in, c.at, work.in, work.at + SUMS * q, q);
        }
    }

    static List<Kernels.Figure> strassen(String size, ForkJoinPool pool) {
        if (!size.equals("256") && !size.equals("1024")) {
            return null;
        }
        Matrices all = new Matrices(Integer.parseInt(size));
        At work = new At(new float[room(all.n)], 0);
        return all.figure(() -> pool.invoke(
            new Strassen(new At(all.c, 0), new At(all.a, 0), new At(all.b, 0), work, all.n)));
    }
}
