package io.csi4j.agent;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.registry.FilePluginStateStore;
import io.csi4j.registry.Fingerprinter;
import io.csi4j.registry.PluginChange;
import io.csi4j.registry.PluginPaths;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.PluginSupervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Puts the parts of an agent together; if one cannot be had, those before it are given back. */
final class AgentStart {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final NodeAgentBuilder settings;
    private final Environment environment;
    private final Deque<Runnable> undo = new ArrayDeque<>();
    private CompletableFuture<?> stopped = CompletableFuture.completedFuture(null);

    AgentStart(NodeAgentBuilder settings) {
        this.settings = settings;
        this.environment = settings.environment().orElseGet(Environment::system);
    }

    NodeAgent start() throws IOException {
        try {
            return started();
        } catch (IOException | RuntimeException unstarted) {
            undo.forEach(Runnable::run);
            awaitStop(unstarted);
            if (settings.environment().isEmpty()) {
                environment.close();
            }
            throw unstarted;
        }
    }

    /** Whoever is told that it did not start may start it again at once, in the same directory. */
    private void awaitStop(Exception unstarted) {
        try {
            stopped.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            unstarted.addSuppressed(e);
        }
    }

    private NodeAgent started() throws IOException {
        NodeId node = settings.nodeId;
        RandomGenerator random = environment.random();
        var listen = settings.listen();
        var servers = settings.servers();
        // Checks the length of the path before anything is made.
        PluginPaths.under(settings.directory);
        Path base = directory();
        PluginPaths paths = PluginPaths.under(base);
        WireCommons wire = new WireCommons(environment, false, settings.maxInboundMessageSize);
        undo.push(wire::close);
        WireChannels channels = new WireChannels(wire, settings.rules);
        undo.push(channels::close);
        ServerLink link = new ServerLink(servers, channels);
        Pauses pauses = new Pauses(wire.timer(), wire.executor(), random);

        AgentPlugins plugins = new AgentPlugins();
        VolumeMounter volumes = mounter(base, plugins, random);
        undo.push(() -> stopped = volumes.stop());
        PluginRegistry registry = registry(base, paths, volumes, random);
        undo.push(registry::close);
        plugins.over(registry);
        PluginSupervisor supervisor =
                PluginSupervisor.over(registry, paths, settings.restarts, settings.pluginListener);
        undo.push(supervisor::close);
        Cancellable changes = registry.subscribe((picture, changed) -> changed.stream()
                .map(PluginChange::plugin)
                .forEach(each -> volumes.pluginChanged(each.registration().key().pluginId())));
        CompletableFuture<@Nullable Void> ready = volumes.start();

        PeerInterceptor peers = listen.tls().isPresent()
                ? PeerInterceptor.byCertificate(settings.rules)
                : PeerInterceptor.bound(Peer.aServer("a server"));
        // The service hands all that may block to the executor.
        WireServer server =
                WireServer.start(wire, listen, peers, new AgentService(node, registry, volumes, wire), Runnable::run);
        undo.push(server::close);
        Fingerprints told = new Fingerprints(link);
        Fingerprinter fingerprinter = Fingerprinter.start(registry, told, settings.fingerprintInterval);
        told.toldBy(fingerprinter);
        RemoteClaims claims = new RemoteClaims(node, link, pauses, random, told::heard);
        ReleaseReports reports = new ReleaseReports(node, link, pauses, told::heard);
        AgentParts parts = new AgentParts(
                node,
                new AgentParts.AgentWork(
                        registry,
                        new AgentTasks(supervisor, base.resolve("volumes")),
                        volumes,
                        WorkloadVolumes.over(volumes, claims, wire.timer()),
                        changes),
                new AgentParts.AgentWays(wire, channels, server, fingerprinter, claims, reports),
                ready);
        if (settings.environment().isEmpty()) {
            var unused = parts.closed().whenComplete((nothing, failure) -> environment.close());
        }
        return new NodeAgent(parts);
    }

    private Path directory() throws IOException {
        Path directory = settings.directory;
        if (Files.notExists(directory)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        // The mount table tells paths without links in them.
        return directory.toRealPath();
    }

    private VolumeMounter mounter(Path base, AgentPlugins plugins, RandomGenerator random) {
        return settings.mounter.create(NodeVolumes.builder(base.resolve("volumes"), plugins)
                .timer(environment.timer())
                .clock(environment.clock())
                .executor(environment.executor())
                .random(random)
                .mountTable(settings.mountTable)
                .secrets(settings.secrets)
                .listener(settings.volumeListener)
                .options(settings.volumeOptions));
    }

    private PluginRegistry registry(Path base, PluginPaths paths, VolumeMounter volumes, RandomGenerator random) {
        return PluginRegistry.builder(settings.nodeId)
                .store(FilePluginStateStore.at(base.resolve("plugins"), paths))
                .clock(environment.clock())
                .random(random)
                .executor(environment.executor())
                .timer(environment.timer())
                .options(settings.connections)
                .optionsOf(settings.connectionsOf)
                .leaving(volumes::volumesOf, settings.stopPolicy)
                .clients(settings.clients)
                .open();
    }
}
