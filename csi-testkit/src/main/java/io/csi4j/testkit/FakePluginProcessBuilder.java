package io.csi4j.testkit;

import io.csi4j.testkit.capability.FakeCapability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Describes a {@link FakePluginProcess}. Not for several threads at once. */
public final class FakePluginProcessBuilder {
    private static final String MAIN = "io.csi4j.testkit.cli.FakePluginMain";
    private static final int NATIVE_ACCESS_IS_ASKED_FOR = 22;
    private static final int UNSAFE_IS_WARNED_OF = 23;

    private final String endpoint;
    private final List<String> arguments = new ArrayList<>();
    private final List<String> jvmArguments = new ArrayList<>();
    private Duration startTimeout = Duration.ofSeconds(60);
    private boolean shielded;

    FakePluginProcessBuilder(String endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Adds arguments as they are; see {@code --help} of the plugin.
     *
     * @param more like {@code "--capacity", "10Gi"}
     */
    public FakePluginProcessBuilder arguments(String... more) {
        arguments.addAll(Arrays.asList(more));
        return this;
    }

    /**
     * Adds arguments for its Java.
     *
     * @param more like {@code "-Xmx256m"}
     */
    public FakePluginProcessBuilder jvmArguments(String... more) {
        jvmArguments.addAll(Arrays.asList(more));
        return this;
    }

    /**
     * Sets the name of the plugin.
     *
     * @param name see {@link FakeCsiPluginBuilder#name}
     */
    public FakePluginProcessBuilder name(String name) {
        return arguments("--name", name);
    }

    /**
     * Sets the version of the plugin.
     *
     * @param version see {@link FakeCsiPluginBuilder#vendorVersion}
     */
    public FakePluginProcessBuilder vendorVersion(String version) {
        return arguments("--vendor-version", version);
    }

    /**
     * Sets the id of the plugin's node.
     *
     * @param id see {@link FakeCsiPluginBuilder#nodeId}; without commas
     */
    public FakePluginProcessBuilder nodeId(String id) {
        return arguments("--node-id", id);
    }

    /**
     * Makes a further node known to the storage.
     *
     * @param id see {@link FakeCsiPluginBuilder#knownNode(String)}; without commas
     */
    public FakePluginProcessBuilder knownNode(String id) {
        return arguments("--known-node", id);
    }

    /**
     * Makes the plugin a small real storage provider.
     *
     * @param directory see {@link FakeCsiPluginBuilder#stateDir}
     */
    public FakePluginProcessBuilder stateDir(Path directory) {
        return arguments("--state-dir", directory.toAbsolutePath().toString());
    }

    /**
     * Sets how many volumes the controller publishes to a node.
     *
     * @param volumes see {@link FakeCsiPluginBuilder#attachLimit}
     */
    public FakePluginProcessBuilder attachLimit(long volumes) {
        return arguments("--attach-limit", Long.toString(volumes));
    }

    /**
     * Sets how much fits into the storage.
     *
     * @param bytes see {@link FakeCsiPluginBuilder#capacity}
     */
    public FakePluginProcessBuilder capacity(long bytes) {
        return arguments("--capacity", Long.toString(bytes));
    }

    /**
     * Sets where the node is.
     *
     * @param segments see {@link FakeCsiPluginBuilder#topology}
     */
    public FakePluginProcessBuilder topology(Map<String, String> segments) {
        return arguments(
                "--topology",
                segments.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .sorted()
                        .collect(Collectors.joining(",")));
    }

    /**
     * Turns capabilities on.
     *
     * @param more see {@link FakeCsiPluginBuilder#with}
     */
    public FakePluginProcessBuilder with(FakeCapability... more) {
        return arguments("--enable", words(more));
    }

    /**
     * Turns capabilities off.
     *
     * @param fewer see {@link FakeCsiPluginBuilder#without}
     */
    public FakePluginProcessBuilder without(FakeCapability... fewer) {
        return arguments("--disable", words(fewer));
    }

    private static String words(FakeCapability... capabilities) {
        return Arrays.stream(capabilities).map(FakeCapability::name).collect(Collectors.joining(","));
    }

    /** Leaves the controller services out of this process. */
    public FakePluginProcessBuilder nodeOnly() {
        return arguments("--services", "node");
    }

    /** Leaves the node service out of this process. */
    public FakePluginProcessBuilder controllerOnly() {
        return arguments("--services", "controller");
    }

    /**
     * Sets how long the process may take until it listens; a minute unless set.
     *
     * @param timeout greater than zero
     */
    public FakePluginProcessBuilder startTimeout(Duration timeout) {
        startTimeout = timeout;
        return this;
    }

    /**
     * Keeps Ctrl-C in a terminal from ending the process together with this one, so that there is still a plugin to
     * clean up with.
     */
    public FakePluginProcessBuilder shieldedFromCtrlC() {
        shielded = true;
        return this;
    }

    /**
     * Starts the process and waits until it listens.
     *
     * @return the process, to be closed
     * @throws IllegalStateException when it does not come up, with what it said
     * @throws java.io.UncheckedIOException when it cannot be started at all
     */
    public FakePluginProcess start() {
        return new FakePluginProcess(command(), endpoint, startTimeout);
    }

    private List<String> command() {
        List<String> command = new ArrayList<>();
        if (shielded) {
            // Java leaves an interrupt alone that was ignored when it was started.
            command.addAll(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // A plugin is small and has to be there soon.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        int java = Runtime.version().feature();
        if (java >= NATIVE_ACCESS_IS_ASKED_FOR) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (java >= UNSAFE_IS_WARNED_OF) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN));
        command.addAll(List.of("--endpoint", endpoint, "--exit-on-stdin-eof"));
        command.addAll(arguments);
        return command;
    }
}
