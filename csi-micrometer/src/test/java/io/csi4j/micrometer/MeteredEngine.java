package io.csi4j.micrometer;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeQuota;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** An engine with meters, over a store, on virtual time, with plugins that answer at once unless a test says otherwise. */
final class MeteredEngine implements AutoCloseable {
    static final PluginId DISK = PluginId.of("disk");
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    /** How the plugin's controller answers. */
    enum Answers {
        AT_ONCE,
        NEVER,
        INTERNAL
    }

    final VirtualTime time = VirtualTime.inOrder();
    final Environment environment = time.environment(new Random(1));
    final StateStore store =
            StateStore.inMemory(StateStoreOptions.builder().watchExecutor(time).build());
    final CsiMeters meters;
    final ShownLog replicated;
    final VolumeLifecycle lifecycle;
    Answers answers = Answers.AT_ONCE;
    /** Whether the log answers; otherwise each command fails with an unknown outcome. */
    boolean logAnswers = true;
    /** Whether the meters may list the plugins. */
    boolean readsAllowed = true;
    /** The report of each node; null: the agents do not answer. */
    @Nullable NodeReport nodeReport = new NodeReport(List.of());
    /** The meters after the first failure of a call; null: none was noted. */
    @Nullable String failing;

    private final MeterRegistry registry;

    MeteredEngine(MeterRegistry registry) {
        this.registry = registry;
        meters = CsiMeters.of(registry);
        replicated = new ShownLog(log());
        lifecycle = VolumeLifecycle.builder()
                .log(meters.timed(replicated))
                .gateway(new InstantGateway() {
                    @Override
                    public CompletableFuture<NodeReport> report(NodeId nodeId) {
                        NodeReport report = nodeReport;
                        return report == null
                                ? CompletableFuture.failedFuture(new TimeoutException("no answer"))
                                : CompletableFuture.completedFuture(report);
                    }

                    @Override
                    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
                        return switch (answers) {
                            case AT_ONCE -> super.answer(plugin, response);
                            case NEVER -> new CompletableFuture<>();
                            case INTERNAL ->
                                CompletableFuture.failedFuture(new CsiCallException(
                                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                                        plugin.value(),
                                        null,
                                        StatusCode.INTERNAL,
                                        CallOutcome.OUTCOME_UNKNOWN,
                                        "broken",
                                        "broken",
                                        null));
                        };
                    }
                })
                .environment(environment)
                .access((caller, access) -> readsAllowed || access.permission() != Permission.PLUGIN_LIST)
                .callbackExecutor(time)
                .listener(meters.listener())
                .options(LifecycleOptions.builder().callsInFlight(4).build())
                .build();
        meters.observe(lifecycle, environment, Duration.ofSeconds(10));
        meters.observe(replicated, environment, Duration.ofSeconds(10));
        lifecycle.startLeading();
        time.run();
    }

    private CommandLog log() {
        LocalCommandLog local = new LocalCommandLog(store);
        return new CommandLog() {
            @Override
            public ObservableState state() {
                return local.state();
            }

            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                return logAnswers
                        ? local.submit(command)
                        : CompletableFuture.failedFuture(new CsiException("the log has no majority"));
            }
        };
    }

    /** Notes the meters as they are now, for alerts about an increase. */
    void failuresBegan() {
        failing = ((PrometheusMeterRegistry) registry).scrape();
    }

    MeteredEngine node(String name, PluginId... plugins) {
        NodeId nodeId = NodeId.of(name);
        done(lifecycle.cluster().nodeReady(nodeId));
        List<PluginInstance> instances = List.of(plugins).stream()
                .map(plugin -> instance(plugin, nodeId))
                .toList();
        done(lifecycle.cluster().nodePlugins(nodeId, instances));
        return this;
    }

    private PluginInstance instance(PluginId plugin, NodeId nodeId) {
        return PluginInstance.builder(
                        new InstanceKey(nodeId, plugin, PluginType.MONOLITH, Optional.empty()), time.instant())
                .health(true, "")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(
                                ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                ControllerCapability.CREATE_DELETE_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + nodeId.value()), 0, Optional.empty()))
                .build();
    }

    MeteredEngine expect(PluginId plugin, int controllers, int nodes) {
        done(lifecycle
                .log()
                .submit(new PluginCommand.UpsertDeployment(
                        PluginDeployment.of(
                                DeploymentId.of("default", "d-" + plugin.value()),
                                Map.of(plugin, new ExpectedInstances(controllers, nodes))),
                        time.instant())));
        return this;
    }

    /** Puts a quota for the namespace of the volumes; a limit that is below 0 is none. */
    MeteredEngine quota(long volumes, long bytes) {
        done(lifecycle
                .quotas()
                .put(new VolumeQuota(
                        QuotaKey.of(Namespace.of("default")),
                        volumes < 0 ? OptionalLong.empty() : OptionalLong.of(volumes),
                        bytes < 0 ? OptionalLong.empty() : OptionalLong.of(bytes))));
        return this;
    }

    MeteredEngine volume(String id) {
        done(lifecycle
                .volumes()
                .register(
                        VolumeKey.of("default", id),
                        VolumeSpec.builder(DISK)
                                .requestedCapabilities(List.of(WRITER))
                                .secrets(Secrets.of(Map.of("password", "hunter2")))
                                .build()));
        return this;
    }

    /** Makes a volume lost: the state is restored, and the provider has answered twice that it does not have the volume. */
    void lose(String id) {
        VolumeKey key = VolumeKey.of("default", id);
        done(lifecycle.log().submit(new NodeCommand.RequireLedgers("restored", time.instant())));
        Volume volume = store.snapshot().volume(key).orElseThrow();
        long restored =
                store.snapshot().rows(RowType.RESTORES).iterator().next().index();
        List<Command> commands = new ArrayList<>(List.of(new VolumeCommand.MarkForGc(key, time.instant())));
        for (int answer = 1; answer <= Verification.NOT_FOUND_ANSWERS; answer++) {
            commands.add(new CallCommand.RecordCallError(
                    key,
                    new CallTarget.OfVerification(volume.createIndex(), restored, answer),
                    Attempt.failed("it is missing", time.instant()),
                    time.instant()));
        }
        done(lifecycle.log().submit(new Batch(commands, time.instant())));
    }

    CompletableFuture<ClaimGrant> claim(String allocation, String node, String volume) {
        AllocationId id = AllocationId.of(allocation);
        done(lifecycle.cluster().allocationStarted(id, Namespace.of("default"), NodeId.of(node)));
        CompletableFuture<ClaimGrant> grant =
                lifecycle.claims().claim(id, List.of(ClaimRequest.writing(VolumeKey.of("default", volume), WRITER)));
        time.run();
        return grant;
    }

    void end(String allocation) {
        done(lifecycle.cluster().allocationEnded(AllocationId.of(allocation)));
    }

    /** Waits for the next read of the gauges. */
    void nextRead() {
        time.advance(Duration.ofSeconds(10));
    }

    <R> R done(CompletableFuture<R> future) {
        time.run();
        return future.orTimeout(10, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        meters.close();
        lifecycle.close();
        store.close();
    }
}
