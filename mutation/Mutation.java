import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pitest.classinfo.ClassName;
import org.pitest.mutationtest.engine.MutationDetails;

/** Changes the classes of one part with PIT, and runs against each change the tests that reach its line. */
final class Mutation {
    private static final int THREADS = Integer.getInteger("threads");
    private static final int MOST_TESTS = Integer.getInteger("tests", Integer.MAX_VALUE);

    private final Path built;
    private final Path directory;
    private final Checksums checksums;
    private final Probes probes = new Probes();
    private final Map<String, Integer> kills = new ConcurrentHashMap<>();

    private Mutation(Path built, Path directory) {
        this.built = built;
        this.directory = directory;
        checksums = new Checksums(List.of(built.resolve("classes"), built.resolve("test-classes")));
    }

    /**
     * @param args the directory of the built module, the one for results, the list of survivors; then globs, separated
     *     by commas: the classes of the part, a filter for them, the test classes, and those left out
     */
    public static void main(String[] args) throws Exception {
        List<List<String>> globs = Stream.of(args)
                .skip(3)
                .map(all -> Arrays.asList(all.split(",")))
                .toList();
        Mutation mutation = new Mutation(Path.of(args[0]), Files.createDirectories(Path.of(args[1])));
        Predicate<String> tests = Mutants.matching(globs.get(2));
        Predicate<String> without = Mutants.matching(globs.get(3));
        Map<MutationDetails, Results.Result> results = mutation.run(
                new Mutants(mutation.built.resolve("classes")),
                Mutants.matching(globs.get(0)).and(Mutants.matching(globs.get(1))),
                tests.and(name -> !without.test(name)));
        Survivors survivors = new Survivors(mutation.built.resolve("../../src/main/java"), Path.of(args[2]));
        System.exit(survivors.print(results, mutation.directory.resolve("report.txt")) ? 0 : 1);
    }

    private Map<MutationDetails, Results.Result> run(
            Mutants mutants, Predicate<String> changed, Predicate<String> tests) throws Exception {
        for (String name : mutants.classes()) {
            probes.add(built.resolve("classes").resolve(path(name)), directory.resolve("probes").resolve(path(name)));
        }
        Coverage coverage = cover(tests);
        Results results = new Results(directory.resolve("results"));
        Map<MutationDetails, String> keys = new LinkedHashMap<>();
        for (String name : mutants.classes()) {
            if (changed.test(name)) {
                long checksum = checksums.of(name);
                mutants.of(name).forEach(mutant -> keys.put(mutant, key(mutant, checksum)));
            }
        }
        AtomicInteger done = new AtomicInteger();
        AtomicInteger survived = new AtomicInteger();
        Map<ClassName, List<MutationDetails>> byClass =
                keys.keySet().stream().collect(Collectors.groupingBy(MutationDetails::getClassName));
        parallel(byClass.values(), List.of("classes", "test-classes"), (all, worker) -> {
            for (MutationDetails mutant : all) {
                Results.Result result = attempt(mutant, keys.get(mutant), mutants, coverage, results, worker);
                survived.addAndGet(result.status().isFinal() ? 0 : 1);
                progress(done.incrementAndGet(), keys.size(), "mutants, " + survived + " alive");
            }
        });
        Map<MutationDetails, Results.Result> all = new LinkedHashMap<>();
        keys.forEach((mutant, key) -> all.put(mutant, results.of(key).orElseThrow()));
        return all;
    }

    private Coverage cover(Predicate<String> tests) throws Exception {
        Coverage coverage = new Coverage(directory.resolve("lines"), checksums, probes);
        Path root = built.resolve("test-classes");
        List<String> names;
        try (Stream<Path> files = Files.walk(root)) {
            names = files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("$"))
                    .map(file -> file.replaceAll("\\.class$", "").replace('/', '.'))
                    .filter(tests)
                    .sorted()
                    .toList();
        }
        AtomicInteger done = new AtomicInteger();
        String probed = directory.resolve("probes").toString();
        parallel(names, List.of(probed, "classes", "test-classes"), (name, worker) -> {
            coverage.add(name, worker).forEach(test -> System.err.println("Left out, because it fails: " + test));
            progress(done.incrementAndGet(), names.size(), "test classes");
        });
        return coverage;
    }

    private Results.Result attempt(
            MutationDetails mutant,
            String key,
            Mutants mutants,
            Coverage coverage,
            Results results,
            WorkerProcess worker)
            throws Exception {
        Results.Result before = results.of(key).orElse(null);
        if (before != null && before.status().isFinal()) {
            kills.merge(killer(mutant, before.test()), 1, Integer::sum);
            return before;
        }
        Set<String> passed = new HashSet<>(before == null ? List.of() : before.passed());
        List<Coverage.Reach> tests = coverage.of(mutant.getClassName().asJavaName(), mutant.getLineNumber()).stream()
                .filter(reach -> !passed.contains(reach.stamp()))
                .sorted(Comparator.<Coverage.Reach>comparingInt(
                                reach -> -kills.getOrDefault(killer(mutant, reach.test().id()), 0))
                        .thenComparing(reach -> -reach.lines().cardinality())
                        .thenComparing(reach -> reach.test().cpuMillis()))
                .limit(MOST_TESTS)
                .toList();
        if (tests.isEmpty() && before != null) {
            return before;
        }
        Results.Result result = tests.isEmpty()
                ? new Results.Result(Results.Status.NOT_COVERED, "", List.of())
                : attempt(
                        mutant,
                        mutants.code(mutant),
                        tests.stream().map(Coverage.Reach::test).toList(),
                        worker);
        if (result.status() == Results.Status.SURVIVED) {
            tests.forEach(reach -> passed.add(reach.stamp()));
            result = new Results.Result(result.status(), "", List.copyOf(passed));
        }
        results.add(key, result);
        return result;
    }

    private Results.Result attempt(
            MutationDetails mutant, byte[] code, List<Worker.Test> tests, WorkerProcess worker) throws Exception {
        Worker.Attempt job = new Worker.Attempt(mutant.getClassName().asJavaName(), code, tests);
        try {
            Worker.Attempted answer;
            try {
                answer = worker.attempt(job);
            } catch (WorkerProcess.Ended e) {
                if (e.tooLong) {
                    throw e;
                }
                // The mutants before it may have used up the memory.
                answer = worker.attempt(job);
            }
            if (!answer.viable()) {
                return new Results.Result(Results.Status.NOT_VIABLE, "", List.of());
            }
            if (answer.failed().isEmpty()) {
                return new Results.Result(Results.Status.SURVIVED, "", List.of());
            }
            kills.merge(killer(mutant, answer.failed()), 1, Integer::sum);
            return new Results.Result(Results.Status.KILLED, answer.failed(), List.of());
        } catch (WorkerProcess.Ended e) {
            return new Results.Result(e.tooLong ? Results.Status.TOO_LONG : Results.Status.DIED, "", List.of());
        }
    }

    private static String killer(MutationDetails mutant, String test) {
        return mutant.getClassName().asJavaName() + " " + test;
    }

    /** Returns a name for the mutant that changes with the class. */
    private static String key(MutationDetails mutant, long checksum) {
        return String.join(
                " ",
                mutant.getClassName().asJavaName(),
                mutant.getMethod() + mutant.getId().getLocation().getMethodDesc(),
                mutant.getMutator(),
                mutant.getId().getIndexes().toString(),
                Long.toHexString(checksum));
    }

    private interface Job<T> {
        void run(T subject, WorkerProcess worker) throws Exception;
    }

    private <T> void parallel(Collection<T> subjects, List<String> directories, Job<T> job) throws Exception {
        String classPath = Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(entry -> !entry.startsWith(built.toString()))
                .collect(Collectors.joining(":"));
        List<String> modules =
                directories.stream().map(name -> built.resolve(name).toString()).toList();
        Queue<T> queue = new ConcurrentLinkedQueue<>(subjects);
        ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> futures = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            futures.add(executor.submit(() -> {
                try (WorkerProcess worker = new WorkerProcess(classPath, probes.count(), modules)) {
                    for (T subject = queue.poll(); subject != null; subject = queue.poll()) {
                        job.run(subject, worker);
                    }
                }
                return null;
            }));
        }
        executor.shutdown();
        for (Future<?> future : futures) {
            future.get();
        }
    }

    private static void progress(int done, int all, String what) {
        if (done % 100 == 0 || done == all) {
            System.err.println(done + " of " + all + " " + what);
        }
    }

    private static String path(String className) {
        return className.replace('.', '/') + ".class";
    }
}
