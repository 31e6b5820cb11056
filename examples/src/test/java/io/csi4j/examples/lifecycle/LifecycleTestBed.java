package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.examples.steps.StepRunner;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.FakeStorage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A strict plugin with real mounts, and the program, both in this JVM, which is faster than processes. */
final class LifecycleTestBed implements AutoCloseable {
    private final Path work;
    private final Path state;
    private final List<FakeCsiPlugin> plugins = new ArrayList<>();
    private final List<String> endpoints = new ArrayList<>();

    /** Runs for each printed line. */
    private Consumer<String> onLine = line -> {};

    private Consumer<StepRunner> watch = steps -> {};

    LifecycleTestBed(Path directory) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "real mounts need root");
        work = Files.createDirectory(directory.resolve("work"));
        state = directory.resolve("state");
    }

    /** Adds a plugin; with two plugins, the first one serves the node and the second one the controller. */
    LifecycleTestBed plugin(FakeCsiPluginBuilder builder) {
        FakeCsiPlugin plugin = builder.stateDir(state).build();
        plugins.add(plugin);
        plugin.startOn("unix://" + work.resolveSibling("csi" + plugins.size() + ".sock"));
        endpoint(plugin.endpoint());
        return this;
    }

    LifecycleTestBed endpoint(String endpoint) {
        endpoints.add(endpoint);
        return this;
    }

    String endpoint() {
        return endpoints.get(0);
    }

    LifecycleTestBed onLine(Consumer<String> action) {
        onLine = action;
        return this;
    }

    LifecycleTestBed watch(Consumer<StepRunner> action) {
        watch = action;
        return this;
    }

    FakeStorage storage() {
        return plugins.get(0).storage();
    }

    Path work() {
        return work;
    }

    Path state() {
        return state;
    }

    LifecycleRun run(String... options) {
        List<String> args = new ArrayList<>(List.of("--endpoint=" + endpoints.get(0), "--work-dir=" + work));
        if (endpoints.size() > 1) {
            args.add("--controller-endpoint=" + endpoints.get(1));
        }
        args.addAll(List.of(options));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Lifecycle.run(
                args,
                new LinePrinter(out, line -> onLine.accept(line)),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                watch);
        return new LifecycleRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /**
     * Checks that nothing remains at the provider, mounted or on disk, and that no calls for one volume overlapped (R26).
     */
    void assertNothingLeft() throws IOException {
        assertThat(storage().volumeIds()).isEmpty();
        assertThat(storage().snapshotIds()).isEmpty();
        assertNothingLeftHere();
        assertThat(plugins)
                .allSatisfy(plugin -> assertThat(plugin.overlappingCalls()).isZero());
    }

    void assertNothingLeftHere() throws IOException {
        assertThat(ProcessMounts.read().under(work)).isEmpty();
        assertThat(work).isEmptyDirectory();
    }

    @Override
    public void close() {
        plugins.forEach(FakeCsiPlugin::close);
    }

    /** Passes on each line when it is printed, on the printing thread. */
    private static final class LinePrinter extends PrintStream {
        private final Consumer<String> onLine;

        LinePrinter(ByteArrayOutputStream out, Consumer<String> onLine) {
            super(out, true, StandardCharsets.UTF_8);
            this.onLine = onLine;
        }

        @Override
        public void println(String line) {
            super.println(line);
            onLine.accept(line);
        }
    }
}
