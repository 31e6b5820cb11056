package io.csi4j.node;

import io.csi4j.client.registry.FilePluginStateStore;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * An agent as a program: node volumes and a registry over a real socket. It does what it reads from standard input,
 * says on standard output what came of it, ends with its input, and kills itself at the nth checkpoint of its ledger.
 * In this package because the ledger is.
 */
final class KillAgent {
    private static final PluginId PLUGIN = PluginId.of("fake");

    private final NodeVolumes volumes;
    private final Properties known;

    private KillAgent(NodeVolumes volumes, Properties known) {
        this.volumes = volumes;
        this.known = known;
    }

    /** Takes a directory, the socket of the plugin, a file that describes volumes, and the number of a checkpoint. */
    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[0]);
        Path socket = Path.of(arguments[1]);
        Properties known = new Properties();
        try (Reader file = Files.newBufferedReader(Path.of(arguments[2]))) {
            known.load(file);
        }
        ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
        ExecutorService executor = Executors.newFixedThreadPool(2);
        PluginRegistry registry = PluginRegistry.builder(NodeId.of("node-1"))
                .store(FilePluginStateStore.at(directory.resolve("plugins")))
                .options(ConnectionOptions.builder()
                        .probeSpacing(Duration.ofMillis(50))
                        .retryMax(Duration.ofMillis(400))
                        .socketPollInterval(Duration.ofMillis(50))
                        .build())
                .open();
        Path base = directory.resolve("volumes");
        Files.createDirectories(base);
        NodeVolumes volumes = NodeVolumes.builder(base, NodePlugins.of(registry, base))
                .environment(Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom()))
                .options(NodeVolumeOptions.builder()
                        .firstRetry(Duration.ofMillis(50))
                        .longestRetry(Duration.ofSeconds(1))
                        .build())
                .ledger(new KilledLedger(
                        FileLedger.open(base.toRealPath().resolve("ledger"), true),
                        new AtomicInteger(Integer.parseInt(arguments[3]))))
                .listener(event -> say("event " + event.kind() + " " + event.message()))
                .build();
        volumes.start().join();
        volumes.follow(registry);
        var unused = registry.register(PluginRegistration.of(
                new InstanceKey(NodeId.of("node-1"), PLUGIN, PluginType.MONOLITH, Optional.empty()), socket));
        say("ready");
        new KillAgent(volumes, known).obey();
        Runtime.getRuntime().halt(0);
    }

    private void obey() throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String command = line;
            String[] words = command.split(" ", -1);
            NodeVolumeId id = new NodeVolumeId(
                    VolumeKey.of("ns", words[1]), PLUGIN, ExternalVolumeId.of(known.getProperty(words[1] + ".id")));
            AllocationId allocation = AllocationId.of(words[2]);
            CompletableFuture<?> done = words[0].equals("mount")
                    ? volumes.mount(NodeMount.builder(
                                    id, allocation, RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER))
                            .publishContext(PublishContext.of(context(words[1] + ".publish.")))
                            .volumeContext(VolumeContext.of(context(words[1] + ".volume.")))
                            .build())
                    : volumes.unmount(new NodeUnmount(id, allocation));
            CompletableFuture<?> unused = done.whenComplete(
                    (value, error) -> say(error == null ? "done " + command : "failed " + command + ": " + error));
        }
    }

    private Map<String, String> context(String prefix) {
        Map<String, String> found = new LinkedHashMap<>();
        known.stringPropertyNames().stream()
                .filter(name -> name.startsWith(prefix))
                .forEach(name -> found.put(name.substring(prefix.length()), known.getProperty(name)));
        return found;
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Before and after each write is a checkpoint; at the one that was named, the process is killed. */
    private record KilledLedger(VolumeLedger ledger, AtomicInteger left) implements VolumeLedger {
        private void checkpoint() throws IOException {
            if (left.get() > 0 && left.decrementAndGet() == 0) {
                new ProcessBuilder(
                                "kill",
                                "-9",
                                String.valueOf(ProcessHandle.current().pid()))
                        .start();
                while (true) {
                    // What follows must not be done; the others go on until the signal comes.
                    LockSupport.park();
                }
            }
        }

        @Override
        public Contents load() throws IOException {
            checkpoint();
            return ledger.load();
        }

        @Override
        public void save(VolumeEntry entry) throws IOException {
            checkpoint();
            ledger.save(entry);
            checkpoint();
        }

        @Override
        public void remove(VolumeKey key) throws IOException {
            checkpoint();
            ledger.remove(key);
            checkpoint();
        }

        @Override
        public void close() throws IOException {
            ledger.close();
        }
    }
}
