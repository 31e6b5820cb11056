package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An engine with a class of volumes and two nodes in two zones, for claims that make their volumes. */
abstract class TemplateRig {
    static final VolumeClassName FAST = VolumeClassName.of("fast");
    static final RequestedCapability MOUNT = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    static final VolumeKey DATA = VolumeKey.of("default", "data");
    static final VolumeKey LOGS = VolumeKey.of("default", "logs");
    static final Namespace NAMESPACE = Namespace.of("default");

    final VolumeRig rig = new VolumeRig();
    VolumeLifecycle leader;

    TemplateRig() {
        rig.controller.remove(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        node("a", "zone-a");
        node("b", "zone-b");
        leader = rig.engine();
        rig.done(leader.classes()
                .put(VolumeClass.builder(FAST, VolumeRig.PLUGIN)
                        .requestedCapabilities(List.of(MOUNT))
                        .defaultCapacity(CapacityRange.atLeast(300))
                        .build()));
    }

    static Topology zone(String zone) {
        return Topology.of("zone", zone);
    }

    void node(String name, String zone) {
        rig.node(name);
        rig.fingerprint(instance(name, zone));
    }

    /** Adds many nodes in one command, each in a zone of its own. */
    void nodes(int count) {
        List<Command> reports = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            PluginInstance instance = instance("n" + i, "own-" + i);
            reports.add(new NodeCommand.UpsertNode(instance.key().nodeId(), rig.now()));
            reports.add(new PluginCommand.FingerprintNode(instance.key().nodeId(), List.of(instance), rig.now()));
        }
        rig.ok(new Batch(reports, rig.now()));
    }

    private PluginInstance instance(String name, String zone) {
        return rig.instance(name, PluginType.MONOLITH)
                .provider("csi.example.com")
                .vendorVersion("1.0")
                .capabilities(Capabilities.unknown()
                        .withServices(CapabilitySet.of(PluginService.class, rig.services))
                        .withNode(NodeCapability.STAGE_UNSTAGE_VOLUME)
                        .withController(CapabilitySet.of(ControllerCapability.class, rig.controller)))
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + name), 0, Optional.of(zone(zone))))
                .build();
    }

    static ClaimRequest request(VolumeKey key, VolumeTemplate template) {
        return ClaimRequest.writing(key, MOUNT).madeFrom(template);
    }

    static ClaimRequest request(VolumeKey key) {
        return request(key, VolumeTemplate.of(FAST));
    }

    static ClaimRequest ownRequest(String allocation) {
        return new VolumeRequest("scratch", false, MOUNT, MountOptions.none(), false)
                .madeFrom(VolumeTemplate.builder(FAST).ofAllocation().build())
                .claimOf(NAMESPACE, AllocationId.of(allocation), 0);
    }

    CompletableFuture<ClaimGrant> claim(String allocation, String node, ClaimRequest... requests) {
        rig.allocation(allocation, node, AllocationStatus.RUNNING);
        CompletableFuture<ClaimGrant> grant = leader.claims().claim(AllocationId.of(allocation), List.of(requests));
        rig.run();
        return grant;
    }

    NeverReason refused(CompletableFuture<?> claim) {
        RejectedException rejected = rig.failed(claim, RejectedException.class);
        Rejection.NotAdmitted reason = (Rejection.NotAdmitted) rejected.reason();
        return ((AdmissionDecision.Never) reason.decision()).reason();
    }

    void ended(String allocation, String node) {
        rig.allocation(allocation, node, AllocationStatus.ENDED);
        rig.run();
    }

    Optional<Volume> volume(VolumeKey key) {
        return rig.log.snapshot().volume(key);
    }

    List<VolumeKey> volumes() {
        List<VolumeKey> keys = new ArrayList<>();
        rig.log.snapshot().volumes(VolumeQuery.all()).items().forEach(volume -> keys.add(volume.key()));
        return keys;
    }

    List<CreateVolumeRequest> creations() {
        return rig.gateway.requests(Rpc.CREATE_VOLUME).stream()
                .map(CreateVolumeRequest.class::cast)
                .toList();
    }

    /** Checks that the provider has the volumes of the state and no others. */
    void nothingLeaks() {
        List<String> known = new ArrayList<>();
        rig.log.snapshot().volumes(VolumeQuery.all()).items().forEach(volume -> known.add(volume.name()));
        assertThat(known).containsAll(rig.provider.volumes.keySet());
        assertThat(volumes()).allMatch(key -> volume(key).orElseThrow().phase() == VolumePhase.AVAILABLE);
        assertThat(creations().stream().map(CreateVolumeRequest::name).distinct())
                .as("I24: equal names have equal requests")
                .hasSameSizeAs(creations().stream().distinct().toList());
    }
}
