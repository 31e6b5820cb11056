package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.examples.walk.ProcessMounts;
import io.csi4j.examples.walk.Walk;
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

/**
 * A strict plugin with real mounts, in this JVM and on a Unix socket, and the program run against it, in
 * this JVM too: a test has no second to give away for each run.
 */
final class LifecycleGround implements AutoCloseable {
    private final Path work;
    private final Path state;
    private final List<FakeCsiPlugin> plugins = new ArrayList<>();
    private final List<String> endpoints = new ArrayList<>();

    /** Stands for what happens when a line appears. */
    private Consumer<String> onLine = line -> {};

    private Consumer<Walk> watch = walk -> {};

    LifecycleGround(Path directory) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "real mounts need root");
        work = Files.createDirectory(directory.resolve("work"));
        state = directory.resolve("state");
    }

    /** Adds a plugin; with two, the first one is the node's and the second one the controller's. */
    LifecycleGround plugin(FakeCsiPluginBuilder builder) {
        FakeCsiPlugin plugin = builder.stateDir(state).build();
        plugins.add(plugin);
        plugin.startOn("unix://" + work.resolveSibling("csi" + plugins.size() + ".sock"));
        endpoint(plugin.endpoint());
        return this;
    }

    LifecycleGround endpoint(String endpoint) {
        endpoints.add(endpoint);
        return this;
    }

    String endpoint() {
        return endpoints.get(0);
    }

    LifecycleGround onLine(Consumer<String> action) {
        onLine = action;
        return this;
    }

    LifecycleGround watch(Consumer<Walk> action) {
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

    LifecycleRun run(String... more) {
        List<String> args = new ArrayList<>(List.of("--endpoint=" + endpoints.get(0), "--work-dir=" + work));
        if (endpoints.size() > 1) {
            args.add("--controller-endpoint=" + endpoints.get(1));
        }
        args.addAll(List.of(more));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Lifecycle.run(
                args,
                new Telling(out, line -> onLine.accept(line)),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                watch);
        return new LifecycleRun(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /** Nothing at the provider, nothing mounted, nothing on disk, and never two calls at once (R26). */
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

    /** Tells each line as soon as it is printed, on the thread that prints it. */
    private static final class Telling extends PrintStream {
        private final Consumer<String> onLine;

        Telling(ByteArrayOutputStream to, Consumer<String> onLine) {
            super(to, true, StandardCharsets.UTF_8);
            this.onLine = onLine;
        }

        @Override
        public void println(String line) {
            super.println(line);
            onLine.accept(line);
        }
    }
}
