package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.state.NaiveState;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** An engine over the naive state, a scripted gateway and hand-driven time. */
final class Rig {
    static final PluginId PLUGIN = PluginId.of("p");
    static final VolumeKey VOL = VolumeKey.of("default", "vol");
    static final Secrets SECRETS = Secrets.of(Map.of("password", "hunter2"));

    final ManualTime time = new ManualTime();
    final FakeProvider provider = new FakeProvider();
    final ScriptedGateway gateway = new ScriptedGateway(provider);
    final NaiveState state = new NaiveState();
    final Set<ControllerCapability> controller = EnumSet.allOf(ControllerCapability.class);
    final Set<PluginService> services = EnumSet.of(
            PluginService.CONTROLLER_SERVICE,
            PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS,
            PluginService.GROUP_CONTROLLER_SERVICE);
    Set<VolumeExpansion> expansion = EnumSet.of(VolumeExpansion.ONLINE, VolumeExpansion.OFFLINE);
    AccessControl access = AccessControl.off();
    EventListener listener = EventListener.none();
    LifecycleOptions options = LifecycleOptions.ofDefaults();
    NaiveLog log = new NaiveLog(state);

    /** Two nodes with a healthy plugin each, that offers everything. */
    static Rig started() {
        Rig rig = new Rig();
        rig.nodes("n1", "n2");
        return rig;
    }

    Rig nodes(String... names) {
        for (String name : names) {
            apply(new NodeCommand.UpsertNode(NodeId.of(name), now()));
            fingerprint(name, true);
        }
        return this;
    }

    void fingerprint(String node, boolean healthy) {
        boolean served = services.contains(PluginService.CONTROLLER_SERVICE);
        InstanceKey key = new InstanceKey(NodeId.of(node), PLUGIN, PluginType.MONOLITH, Optional.empty());
        PluginInstance instance = PluginInstance.builder(key, now())
                .health(healthy, "")
                .provider("csi.example.com")
                .vendorVersion("1.0")
                .services(CapabilitySet.of(PluginService.class, services))
                .controllerCapabilities(served ? CapabilitySet.of(ControllerCapability.class, controller) : null)
                .nodeCapabilities(CapabilitySet.of(
                        NodeCapability.class,
                        List.of(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.EXPAND_VOLUME)))
                .volumeExpansion(CapabilitySet.of(VolumeExpansion.class, expansion))
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), 0, Optional.empty()))
                .build();
        apply(new PluginCommand.FingerprintNode(NodeId.of(node), List.of(instance), now()));
    }

    Instant now() {
        return time.instant();
    }

    void apply(Command command) {
        Outcome outcome = state.apply(command);
        assertThat(outcome.accepted()).as("%s: %s", command, outcome).isTrue();
    }

    /** A new engine over the same state, as after a crash of the server; the old one is cut off. */
    SecretsProvider secrets = SecretsProvider.ofVolumes();

    VolumeLifecycle engine() {
        log.kill();
        log = new NaiveLog(state);
        return VolumeLifecycle.builder()
                .log(log)
                .gateway(gateway)
                .timer(time)
                .clock(time)
                .executor(time)
                .random(new Random(7))
                .access(access)
                .listener(listener)
                .secrets(secrets)
                .options(options)
                .build();
    }

    /** What a future gives once everything that is ready has run. */
    <R> R done(CompletableFuture<R> future) {
        time.run();
        assertThat(future).isDone();
        return future.join();
    }

    /** What a future gives after retries. */
    <R> R later(CompletableFuture<R> future) {
        time.advance(Duration.ofHours(1));
        return done(future);
    }

    <X extends Throwable> X failed(CompletableFuture<?> future, Class<X> type) {
        time.run();
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(type);
            return type.cast(e.getCause());
        }
        throw new AssertionError("it did not fail");
    }

    <X extends Throwable> X failedLater(CompletableFuture<?> future, Class<X> type) {
        time.advance(Duration.ofHours(1));
        return failed(future, type);
    }

    static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER)))
                .secrets(SECRETS);
    }

    Volume volume() {
        return state.volume(VOL).orElseThrow();
    }

    /** An available volume, made through the engine. */
    Volume made() {
        return done(engine().create(VOL, spec().build()));
    }

    void claim(String allocation, String node) {
        apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of(allocation),
                Namespace.of("default"),
                NodeId.of(node),
                Optional.empty(),
                AllocationStatus.RUNNING,
                now()));
        apply(new ClaimCommand.TakeClaims(
                AllocationId.of(allocation),
                List.of(ClaimRequest.of(
                        VOL, ClaimMode.WRITE, RequestedCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER))),
                now()));
    }

    void published(String node) {
        apply(new AttachmentCommand.RecordPublished(VOL, NodeId.of(node), PublishContext.empty(), now()));
    }
}
