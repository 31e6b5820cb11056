package io.csi4j.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the example of docs/plugins.md, which is this code. */
class PluginsExampleTest {
    private static final String MARK = "// DOCS\n";

    private final List<NodeFingerprint> reported = new CopyOnWriteArrayList<>();

    private final CompletableFuture<PluginInstance> reportedHealthy = new CompletableFuture<>();

    private CompletableFuture<?> servers(NodeFingerprint command) {
        reported.add(command);
        command.instances().stream().filter(PluginInstance::healthy).forEach(reportedHealthy::complete);
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Starts a plugin as the setup says; this is the part of the host. Its end waits until the servers know the plugin, because
     * a report may come later than the next one, and is then left out.
     */
    private AutoCloseable launch(TaskSetup setup) throws IOException {
        WirePlugin plugin = WirePlugin.start(setup.registration().socket(), "1.0");
        return () -> {
            reportedHealthy.get(20, TimeUnit.SECONDS);
            plugin.close();
        };
    }

    @Test
    void documentationShowsCompiledExample() throws IOException {
        String source = Files.readString(Path.of("src/test/java/io/csi4j/client/registry/PluginsExampleTest.java"));
        int begin = source.indexOf("        " + MARK) + MARK.length() + 8;
        String displayed = source.substring(begin, source.indexOf("        " + MARK, begin))
                .stripTrailing()
                .stripIndent()
                .strip();
        assertThat(Files.readString(Path.of("../docs/plugins.md"))).contains("```java\n" + displayed + "\n```");
    }

    @Test
    void exampleStartsCallsAndStopsTask(@TempDir Path base) throws Exception {
        // DOCS
        InstanceKey key = new InstanceKey(
                NodeId.of("node-1"),
                PluginId.of("hostpath"),
                PluginType.MONOLITH,
                Optional.of(AllocationId.of("plugin-7f3a")));
        PluginPaths paths = PluginPaths.under(base);
        try (PluginRegistry registry = PluginRegistry.builder(NodeId.of("node-1"))
                        .store(FilePluginStateStore.at(base.resolve("plugins"), paths))
                        .open();
                PluginSupervisor supervisor = PluginSupervisor.over(
                        registry, paths, RestartPolicy.ofDefaults(), event -> System.out.println(event.kind()));
                Fingerprinter fingerprinter = Fingerprinter.start(registry, this::servers, Duration.ofMinutes(5))) {
            PluginTask task = PluginTask.isolated(key);
            TaskSetup setup = supervisor.prepare(task); // before each start
            AutoCloseable running = launch(setup); // with setup.environment() and setup.mounts()
            supervisor.taskStarted(task).join(); // after each start

            RegisteredPlugin plugin = registry.waitForHealthy(
                            PluginRole.NODE, PluginId.of("hostpath"), Duration.ofSeconds(30))
                    .join();
            System.out.println(plugin.snapshot().facts().orElseThrow().vendorVersion());

            running.close();
            supervisor.taskStopped(key).join(); // after it has ended permanently
            fingerprinter.reportShutdown("the host is stopping").join();
        }
        // DOCS
        assertThat(reported.get(reported.size() - 1).instances()).isEmpty();
        assertThat(reportedHealthy.join().key()).isEqualTo(key);
    }
}
