import com.sun.management.OperatingSystemMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A JVM that runs tests. It reads jobs from the standard input, and writes an answer to each. It stays warm: a mutant
 * replaces the code of one class for a while. A test that takes too long ends the JVM.
 */
public final class Worker {
    /** The exit code after a test that took too long. */
    static final int TOO_LONG = 4;

    /** True for the lines that ran; the classes with probes set it. */
    public static final boolean[] LINES = new boolean[Integer.getInteger("lines", 0)];

    private static final long MILLION = 1_000_000;
    /** The classes of the module are loaded anew after so many mutants, because static fields may keep traces of them. */
    private static final int MOST_MUTANTS = 50;
    private static final int MOST_JOBS = 1000;
    private static final int MOST_LEFT_THREADS = 16;

    private static Instrumentation instrumentation;

    private final OperatingSystemMXBean process =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Launcher launcher = LauncherFactory.create();
    private final List<URL> directories;
    private final Set<Long> ownThreads;
    private final long mainThread = Thread.currentThread().getId();
    private Classes classes;
    private String mutated = "";
    private int mutants;
    private volatile Watch watch;

    private Worker(List<URL> directories) {
        this.directories = directories;
        Thread watcher = new Thread(this::keepWatch, "watch");
        watcher.setDaemon(true);
        watcher.start();
        ownThreads = LongStream.of(threads.getAllThreadIds()).boxed().collect(Collectors.toSet());
    }

    /** Asks for the tests of a class, and for the lines that each of them runs. */
    record Cover(String testClass) implements Serializable {}

    /** The tests of a class, and the classes of the module that were loaded for them. */
    record Covered(List<Test> tests, List<String> loaded) implements Serializable {}

    record Test(String id, boolean passes, long cpuMillis, long millis, int[] lines) implements Serializable {
        Test withoutLines() {
            return new Test(id, passes, cpuMillis, millis, new int[0]);
        }
    }

    /** Asks for the first of the tests that fails with this code of a class. */
    record Attempt(String className, byte[] code, List<Test> tests) implements Serializable {}

    /**
     * @param failed the test that failed, or an empty text
     * @param last whether the JVM should end
     */
    record Attempted(boolean viable, String failed, boolean last) implements Serializable {}

    /** The JVM calls this first. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        Worker.instrumentation = instrumentation;
    }

    /**
     * @param args the directories with the classes of the module
     */
    public static void main(String[] args) throws Exception {
        ObjectOutputStream answers = new ObjectOutputStream(System.out);
        answers.flush();
        ObjectInputStream jobs = new ObjectInputStream(System.in);
        System.setIn(InputStream.nullInputStream());
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        System.setErr(System.out);
        List<URL> directories = new ArrayList<>();
        for (String directory : args) {
            directories.add(Path.of(directory).toUri().toURL());
        }
        new Worker(directories).work(jobs, answers);
        System.exit(0);
    }

    private void work(ObjectInputStream jobs, ObjectOutputStream answers) throws Exception {
        for (int number = 1; ; number++) {
            Object job;
            try {
                job = jobs.readObject();
            } catch (EOFException e) {
                return;
            }
            answers.writeObject(job instanceof Cover cover ? cover(cover) : attempt((Attempt) job, number));
            answers.reset();
            answers.flush();
        }
    }

    private Covered cover(Cover job) throws Exception {
        classes = new Classes();
        List<Test> tests = new ArrayList<>();
        for (String id : tests(classes.loadClass(job.testClass))) {
            Arrays.fill(LINES, false);
            long cpu = process.getProcessCpuTime();
            long begin = System.nanoTime();
            boolean passes = passes(id);
            tests.add(new Test(
                    id,
                    passes,
                    (process.getProcessCpuTime() - cpu) / MILLION,
                    (System.nanoTime() - begin) / MILLION,
                    IntStream.range(0, LINES.length).filter(line -> LINES[line]).toArray()));
        }
        return new Covered(tests, List.copyOf(classes.loaded));
    }

    private List<String> tests(Class<?> type) {
        TestPlan plan = launcher.discover(LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(type))
                .build());
        return plan.getRoots().stream()
                .flatMap(root -> plan.getDescendants(root).stream())
                .filter(test -> test.getSource().filter(MethodSource.class::isInstance).isPresent())
                .map(TestIdentifier::getUniqueId)
                .toList();
    }

    private Attempted attempt(Attempt job, int number) throws Exception {
        if (!job.className.equals(mutated)) {
            if (classes == null || mutants >= MOST_MUTANTS) {
                classes = new Classes();
                mutants = 0;
            } else {
                replace(mutated, classes.code(mutated));
            }
            mutated = job.className;
        }
        mutants++;
        String failed = "";
        boolean viable = true;
        try {
            replace(mutated, job.code);
            failed = firstFailure(job.tests);
        } catch (LinkageError e) {
            viable = false;
        }
        boolean last = number >= MOST_JOBS || threads.getThreadCount() > ownThreads.size() + MOST_LEFT_THREADS;
        return new Attempted(viable, failed, last);
    }

    private void replace(String className, byte[] code) throws Exception {
        instrumentation.redefineClasses(new ClassDefinition(classes.loadClass(className), code));
    }

    private String firstFailure(List<Test> tests) {
        for (Test test : tests) {
            watch = new Watch(test, process.getProcessCpuTime(), System.nanoTime());
            boolean passes = passes(test.id);
            watch = null;
            if (!passes) {
                return test.id;
            }
        }
        return "";
    }

    private boolean passes(String id) {
        Failures failures = new Failures();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectUniqueId(id))
                .build();
        try {
            launcher.execute(LauncherExecutionRequestBuilder.request(request)
                    .listeners(failures)
                    .cancellationToken(failures.token)
                    .build());
        } catch (RuntimeException e) {
            return false;
        }
        return !failures.token.isCancellationRequested();
    }

    private void keepWatch() {
        Watch watched = null;
        for (int idle = 0; ; ) {
            try {
                Thread.sleep(Watch.INTERVAL_MILLIS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            Watch now = watch;
            idle = now == watched && isIdle() ? idle + 1 : 0;
            watched = now;
            if (now != null && now.isTooLong(process.getProcessCpuTime(), System.nanoTime(), idle)) {
                Runtime.getRuntime().halt(TOO_LONG);
            }
        }
    }

    /** Returns whether all threads of the tests wait: then a slow machine is not the reason. */
    private boolean isIdle() {
        long[] others = LongStream.of(threads.getAllThreadIds())
                .filter(id -> !ownThreads.contains(id))
                .toArray();
        return isWaiting(threads.getThreadInfo(mainThread))
                && Stream.of(threads.getThreadInfo(others)).allMatch(Worker::isWaiting);
    }

    private static boolean isWaiting(ThreadInfo thread) {
        return thread == null || thread.getThreadState() != Thread.State.RUNNABLE;
    }

    /** The limits of a running test: generous, because the machine may be busy. */
    private record Watch(Test test, long beginCpu, long begin) {
        static final long INTERVAL_MILLIS = 100;

        boolean isTooLong(long cpu, long now, int idleIntervals) {
            return (cpu - beginCpu) / MILLION > 4_000 + 10 * test.cpuMillis
                    || (now - begin) / MILLION > 60_000 + 20 * test.millis
                    || idleIntervals * INTERVAL_MILLIS > 4_000 + 2 * test.millis;
        }
    }

    private static final class Failures implements TestExecutionListener {
        final CancellationToken token = CancellationToken.create();

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                token.cancel();
            }
        }
    }

    /** The classes of the module. */
    private final class Classes extends URLClassLoader {
        final Set<String> loaded = ConcurrentHashMap.newKeySet();

        Classes() {
            super(directories.toArray(URL[]::new), Worker.class.getClassLoader());
            Thread.currentThread().setContextClassLoader(this);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            loaded.add(name);
            return super.findClass(name);
        }

        byte[] code(String name) throws IOException {
            try (InputStream code = getResourceAsStream(name.replace('.', '/') + ".class")) {
                return code.readAllBytes();
            }
        }
    }
}
