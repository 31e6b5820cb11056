package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A leading engine over a store, in real time, with its administration. Its plugins answer at once unless a test says otherwise. */
public final class AdminRig implements AutoCloseable {
    public static final PluginId DISK = PluginId.of("disk");
    /** A node whose agent does not answer. */
    static final NodeId MUTE = NodeId.of("mute");

    public static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    public final Environment environment = Environment.system();
    public final StateStore store = StateStore.inMemory();
    public final AdminHistory history = AdminHistory.create();
    public final HttpClient http = HttpClient.newHttpClient();
    public final VolumeLifecycle lifecycle;
    public final AdminServer admin;

    /** Completes when a controller answers to a plugin's publish (false) or unpublish (true). */
    public volatile BiFunction<PluginId, Boolean, CompletableFuture<?>> answers =
            (plugin, unpublish) -> CompletableFuture.completedFuture(null);

    /** The host's word about controllers. */
    public volatile ControllerTrust trust = ControllerTrust.everyNode();

    /** The host's word about permissions. */
    volatile AccessControl access = AccessControl.off();

    /** The connection of every node's agent; null if none is known. */
    volatile @Nullable AgentConnection connection;

    /** The report of every node. */
    public volatile NodeReport report = new NodeReport(List.of());

    public AdminRig() throws Exception {
        this(builder -> builder);
    }

    public AdminRig(UnaryOperator<AdminServer.Builder> options) throws Exception {
        this((builder, store) -> options.apply(builder));
    }

    public AdminRig(BiFunction<AdminServer.Builder, StateStore, AdminServer.Builder> options) throws Exception {
        lifecycle = VolumeLifecycle.builder()
                .log(new LocalCommandLog(store))
                .gateway(new InstantGateway() {
                    @Override
                    public CompletableFuture<NodeReport> report(NodeId nodeId) {
                        return nodeId.equals(MUTE)
                                ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                                : CompletableFuture.completedFuture(report);
                    }

                    @Override
                    public Optional<AgentConnection> agentConnection(NodeId nodeId) {
                        return Optional.ofNullable(connection);
                    }

                    @Override
                    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(
                            NodeId nodeId, NodeVolumeQuery request) {
                        return CompletableFuture.completedFuture(new NodeGetVolumeStatsResponse(
                                List.of(new VolumeUsage(6, 10, 4, VolumeUsageUnit.BYTES)),
                                Optional.of(new VolumeCondition(true, "slow"))));
                    }

                    @Override
                    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(
                            NodeId nodeId, NodeVolumeQuery request) {
                        return CompletableFuture.completedFuture(new NodeGetVolumeHealthResponse(
                                Optional.of(new VolumeHealth(
                                        request.externalVolumeId(),
                                        List.of(new VolumeHealthEntry(
                                                VolumeHealthStatus.DEGRADED, 1, "Slow", "it is slow"))))));
                    }

                    @Override
                    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(
                            NodeId nodeId, StorageHealthQuery request) {
                        return CompletableFuture.completedFuture(
                                new NodeGetStorageHealthResponse(List.of(new StorageBackendHealth(
                                        StorageHealthStatus.STORAGE_DEGRADED,
                                        1,
                                        "Slow",
                                        "it is slow",
                                        Optional.of(VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))))));
                    }

                    @Override
                    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
                        return answers.apply(plugin, response == null).thenApply(answered -> response);
                    }
                })
                .environment(environment)
                .listener(history.listener())
                .access((caller, wanted) -> access.allows(caller, wanted))
                .controllers((state, controller) -> trust.trusts(state, controller))
                .build();
        lifecycle.startLeading();
        admin = options.apply(
                        AdminServer.builder(lifecycle).environment(environment).history(history), store)
                .start();
    }

    public static CsiCallException failure(PluginId plugin, StatusCode code) {
        return new CsiCallException(
                Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                plugin.value(),
                null,
                code,
                CallOutcome.OUTCOME_UNKNOWN,
                "it failed",
                "it failed",
                null);
    }

    public <R> R done(CompletableFuture<R> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    public AdminRig node(String name, PluginId... plugins) throws Exception {
        return node(name, true, plugins);
    }

    public AdminRig node(String name, boolean healthy, PluginId... plugins) throws Exception {
        NodeId nodeId = NodeId.of(name);
        done(lifecycle.cluster().nodeReady(nodeId));
        List<PluginInstance> instances = new ArrayList<>();
        for (PluginId plugin : plugins) {
            instances.add(PluginInstance.builder(
                            new InstanceKey(nodeId, plugin, PluginType.MONOLITH, Optional.empty()),
                            environment.clock().instant())
                    .health(healthy, healthy ? "" : "no answer to Probe since 2 min")
                    .provider(plugin.value() + ".csi.example.com")
                    .vendorVersion("2.4.1")
                    .capabilities(Capabilities.unknown()
                            .withServices(PluginService.CONTROLLER_SERVICE)
                            .withController(
                                    ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                    ControllerCapability.CREATE_DELETE_VOLUME)
                            .withNode(
                                    NodeCapability.GET_VOLUME_STATS,
                                    NodeCapability.GET_VOLUME_HEALTH,
                                    NodeCapability.GET_STORAGE_HEALTH))
                    .nodeInfo(new NodeInfo(ExternalNodeId.of("i-" + name), 0, Optional.empty()))
                    .build());
        }
        done(lifecycle.cluster().nodePlugins(nodeId, instances));
        return this;
    }

    /** A node with an instance that has not answered yet. */
    public AdminRig silent(String name, PluginId plugin) throws Exception {
        NodeId nodeId = NodeId.of(name);
        done(lifecycle.cluster().nodeReady(nodeId));
        done(lifecycle
                .cluster()
                .nodePlugins(
                        nodeId,
                        List.of(PluginInstance.builder(
                                        new InstanceKey(nodeId, plugin, PluginType.NODE, Optional.empty()),
                                        environment.clock().instant())
                                .health(false, "its socket is missing")
                                .proved(false)
                                .build())));
        return this;
    }

    public AdminRig expect(PluginId plugin, int controllers, int nodes) throws Exception {
        done(lifecycle
                .log()
                .submit(new PluginCommand.UpsertDeployment(
                        PluginDeployment.of(
                                DeploymentId.of("infra", "csi-" + plugin.value()),
                                Map.of(plugin, new ExpectedInstances(controllers, nodes))),
                        environment.clock().instant())));
        return this;
    }

    public AdminRig volume(VolumeKey key) throws Exception {
        return volume(key, DISK, 10);
    }

    public AdminRig volume(VolumeKey key, PluginId plugin, int gibibytes) throws Exception {
        done(lifecycle.log().submit(register(key, plugin, gibibytes)));
        return this;
    }

    /** Returns the storage provider's id of a volume of {@link #volume}. */
    static ExternalVolumeId externalId(VolumeKey key) {
        return ExternalVolumeId.of("vol-" + Integer.toHexString(key.hashCode()));
    }

    private Command register(VolumeKey key, PluginId plugin, int gibibytes) {
        VolumeSpec spec = VolumeSpec.builder(plugin)
                .requestedCapabilities(List.of(WRITER))
                .secrets(Secrets.of(Map.of("password", "hunter2")))
                .parameters(Map.of("tier", "secret-tier"))
                .mountOptions(MountOptions.of("ext4", "secret-flag"))
                .build();
        ProviderFacts facts = ProviderFacts.builder()
                .externalVolumeId(externalId(key))
                .capacityBytes((long) gibibytes << 30)
                .build();
        return new VolumeCommand.RegisterVolume(
                key, spec, VolumeOrigin.REGISTERED, facts, environment.clock().instant());
    }

    public void volumes(String namespace, String prefix, int count) {
        volumes(namespace, prefix, DISK, count);
    }

    public void volumes(String namespace, String prefix, PluginId plugin, int count) {
        for (int from = 0; from < count; from += 1000) {
            List<Command> commands = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + 1000); i++) {
                commands.add(register(VolumeKey.of(namespace, String.format("%s%06d", prefix, i)), plugin, 1));
            }
            assertThat(store.apply(new Batch(commands, environment.clock().instant()))
                            .accepted())
                    .isTrue();
        }
    }

    public CompletableFuture<ClaimGrant> claim(String allocation, String node, VolumeKey key) throws Exception {
        return claim(allocation, node, key, MountOptions.none());
    }

    public CompletableFuture<ClaimGrant> claim(String allocation, String node, VolumeKey key, MountOptions options)
            throws Exception {
        AllocationId id = AllocationId.of(allocation);
        done(lifecycle.cluster().allocationStarted(id, key.namespace(), NodeId.of(node)));
        return lifecycle.claims().claim(id, List.of(new ClaimRequest(key, ClaimMode.WRITE, WRITER, options)));
    }

    public void end(String allocation) throws Exception {
        done(lifecycle.cluster().allocationEnded(AllocationId.of(allocation)));
    }

    public static VolumeKey key(String id) {
        return new VolumeKey(Namespace.of("default"), VolumeId.of(id));
    }

    public URI at(String path) {
        return admin.uri().resolve(path);
    }

    public HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns a page that has to be there. */
    /** Makes a volume lost: the state is restored, and the provider has answered twice that it does not have the volume. */
    public void lose(VolumeKey key) throws Exception {
        Instant at = environment.clock().instant();
        done(lifecycle.log().submit(new NodeCommand.RequireLedgers("restored", at)));
        Volume volume = store.snapshot().volume(key).orElseThrow();
        long restored =
                store.snapshot().rows(RowType.RESTORES).iterator().next().index();
        List<Command> commands = new ArrayList<>(List.of(new VolumeCommand.MarkForGc(key, at)));
        for (int answer = 1; answer <= Verification.NOT_FOUND_ANSWERS; answer++) {
            commands.add(new CallCommand.RecordCallError(
                    key,
                    new CallTarget.OfVerification(volume.createIndex(), restored, answer),
                    Attempt.failed("it is missing", at),
                    at));
        }
        done(lifecycle.log().submit(new Batch(commands, at)));
    }

    public String page(String path) throws Exception {
        HttpResponse<String> response = get(path);
        assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
        return response.body();
    }

    /** Reads a page until it has a text. */
    public String awaitPage(String path, String text) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        String page = page(path);
        while (!page.contains(text)) {
            assertThat(System.nanoTime()).as("%s in %s", text, page).isLessThan(end);
            page = page(path);
        }
        return page;
    }

    @Override
    public void close() {
        admin.close();
        lifecycle.close();
        environment.close();
        store.close();
    }
}
