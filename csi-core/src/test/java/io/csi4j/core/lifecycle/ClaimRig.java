package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EngineLog;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.claim.ClaimEngine;
import io.csi4j.core.lifecycle.internal.claim.StateViews;
import io.csi4j.core.lifecycle.internal.reconcile.CapacityQueries;
import io.csi4j.core.lifecycle.internal.reconcile.NodeInfoQuery;
import io.csi4j.core.lifecycle.internal.snapshot.ContentSources;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotListing;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Fencing;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** An engine over a simple state. The test controls time, threads, log and plugins. */
final class ClaimRig extends Rig {
    static final String CONTROLLER = "ctl";

    final List<String> fenceRequests = new ArrayList<>();
    Fencing fencing = (node, reason) -> {
        fenceRequests.add(node.value());
        return CompletableFuture.completedFuture(null);
    };
    SecretsProvider secrets = SecretsProvider.ofVolumes();
    /** The volumes with a step that only a scan found. */
    final List<VolumeKey> missedSteps = new ArrayList<>();

    ClaimEngine engine;
    Operations operations;
    RowWaits waits;

    private ClaimRig() {
        engine = engine();
    }

    /**
     * Returns a rig with one plugin: its controller attaches volumes and runs on a node of its own; the given nodes run
     * its node service.
     */
    static ClaimRig with(String... nodes) {
        ClaimRig rig = new ClaimRig();
        rig.node(CONTROLLER);
        rig.controller(true);
        for (String node : nodes) {
            rig.node(node);
            rig.fingerprint(node);
        }
        rig.engine.start();
        rig.run();
        return rig;
    }

    private ClaimEngine engine() {
        HostCallbacks host = new HostCallbacks(clock, clock);
        EnginePorts ports = new EnginePorts(
                new EngineLog(
                        log,
                        EventListener.none(),
                        ControllerTrust.everyNode(),
                        host,
                        new Timeouts(clock, clock),
                        LifecycleOptions.ofDefaults().logTimeout()),
                gateway,
                clock,
                clock,
                clock,
                clock,
                new Random(1),
                query -> secrets.secrets(query),
                ControllerTrust.everyNode(),
                AccessControl.off(),
                new EventListener() {
                    @Override
                    public void missedStepFound(MissedStepEvent event) {
                        missedSteps.add(event.volume());
                    }
                },
                (node, reason) -> fencing.fence(node, reason),
                host,
                LifecycleOptions.ofDefaults());
        operations = new Operations(ports);
        waits = new RowWaits(ports);
        return new ClaimEngine(
                operations,
                waits,
                new StateViews(operations),
                new ContentSources(operations, new SnapshotListing(operations)),
                new NodeInfoQuery(operations)::refresh,
                new CapacityQueries(operations));
    }

    /** The server crashes: only the log remains. */
    void crash() {
        engine.stop();
        gateway.abandon();
        engine = engine();
        engine.start();
    }

    void status(String node, NodeStatus status) {
        ok(
                switch (status) {
                    case FENCED -> new NodeCommand.FenceNode(NodeId.of(node), "", clock.instant());
                    case GONE -> new NodeCommand.RemoveNode(NodeId.of(node), "", clock.instant());
                    default -> new NodeCommand.SetNodeStatus(NodeId.of(node), status, "", clock.instant());
                });
    }

    void controller(boolean healthy) {
        controller(healthy, List.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME));
    }

    void publishesReadonly() {
        controller(true, List.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME, ControllerCapability.PUBLISH_READONLY));
    }

    private void controller(boolean healthy, List<ControllerCapability> capabilities) {
        fingerprint(instance(CONTROLLER, PluginType.CONTROLLER)
                .health(healthy, "")
                .capabilities(known -> known.withController(CapabilitySet.of(ControllerCapability.class, capabilities)))
                .build());
    }

    void fingerprint(String node) {
        fingerprint(instance(node, PluginType.NODE)
                .capabilities(known -> known.withNode())
                .nodeInfo(nodeInfo(node))
                .build());
    }

    /** Makes the plugin on the node stage volumes. */
    void stages(String node) {
        fingerprint(instance(node, PluginType.NODE)
                .capabilities(known -> known.withNode(NodeCapability.STAGE_UNSTAGE_VOLUME))
                .nodeInfo(nodeInfo(node))
                .build());
    }

    ClaimRig volume(String id, VolumeAccessMode... modes) {
        return volume(id, FencingPolicy.waitForConfirmation(), modes);
    }

    ClaimRig volume(String id, FencingPolicy policy, VolumeAccessMode... modes) {
        VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(
                        List.of(modes).stream().map(RequestedCapability::mount).toList())
                .secrets(Secrets.of(Map.of("token", "hidden")))
                .fencingPolicy(policy)
                .build();
        ok(new VolumeCommand.RegisterVolume(
                key(id), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), clock.instant()));
        return this;
    }

    static VolumeKey key(String id) {
        return VolumeKey.of("default", id);
    }

    void ended(String id, String node) {
        allocation(id, node, AllocationStatus.ENDED);
        run();
    }

    static ClaimRequest write(String volume, VolumeAccessMode mode) {
        return ClaimRequest.of(key(volume), ClaimMode.WRITE, RequestedCapability.mount(mode));
    }

    static ClaimRequest read(String volume, VolumeAccessMode mode) {
        return ClaimRequest.of(key(volume), ClaimMode.READ, RequestedCapability.mount(mode));
    }

    /** Places the allocation and claims volumes for it. */
    CompletableFuture<ClaimGrant> claim(String allocation, String node, ClaimRequest... requests) {
        allocation(allocation, node, AllocationStatus.RUNNING);
        CompletableFuture<ClaimGrant> grant =
                engine.claim(Caller.ENGINE, AllocationId.of(allocation), List.of(requests));
        run();
        return grant;
    }

    /** Claims volumes, and waits until the claim is granted and the volumes are mounted. */
    ClaimRig use(String allocation, String node, ClaimRequest... requests) {
        CompletableFuture<ClaimGrant> grant = claim(allocation, node, requests);
        assertThat(grant).isCompleted();
        for (ClaimRequest request : requests) {
            provider.mount(request.volume().volumeId().value(), allocation, node);
        }
        return this;
    }

    Volume get(String volume) {
        return get(key(volume));
    }

    Optional<ClaimState> state(String volume, String allocation) {
        return get(volume).claims().get(AllocationId.of(allocation)).map(Claim::state);
    }

    /** Checks that no claim, attachment, mount or worker of the volume is left. */
    void free(String volume) {
        assertThat(get(volume).inUse()).as("%s", get(volume)).isFalse();
        assertThat(provider.attached).noneMatch(at -> at.startsWith(volume + "@"));
        assertThat(engine.workers()).as("an idle volume has no worker").isZero();
        assertThat(operations.volumeCalls().volumesInFlight()).isZero();
        assertThat(missedSteps).as("steps that only a scan found").isEmpty();
    }

    void minutes(int count) {
        clock.advance(Duration.ofMinutes(count));
    }
}
