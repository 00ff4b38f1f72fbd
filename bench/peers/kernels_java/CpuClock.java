// SPDX-License-Identifier: MIT
// CpuClock.java — Java: CPU time of all threads of the process, finer than the library tells it
//
// The library's figure for the process comes in hundredths of a second.  Linux tells the time of
// each thread in nanoseconds; a thread that ends meanwhile is lost.  The calling thread is asked
// for last at the start and first at the end, so that the asking is not counted.

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

final class CpuClock {
    private static final Path THREADS = Path.of("/proc/self/task");
    private final Map<String, Long> before = new HashMap<>();
    private final long processBefore, ownBefore;

    CpuClock() {
        processBefore = process();
        read(before);
        ownBefore = own();
    }

    /** Since this was made. */
    double seconds() {
        long ns = own() - ownBefore;
        Map<String, Long> after = new HashMap<>();
        if (!read(after)) {
            return (process() - processBefore) * 1e-9;
        }
        for (Map.Entry<String, Long> thread : after.entrySet()) {
            ns += thread.getValue() - before.getOrDefault(thread.getKey(), 0L);
        }
        return ns * 1e-9;
    }

    private static long own() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long process() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }

    /** All threads but this one; false: there is no such thing here. */
    private static boolean read(Map<String, Long> threads) {
        try {
            String self = Path.of("/proc/thread-self").toRealPath().getFileName().toString();
            try (DirectoryStream<Path> all = Files.newDirectoryStream(THREADS)) {
                for (Path thread : all) {
                    String name = thread.getFileName().toString();
                    if (!name.equals(self)) {
                        readOne(thread, name, threads);
                    }
                }
            }
        } catch (IOException missing) {
            return false;
        }
        return !threads.isEmpty();
    }

    private static void readOne(Path thread, String name, Map<String, Long> threads) {
        try {
            String text = Files.readString(thread.resolve("schedstat"));
            threads.put(name, Long.parseLong(text.substring(0, text.indexOf(' '))));
        } catch (IOException ended) {
            threads.remove(name);
        }
    }
}
