package io.csi4j.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A state, a server and its engine, and room for agents; all on real sockets below a directory with a short name. */
final class Ground implements AutoCloseable {
    static final NodeId NODE = NodeId.of("node-1");
    static final PluginId PLUGIN = PluginId.of("ebs");
    static final InstanceKey MONOLITH = new InstanceKey(NODE, PLUGIN, PluginType.MONOLITH, Optional.empty());
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    static final Duration PATIENCE = Duration.ofSeconds(40);

    final Path directory;
    final ExecutorService executor = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "ground");
        thread.setDaemon(true);
        return thread;
    });
    final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
    final Timer timer = Timer.from(scheduler);
    final Environment environment = Environment.of(Clock.systemUTC(), timer, executor, new SplittableRandom(1));
    final StateStore store = StateStore.create(StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build());
    final LocalCommandLog log = new LocalCommandLog(store);
    final Map<NodeId, NodeRoute> routes = new ConcurrentHashMap<>();
    final RemoteNodeGateway gateway;
    final VolumeLifecycle lifecycle;
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();

    Ground(CallDeadlines deadlines) throws IOException {
        this(deadlines, true);
    }

    private Ground(CallDeadlines deadlines, boolean leads) throws IOException {
        directory = Files.createTempDirectory("csi").toRealPath();
        scheduler.setRemoveOnCancelPolicy(true);
        gateway = gateway(deadlines);
        lifecycle = VolumeLifecycle.builder()
                .controllers(ControllerTrust.everyNode())
                .log(log)
                .gateway(gateway)
                .environment(environment)
                .build();
        if (leads) {
            lifecycle.startLeading();
        }
        apply(new NodeCommand.UpsertNode(NODE, Instant.now()));
    }

    Ground() throws IOException {
        this(CallDeadlines.ofDefaults());
    }

    /** Returns a ground whose engine never leads, and so asks no agent for reports. */
    static Ground withoutLeader() throws IOException {
        return new Ground(CallDeadlines.ofDefaults(), false);
    }

    /** The environment with another timer. */
    Environment environment(Timer other) {
        return Environment.of(environment.clock(), other, executor, environment.random());
    }

    RemoteNodeGateway gateway(CallDeadlines deadlines) {
        return gateway(deadlines, routes::get);
    }

    /** One with ways of its own; a node that it knows none to is null. */
    RemoteNodeGateway gateway(CallDeadlines deadlines, Function<NodeId, @Nullable NodeRoute> ways) {
        RemoteNodeGateway made = RemoteNodeGateway.builder(node -> Optional.ofNullable(ways.apply(node)))
                .environment(environment)
                .deadlines(deadlines)
                .build();
        closing.push(made);
        return made;
    }

    Path path(String name) {
        return directory.resolve(name);
    }

    Endpoint unix(String name) {
        return Endpoint.unix(path(name).resolve("s"));
    }

    AgentServerBuilder server() {
        return server(lifecycle);
    }

    AgentServerBuilder server(VolumeLifecycle engine) {
        return AgentServer.builder(engine, log).gateway(gateway).environment(environment);
    }

    AgentServer start(AgentServerBuilder builder) throws IOException {
        AgentServer server = builder.start();
        closing.push(server);
        return server;
    }

    /** The options for the plugins of these tests, which mount nothing. */
    static NodeVolumeOptions withoutMounts() {
        return NodeVolumeOptions.builder()
                .publishesWithoutMount(List.of(PLUGIN, PluginId.of("boxed")))
                .build();
    }

    /** An agent of the node that believes that nothing is mounted, because the plugins of these tests mount nothing. */
    NodeAgentBuilder agent(Endpoint listen, Endpoint... servers) {
        return NodeAgent.builder(NODE, path("agent"))
                .servers(List.of(servers))
                .listen(listen)
                .environment(environment)
                .clients(client -> client.retries(RetryOptions.none()))
                .volumeOptions(withoutMounts())
                .mountTable(new MountTable() {
                    @Override
                    public MountPoints read() {
                        return MountPoints.of(List.of());
                    }

                    @Override
                    public Optional<String> bootId() {
                        return Optional.empty();
                    }
                });
    }

    NodeAgent start(NodeAgentBuilder builder) throws IOException {
        NodeAgent agent = builder.start();
        closing.push(() -> {
            agent.close();
            get(agent.closed());
        });
        return agent;
    }

    /** A plugin where the agent expects it, registered and ready. */
    ScriptedPlugin plugin(NodeAgent agent) throws IOException {
        return plugin(agent, plugin -> {});
    }

    /** One that is told how to behave before it is asked anything. */
    ScriptedPlugin plugin(NodeAgent agent, Consumer<ScriptedPlugin> script) throws IOException {
        PluginTask task = PluginTask.onHost(MONOLITH);
        ScriptedPlugin plugin =
                new ScriptedPlugin(agent.preparePlugin(task).registration().socket());
        closing.push(plugin);
        script.accept(plugin);
        get(agent.pluginStarted(task));
        get(agent.plugins().waitForHealthy(io.csi4j.client.registry.instance.PluginRole.CONTROLLER, PLUGIN, PATIENCE));
        return plugin;
    }

    void apply(Command command) {
        assertThat(store.apply(command).accepted()).as("%s", command).isTrue();
    }

    void running(String allocation) {
        place(allocation, NODE, AllocationStatus.RUNNING);
    }

    void place(String allocation, NodeId node, AllocationStatus status) {
        apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of(allocation), Namespace.of("default"), node, Optional.empty(), status, Instant.now()));
    }

    VolumeKey volume(String id) {
        VolumeKey key = VolumeKey.of("default", id);
        get(lifecycle
                .volumes()
                .register(
                        key,
                        VolumeSpec.builder(PLUGIN)
                                .externalVolumeId(ExternalVolumeId.of("ext-" + id))
                                .requestedCapabilities(List.of(WRITER))
                                .build()));
        return key;
    }

    static ClaimRequest writing(VolumeKey key) {
        return ClaimRequest.of(key, ClaimMode.WRITE, WRITER);
    }

    /** Waits until the state fits, however often it changes. */
    void until(String what, StateScope scope, Predicate<StateReader> fits) {
        Instant end = Instant.now().plus(PATIENCE);
        StateReader now = store.snapshot();
        while (!fits.test(now)) {
            long index = now.index();
            Duration left = Duration.between(Instant.now(), end);
            try {
                store.newerThan(scope, index).get(Math.max(1, left.toMillis()), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException | InterruptedException never) {
                throw new AssertionError("did not happen: " + what, never);
            }
            now = store.snapshot();
        }
    }

    void knows(boolean healthy) {
        until(
                "the plugin is " + (healthy ? "healthy" : "unhealthy"),
                StateScope.instancesOn(NODE),
                state -> state.instance(MONOLITH)
                        .filter(known -> known.healthy() == healthy)
                        .isPresent());
    }

    Optional<PluginInstance> known() {
        return store.snapshot().instance(MONOLITH);
    }

    static <T> T get(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("did not happen: " + e, e);
        }
    }

    static <X extends Throwable> X failure(CompletableFuture<?> future, Class<X> type) {
        try {
            throw new AssertionError("unexpected answer: " + future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            assertThat(failed.getCause()).isInstanceOf(type);
            return type.cast(failed.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("did not happen: " + e, e);
        }
    }

    /** Closes something now that would be closed at the end. */
    void close(AutoCloseable now) throws Exception {
        closing.remove(now);
        now.close();
    }

    @Override
    public void close() {
        lifecycle.stopLeading();
        try {
            while (!closing.isEmpty()) {
                closing.pop().close();
            }
            scheduler.shutdownNow();
            executor.shutdown();
            // What is still being tidied up would be deleted under our feet.
            assertThat(executor.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
            store.close();
            delete();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        } catch (Exception unclosed) {
            throw new AssertionError(unclosed);
        }
    }

    private void delete() throws IOException {
        try (var files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
