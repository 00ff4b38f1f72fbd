// SPDX-License-Identifier: MIT
// Uts.java — Java: unbalanced tree search; the children of a node are a range that is halved

import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveAction;

final class Uts {
    private static final int CHILDREN_MAX = 100; // of a node that is no binomial root

    record Count(long nodes, long leaves, long depth) { }

    /** Geometric above a height, and binomial below; see uts.h. */
    record Tree(double geometric, boolean fixed, int seed, double wide, double deep, double chance,
                int many, Count answer) {
        double width(int height) {
            if (height == 0) {
                return wide;
            }
            if (!fixed) {
                return wide * (1 - height / deep);
            }
            return height < deep ? wide : 0;
        }

        int children(Node node) {
            double x = (node.e & 0x7fffffff) / 2147483648.0;
            if (geometric == 0 && node.height == 0) {
                return (int) wide;
            }
            if (node.height < geometric) {
                double p = 1 / (1 + width(node.height));
                return (int) Math.min(Math.floor(Math.log(1 - x) / Math.log(1 - p)), CHILDREN_MAX);
            }
            return x < chance ? many : 0;
        }
    }

    private static Tree find(String size) {
        return switch (size) {
            case "hybrid" -> new Tree(4, false, 1, 6, 8, 0.234375, 4, new Count(15914, 11966, 73));
            case "T1" -> new Tree(Double.POSITIVE_INFINITY, true, 19, 4, 10, 0, 0,
                                  new Count(4130071, 3305118, 10));
            case "T3" -> new Tree(0, false, 42, 2000, 0, 0.124875, 8,
                                  new Count(4112897, 3599034, 1572));
            default -> null;
        };
    }

    /** A SHA-1 state, which is the hash of its parent's and a number. */
    static final class Node {
        final int height;
        int a, b, c, d, e;

        /** The root. */
        Node(int seed) {
            height = 0;
            int[] w = new int[16];
            w[4] = seed;
            w[5] = 0x80000000;
            w[15] = 160;
            hash(w);
        }

        Node(Node parent, int i) {
            height = parent.height + 1;
            int[] w = {parent.a, parent.b, parent.c, parent.d, parent.e, i, 0x80000000,
                       0, 0, 0, 0, 0, 0, 0, 0, 192};
            hash(w);
        }

        private static int made(int[] w, int t) {
            int x = w[t + 13 & 15] ^ w[t + 8 & 15] ^ w[t + 2 & 15] ^ w[t & 15];
            return w[t & 15] = Integer.rotateLeft(x, 1);
        }

        private void hash(int[] w) {
            int a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
            for (int t = 0; t < 80; t++) {
                int mixed, word = t < 16 ? w[t] : made(w, t);
                if (t < 20) {
                    mixed = (d ^ b & (c ^ d)) + 0x5a827999;
                } else if (t < 40) {
                    mixed = (b ^ c ^ d) + 0x6ed9eba1;
                } else if (t < 60) {
                    mixed = (b & c | d & (b | c)) + 0x8f1bbcdc;
                } else {
                    mixed = (b ^ c ^ d) + 0xca62c1d6;
                }
                int x = Integer.rotateLeft(a, 5) + mixed + e + word;
                e = d;
                d = c;
                c = Integer.rotateLeft(b, 30);
                b = a;
                a = x;
            }
            this.a = a + 0x67452301;
            this.b = b + 0xefcdab89;
            this.c = c + 0x98badcfe;
            this.d = d + 0x10325476;
            this.e = e + 0xc3d2e1f0;
        }
    }

    /** The children from first up to end and all below them. */
    private static final class Span extends RecursiveAction {
        final Tree tree;
        final Node parent;
        int first, end;
        long nodes, leaves, depth;
        Span before; // forked before this one by the same

        Span(Tree tree, Node parent, int first, int end) {
            this.tree = tree;
            this.parent = parent;
            this.first = first;
            this.end = end;
        }

        private void add(Span part) {
            nodes += part.nodes;
            leaves += part.leaves;
            depth = Math.max(depth, part.depth);
        }

        @Override
        protected void compute() {
            Span forked = null;
            while (end - first > 1) {
                int middle = first + (end - first) / 2;
                Span half = new Span(tree, parent, first, middle);
                half.before = forked;
                half.fork();
                forked = half;
                first = middle;
            }
            Node child = new Node(parent, first);
            int children = tree.children(child);
            nodes = 1;
            leaves = children == 0 ? 1 : 0;
            depth = child.height;
            if (children > 0) {
                Span below = new Span(tree, child, 0, children);
                below.compute();
                add(below);
            }
            for (; forked != null; forked = forked.before) {
                forked.join();
                add(forked);
            }
        }
    }

    private static Count result;

    static List<Kernels.Figure> prepare(String size, ForkJoinPool pool) {
        Tree tree = find(size);
        if (tree == null) {
            return null;
        }
        return Kernels.one(Kernels.FORKS, () -> result = null, () -> {
            Node root = new Node(tree.seed);
            Span all = new Span(tree, root, 0, tree.children(root));
            pool.invoke(all);
            result = new Count(all.nodes + 1, all.leaves, all.depth);
        }, () -> tree.answer.equals(result));
    }
}
