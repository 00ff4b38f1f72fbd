// SPDX-License-Identifier: MIT
// Kernels.java — Java with the kernels of bench/work: ForkJoinPool, and streams inside it
//
// Leaf code, data and judges are written again in Java: the same algorithms, the same numbers, the
// same answers.  What is measured is the program after the compiler has seen it run for a while.

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ForkJoinPool;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

public final class Kernels {
    /** What one run took. */
    record Sample(double seconds, double cpu, boolean right) { }

    /** A line to print: its case where the problem has several, and one run, judged. */
    record Figure(String name, String how, Supplier<Sample> run) { }

    /** Makes the figures of a size; null: it has no such size. */
    interface Kernel {
        List<Figure> prepare(String size, ForkJoinPool pool);
    }

    static final String FORKS = "RecursiveAction.fork and join";
    private static final int WARM_RUNS = 10;
    private static final double WARM_AT_LEAST = Double.parseDouble(System.getProperty("warm", "1"));
    private static final double WARM_AT_MOST = 2; // seconds, as is the one above

    /** A run with both clocks around it. */
    static Supplier<Sample> clocked(Runnable reset, Runnable body, BooleanSupplier right) {
        return () -> {
            reset.run();
            CpuClock cpu = new CpuClock();
            long start = System.nanoTime();
            body.run();
            double seconds = (System.nanoTime() - start) * 1e-9;
            double used = cpu.seconds();
            return new Sample(seconds, used, right.getAsBoolean());
        };
    }

    static List<Figure> one(String how, Runnable reset, Runnable body, BooleanSupplier right) {
        return List.of(new Figure("", how, clocked(reset, body, right)));
    }

    static double median(double[] numbers) {
        java.util.Arrays.sort(numbers);
        return numbers[numbers.length / 2];
    }

    private static Kernel find(String name) {
        return switch (name) {
            case "fib" -> Counts::fib;
            case "treesum" -> Counts::treesum;
            case "nqueens" -> Counts::nqueens;
            case "skynet" -> Counts::skynet;
            case "uts" -> Uts::prepare;
            case "matmul" -> Matrices::matmul;
            case "strassen" -> Matrices::strassen;
            case "cilksort" -> Sorts::prepare;
            case "tick" -> Paced::tick;
            case "latency" -> Paced::latency;
            case "idle" -> Paced::idle;
            case "algo" -> Algo::algo;
            case "loops" -> Algo::loops;
            default -> null;
        };
    }

    /** So many runs and so many seconds: ten short ones are over before they are compiled. */
    private static boolean warmUp(Figure figure) {
        long start = System.nanoTime();
        boolean right = true;
        double seconds = 0;
        for (int i = 0; (i < WARM_RUNS || seconds < WARM_AT_LEAST) && seconds < WARM_AT_MOST; i++) {
            right &= figure.run.get().right;
            seconds = (System.nanoTime() - start) * 1e-9;
        }
        return right;
    }

    private static String list(List<Double> numbers) {
        StringBuilder text = new StringBuilder("[");
        for (double number : numbers) {
            text.append(text.length() > 1 ? "," : "");
            text.append(String.format(Locale.ROOT, "%.9f", number));
        }
        return text.append("]").toString();
    }

    /** Warms up, runs, prints; tells whether all was right. */
    private static boolean measure(Figure figure, String problem, int workers, int repeat) {
        boolean right = warmUp(figure);
        List<Double> seconds = new ArrayList<>(), cpu = new ArrayList<>();
        for (int i = 0; i < repeat; i++) {
            Sample sample = figure.run.get();
            right &= sample.right;
            seconds.add(sample.seconds);
            cpu.add(sample.cpu);
        }
        System.out.printf("{\"name\":\"ForkJoinPool\",\"version\":\"%s\",\"problem\":\"%s\","
            + "\"case\":\"%s\",\"how\":\"%s\",\"workers\":%d,\"repeat\":%d,\"seconds\":%s,"
            + "\"cpu_s\":%s,\"check\":%b}%n",
            System.getProperty("java.version"), problem, figure.name, figure.how, workers, repeat,
            list(seconds), list(cpu), right);
        return right;
    }

    private static void end(int status, String message) {
        System.err.println(message);
        System.exit(status);
    }

    private static int number(String word) {
        return word.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(word) : 0;
    }

    public static void main(String[] words) {
        String problem = "";
        int workers = 1, repeat = 3;
        boolean understood = words.length % 2 == 0;
        for (int i = 0; i + 1 < words.length; i += 2) {
            switch (words[i]) {
                case "--problem" -> problem = words[i + 1];
                case "--workers" -> workers = number(words[i + 1]);
                case "--repeat" -> repeat = number(words[i + 1]);
                default -> understood = false;
            }
        }
        int colon = problem.indexOf(':');
        if (!understood || colon < 0 || workers == 0 || repeat == 0) {
            end(2, "usage: java Kernels --problem KERNEL:SIZE --workers N --repeat R");
        }
        // What Arrays.parallelSort and parallelPrefix look at to decide how finely they split.
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", "" + workers);
        ForkJoinPool pool = new ForkJoinPool(workers);
        Kernel kernel = find(problem.substring(0, colon));
        String size = problem.substring(colon + 1);
        List<Figure> figures = kernel == null ? null : kernel.prepare(size, pool);
        if (figures == null) {
            end(3, "kernels_java: " + problem + " is not offered: "
                + "there is no such kernel or size here");
        }
        boolean right = true;
        for (Figure figure : figures) {
            right &= measure(figure, problem, workers, repeat);
        }
        System.exit(right ? 0 : 1);
    }
}
