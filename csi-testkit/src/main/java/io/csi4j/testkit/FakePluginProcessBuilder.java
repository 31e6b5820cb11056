package io.csi4j.testkit;

import io.csi4j.testkit.capability.FakeCapability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Builds {@link FakePluginProcess}es. Not thread-safe. */
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
     * Adds arguments of the plugin; see its {@code --help}.
     *
     * @param more like {@code "--capacity", "10Gi"}
     */
    public FakePluginProcessBuilder arguments(String... more) {
        arguments.addAll(Arrays.asList(more));
        return this;
    }

    /**
     * Adds arguments for the process's Java.
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
     * Adds a further node to the storage.
     *
     * @param id see {@link FakeCsiPluginBuilder#knownNode(String)}; without commas
     */
    public FakePluginProcessBuilder knownNode(String id) {
        return arguments("--known-node", id);
    }

    /**
     * Adds the fault rules of a script. They also hold after each restart.
     *
     * @param file in the form of {@link io.csi4j.testkit.fault.FaultScript}
     */
    public FakePluginProcessBuilder faults(Path file) {
        return arguments("--faults", file.toAbsolutePath().toString());
    }

    /**
     * Adds volumes that exist from the beginning.
     *
     * @param sizes the size of each volume by its id, like {@code vol-1=10Gi}
     */
    public FakePluginProcessBuilder volumes(String... sizes) {
        return arguments("--volume", String.join(",", sizes));
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
     * Makes the plugin one for inline volumes.
     *
     * @param attributes see {@link FakeCsiPluginBuilder#inlineVolumes}; at least one, without commas
     */
    public FakePluginProcessBuilder inlineVolumes(String... attributes) {
        return arguments("--inline", String.join(",", attributes));
    }

    /**
     * Sets the greatest number of volumes that the controller publishes to a node at one time.
     *
     * @param volumes see {@link FakeCsiPluginBuilder#attachLimit}
     */
    public FakePluginProcessBuilder attachLimit(long volumes) {
        return arguments("--attach-limit", Long.toString(volumes));
    }

    /**
     * Sets the capacity of the storage.
     *
     * @param bytes see {@link FakeCsiPluginBuilder#capacity}
     */
    public FakePluginProcessBuilder capacity(long bytes) {
        return arguments("--capacity", Long.toString(bytes));
    }

    /**
     * Sets the capacity of a topology segment.
     *
     * @param segment topology keys and values; not empty
     * @param bytes see {@link FakeCsiPluginBuilder#capacity(Map, long)}
     */
    public FakePluginProcessBuilder capacity(Map<String, String> segment, long bytes) {
        return arguments("--segment-capacity", pairs(segment) + ":" + bytes);
    }

    /**
     * Sets the topology of the node.
     *
     * @param segments see {@link FakeCsiPluginBuilder#topology}
     */
    public FakePluginProcessBuilder topology(Map<String, String> segments) {
        return arguments("--topology", pairs(segments));
    }

    static String pairs(Map<String, String> segments) {
        return segments.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .sorted()
                .collect(Collectors.joining(","));
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

    /** Leaves out the controller services, so that the process is a node plugin only. */
    public FakePluginProcessBuilder nodeOnly() {
        return arguments("--services", "node");
    }

    /** Leaves out the node service, so that the process is a controller plugin only. */
    public FakePluginProcessBuilder controllerOnly() {
        return arguments("--services", "controller");
    }

    /**
     * Sets how long {@link #start} waits at most until the process listens. Default: a minute.
     *
     * @param timeout greater than zero
     */
    public FakePluginProcessBuilder startTimeout(Duration timeout) {
        startTimeout = timeout;
        return this;
    }

    /**
     * Makes the plugin's process ignore Ctrl-C in a terminal. The current process can then still call the plugin to
     * clean up after Ctrl-C.
     */
    public FakePluginProcessBuilder shieldedFromCtrlC() {
        shielded = true;
        return this;
    }

    /**
     * Starts the process and waits until it listens.
     *
     * @return the process; the caller closes it
     * @throws IllegalStateException with its output, when it does not start
     * @throws java.io.UncheckedIOException when the process cannot be created
     */
    public FakePluginProcess start() {
        Path control = controlSocket();
        return new FakePluginProcess(command(control), endpoint, control, startTimeout);
    }

    private static Path controlSocket() {
        try {
            return Files.createTempDirectory("csi4j").toRealPath().resolve("c.sock");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create the directory of the control socket: " + e, e);
        }
    }

    private List<String> command(Path control) {
        List<String> command = new ArrayList<>();
        if (shielded) {
            // Starts Java from a shell that ignores the interrupt signal (Ctrl-C), because Java then ignores the
            // signal, too.
            command.addAll(List.of("sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // These options let a small program start fast.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
        int java = Runtime.version().feature();
        if (java >= NATIVE_ACCESS_IS_ASKED_FOR) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (java >= UNSAFE_IS_WARNED_OF) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        // The jars are those of this JVM, so its class data archive fits.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-XX:SharedArchiveFile="))
                .forEach(command::add);
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", ChildClassPath.of(System.getProperty("java.class.path")), MAIN));
        command.addAll(List.of("--endpoint", endpoint, "--exit-on-stdin-eof", "--control", "unix://" + control));
        command.addAll(arguments);
        return command;
    }
}
