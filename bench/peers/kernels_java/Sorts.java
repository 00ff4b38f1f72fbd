// SPDX-License-Identifier: MIT
// Sorts.java — Java: cilksort, merge sort in four parts with merges that are themselves parallel

import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

final class Sorts {
    private static final int SORT_LEAF = 2048, MERGE_LEAF = 2048;
    private static final int FEW = 16; // numbers that are put in place one by one

    // --- leaves; ranges go from first up to end ---

    private static void insertAll(int[] x, int first, int end) {
        for (int i = first + 1; i < end; i++) {
            int number = x[i], at = i;
            for (; at > first && x[at - 1] > number; at--) {
                x[at] = x[at - 1];
            }
            x[at] = number;
        }
    }

    private static void sortPlain(int[] x, int first, int end) {
        while (end - first > FEW) {
            int a = x[first], b = x[first + (end - first) / 2], c = x[end - 1];
            int pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
            int left = first, right = end - 1;
            while (true) {
                while (x[left] < pivot) {
                    left++;
                }
                while (x[right] > pivot) {
                    right--;
                }
                if (left >= right) {
                    break;
                }
                int other = x[left];
                x[left++] = x[right];
                x[right--] = other;
            }
            sortPlain(x, right + 1, end);
            end = right + 1;
        }
        insertAll(x, first, end);
    }

    private static void mergePlain(int[] x, int a, int aEnd, int b, int bEnd, int[] to, int at) {
        while (a < aEnd && b < bEnd) {
            to[at++] = x[a] <= x[b] ? x[a++] : x[b++];
        }
        System.arraycopy(x, a, to, at, aEnd - a);
        System.arraycopy(x, b, to, at + aEnd - a, bEnd - b);
    }

    /** Where the first that is not less than the number is. */
    private static int below(int[] x, int first, int end, int number) {
        for (int count = end - first; count > 0;) {
            int half = count / 2;
            if (x[first + half] < number) {
                first += half + 1;
                count -= half + 1;
            } else {
                count = half;
            }
        }
        return first;
    }

    // --- tasks ---

    /** Two ranges of x to one of another array. */
    private static final class Merge extends RecursiveAction {
        final int[] x, to;
        final int a, aEnd, b, bEnd, at;

        Merge(int[] x, int a, int aEnd, int b, int bEnd, int[] to, int at) {
            boolean isLonger = aEnd - a >= bEnd - b;
            this.x = x;
            this.a = isLonger ? a : b;
            this.aEnd = isLonger ? aEnd : bEnd;
            this.b = isLonger ? b : a;
            this.bEnd = isLonger ? bEnd : aEnd;
            this.to = to;
            this.at = at;
        }

        @Override
        protected void compute() {
            if (aEnd - a + bEnd - b <= MERGE_LEAF) {
                mergePlain(x, a, aEnd, b, bEnd, to, at);
                return;
            }
            int middle = a + (aEnd - a) / 2, other = below(x, b, bEnd, x[middle]);
            Merge right = new Merge(x, middle, aEnd, other, bEnd, to, at + middle - a + other - b);
            right.fork();
            new Merge(x, a, middle, b, other, to, at).compute();
            right.join();
        }
    }

    private static final class Sort extends RecursiveAction {
        final int[] x, other;
        final int first, end;

        Sort(int[] x, int[] other, int first, int end) {
            this.x = x;
            this.other = other;
            this.first = first;
            this.end = end;
        }

        @Override
        protected void compute() {
            int q = (end - first) / 4, second = first + q, third = second + q, fourth = third + q;
            if (end - first <= SORT_LEAF) {
                sortPlain(x, first, end);
                return;
            }
            Sort last = new Sort(x, other, fourth, end);
            Sort later = new Sort(x, other, third, fourth);
            Sort next = new Sort(x, other, second, third);
            last.fork();
            later.fork();
            next.fork();
            new Sort(x, other, first, second).compute();
            next.join();
            later.join();
            last.join();
            Merge right = new Merge(x, third, fourth, fourth, end, other, third);
            right.fork();
            new Merge(x, first, second, second, third, other, first).compute();
            right.join();
            new Merge(other, first, third, third, end, x, first).compute();
        }
    }

    // --- data ---

    /** Two sums that no order changes. */
    private static long[] addUp(int[] numbers) {
        long sum = 0, product = 1;
        for (int x : numbers) {
            sum += x;
            product *= 2 * (x & 0xffffffffL) + 0x9e3779b97f4a7c15L;
        }
        return new long[] {sum, product};
    }

    private static boolean isRight(int[] numbers, long[] sums) {
        for (int i = 1; i < numbers.length; i++) {
            if (numbers[i - 1] > numbers[i]) {
                return false;
            }
        }
        return java.util.Arrays.equals(addUp(numbers), sums);
    }

    static List<Kernels.Figure> prepare(String size, ForkJoinPool pool) {
        int count = size.equals("20k") ? 20000 : 10000000;
        if (!size.equals("20k") && !size.equals("10M")) {
            return null;
        }
        int[] given = new int[count], numbers = new int[count], other = new int[count];
        long random = 1;
        for (int i = 0; i < count; i++) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            given[i] = (int) (random >>> 32);
        }
        long[] sums = addUp(given);
        return Kernels.one(Kernels.FORKS, () -> System.arraycopy(given, 0, numbers, 0, count),
            () -> pool.invoke(new Sort(numbers, other, 0, count)), () -> isRight(numbers, sums));
    }
}
