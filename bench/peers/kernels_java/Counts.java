// SPDX-License-Identifier: MIT
// Counts.java — Java: kernels that count and add: fib, treesum, nqueens, skynet
//
// Results are fields of the tasks: RecursiveTask would box every number.

import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

final class Counts {
    private static long result;

    private static List<Kernels.Figure> figure(Runnable body, long answer) {
        return Kernels.one(Kernels.FORKS, () -> result = -1, body, () -> result == answer);
    }

    // --- fib ---

    private static final class Fib extends RecursiveAction {
        final int n;
        long value;

        Fib(int n) {
            this.n = n;
        }

        @Override
        protected void compute() {
            if (n < 2) {
                value = n;
                return;
            }
            Fib a = new Fib(n - 1), b = new Fib(n - 2);
            a.fork();
            b.compute();
            a.join();
            value = a.value + b.value;
        }
    }

    static List<Kernels.Figure> fib(String size, ForkJoinPool pool) {
        if (!size.equals("20") && !size.equals("32")) {
            return null;
        }
        int n = Integer.parseInt(size);
        long answer = 0, next = 1;
        for (int i = 0; i < n; i++) {
            long sum = answer + next;
            answer = next;
            next = sum;
        }
        return figure(() -> {
            Fib root = new Fib(n);
            pool.invoke(root);
            result = root.value;
        }, answer);
    }

    // --- treesum ---

    private static final class Node {
        final long value;
        Node left, right; // both or neither

        Node(long value) {
            this.value = value;
        }
    }

    private static final class Sum extends RecursiveAction {
        final Node node;
        long value;

        Sum(Node node) {
            this.node = node;
        }

        @Override
        protected void compute() {
            if (node.left == null) {
                value = node.value;
                return;
            }
            Sum left = new Sum(node.left), right = new Sum(node.right);
            right.fork();
            left.compute();
            right.join();
            value = node.value + left.value + right.value;
        }
    }

    /** Depth first; numbers are handed out on the way. */
    private static Node build(int levels, long[] next) {
        Node node = new Node(next[0]++);
        if (levels > 1) {
            node.left = build(levels - 1, next);
            node.right = build(levels - 1, next);
        }
        return node;
    }

    static List<Kernels.Figure> treesum(String size, ForkJoinPool pool) {
        int levels = size.equals("31") ? 5 : 16, times = size.equals("31") ? 100 : 30;
        if (!size.equals("31") && !size.equals("64k")) {
            return null;
        }
        Node root = build(levels, new long[1]);
        long n = (1L << levels) - 1;
        return figure(() -> {
            long sum = 0;
            for (int i = 0; i < times; i++) {
                Sum all = new Sum(root);
                pool.invoke(all);
                sum += all.value;
            }
            result = sum;
        }, n * (n - 1) / 2 * times);
    }

    // --- nqueens ---

    private static final int QUEENS_MAX = 16;

    private static boolean isFree(byte[] board, int row, int column) {
        for (int i = 0; i < row; i++) {
            int aside = board[i] - column;
            if (aside == 0 || aside == row - i || aside == i - row) {
                return false;
            }
        }
        return true;
    }

    private static final class Queens extends RecursiveAction {
        final int n, row;
        final byte[] board; // the column of each row's queen
        long value;

        Queens(int n, int row, byte[] board) {
            this.n = n;
            this.row = row;
            this.board = board;
        }

        @Override
        protected void compute() {
            if (row == n) {
                value = 1;
                return;
            }
            Queens[] forked = new Queens[n];
            int count = 0;
            for (int column = 0; column < n; column++) {
                if (isFree(board, row, column)) {
                    byte[] next = board.clone();
                    next[row] = (byte) column;
                    forked[count] = new Queens(n, row + 1, next);
                    forked[count++].fork();
                }
            }
            while (count-- > 0) {
                forked[count].join();
                value += forked[count].value;
            }
        }
    }

    static List<Kernels.Figure> nqueens(String size, ForkJoinPool pool) {
        if (!size.equals("8") && !size.equals("12")) {
            return null;
        }
        int n = Integer.parseInt(size);
        return figure(() -> {
            Queens root = new Queens(n, 0, new byte[QUEENS_MAX]);
            pool.invoke(root);
            result = root.value;
        }, n == 8 ? 92 : 14200);
    }

    // --- skynet ---

    private static final int WIDE = 10;

    private static final class Net extends RecursiveAction {
        final long first, leaves;
        long value;

        Net(long first, long leaves) {
            this.first = first;
            this.leaves = leaves;
        }

        @Override
        protected void compute() {
            if (leaves == 1) {
                value = first;
                return;
            }
            Net[] forked = new Net[WIDE];
            long part = leaves / WIDE;
            for (int i = 0; i < WIDE; i++) {
                forked[i] = new Net(first + i * part, part);
                forked[i].fork();
            }
            for (int i = WIDE; i-- > 0;) {
                forked[i].join();
                value += forked[i].value;
            }
        }
    }

    static List<Kernels.Figure> skynet(String size, ForkJoinPool pool) {
        long leaves = size.equals("1k") ? 1000 : 1000000;
        int times = size.equals("1k") ? 3 : 60;
        if (!size.equals("1k") && !size.equals("1M")) {
            return null;
        }
        return figure(() -> {
            long sum = 0;
            for (int i = 0; i < times; i++) {
                Net root = new Net(0, leaves);
                pool.invoke(root);
                sum += root.value;
            }
            result = sum;
        }, leaves * (leaves - 1) / 2 * times);
    }
}
