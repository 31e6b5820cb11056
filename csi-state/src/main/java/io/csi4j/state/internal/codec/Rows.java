package io.csi4j.state.internal.codec;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.RequestedClaims;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.values.internal.Values;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** All rows of the state except volumes. */
public final class Rows {
    private final Sharing sharing;
    private final ClaimRequests requests;
    private final ClassParts classes;
    private final Snapshots snapshots;

    /**
     * Creates a reader and writer of rows.
     *
     * @param cipher for the confidential values of rows; null: a row with such a value can be neither read nor written
     */
    public Rows(Sharing sharing, @Nullable SecretsCipher cipher) {
        this.sharing = sharing;
        ConfidentialParts confidential = new ConfidentialParts(cipher);
        this.requests = new ClaimRequests(confidential);
        this.classes = new ClassParts(confidential);
        this.snapshots = new Snapshots(confidential);
    }

    /** Creates a writer of rows, with the cipher for their confidential values. */
    public static Rows writing(@Nullable SecretsCipher cipher) {
        return new Rows(NoSharing.INSTANCE, cipher);
    }

    public StateProto.RequestedClaims requestedClaims(RequestedClaims requested) {
        return StateProto.RequestedClaims.newBuilder()
                .setAllocationId(requested.allocationId().value())
                .addAllRequests(requests.requests(requested.requests()))
                .setCreateIndex(requested.createIndex())
                .setRequestedAt(Values.time(requested.requestedAt()))
                .build();
    }

    public RequestedClaims requestedClaims(StateProto.RequestedClaims row) {
        return new RequestedClaims(
                AllocationId.of(row.getAllocationId()),
                requests.read(row.getRequestsList()),
                row.getCreateIndex(),
                Values.time(row.getRequestedAt()));
    }

    public StateProto.VolumeClass volumeClass(VolumeClass volumeClass) {
        return classes.row(volumeClass);
    }

    public VolumeClass volumeClass(StateProto.VolumeClass row) {
        return classes.row(row);
    }

    public StateProto.VolumeSnapshot snapshot(VolumeSnapshot snapshot) {
        return snapshots.snapshot(snapshot, ConfidentialParts.ROW);
    }

    public VolumeSnapshot snapshot(StateProto.VolumeSnapshot row) {
        return snapshots.snapshot(row, ConfidentialParts.ROW);
    }

    public static StateProto.Node node(Node node) {
        StateProto.Node.Builder builder = StateProto.Node.newBuilder()
                .setId(node.id().value())
                .setStatus(node.status().name())
                .setSince(Values.time(node.since()))
                .setReason(node.reason())
                .setModifyIndex(node.modifyIndex())
                .setFingerprint(node.fingerprint())
                .addAllMachines(node.machines().stream().map(Rows::machine).toList());
        if (!node.ledger().isSettled()) {
            builder.setLedger(StateProto.NodeLedger.newBuilder()
                    .setMissingSince(node.ledger().missingSince())
                    .addAllUnclaimed(
                            node.ledger().unclaimed().stream().map(Rows::report).toList()));
        }
        return builder.build();
    }

    public Node node(StateProto.Node row) {
        return new Node(
                NodeId.of(row.getId()),
                Parts.name(NodeStatus.class, "status", row.getStatus()),
                Values.time(row.getSince()),
                row.getReason(),
                row.getModifyIndex(),
                row.getFingerprint(),
                row.getMachinesList().stream().map(this::machine).toList(),
                row.hasLedger()
                        ? new NodeLedger(
                                row.getLedger().getMissingSince(),
                                row.getLedger().getUnclaimedList().stream()
                                        .map(Rows::report)
                                        .toList())
                        : NodeLedger.settled());
    }

    public static StateProto.LedgerReport report(LedgerReport report) {
        StateProto.LedgerReport.Builder builder = StateProto.LedgerReport.newBuilder();
        report.uses().forEach(use -> builder.addUses(use(use)));
        report.unclear().forEach(volume -> builder.addUnclear(Values.key(volume)));
        report.machines().map(Values::machines).ifPresent(builder::setMachines);
        return builder.build();
    }

    static LedgerReport report(StateProto.LedgerReport row) {
        return new LedgerReport(
                uses(row.getUsesList()),
                row.getUnclearList().stream().map(Values::key).toList(),
                row.hasMachines() ? Optional.of(Values.machines(row.getMachines())) : Optional.empty());
    }

    static StateProto.VolumeUse use(VolumeUse use) {
        return StateProto.VolumeUse.newBuilder()
                .setVolume(Values.key(use.volume()))
                .setPluginId(use.pluginId().value())
                .setExternalVolumeId(use.externalVolumeId().value())
                .setAllocationId(use.allocationId().value())
                .setMode(use.mode().name())
                .setCapability(Parts.capability(use.capability()))
                .setLeaving(use.leaving())
                .build();
    }

    static List<VolumeUse> uses(List<StateProto.VolumeUse> rows) {
        return rows.stream()
                .map(row -> new VolumeUse(
                        Values.key(row.getVolume()),
                        PluginId.of(row.getPluginId()),
                        ExternalVolumeId.of(row.getExternalVolumeId()),
                        AllocationId.of(row.getAllocationId()),
                        Parts.name(ClaimMode.class, "mode", row.getMode()),
                        Parts.capability(row.getCapability()),
                        row.getLeaving()))
                .toList();
    }

    private static StateProto.NodeMachine machine(NodeMachine machine) {
        StateProto.NodeMachine.Builder row = StateProto.NodeMachine.newBuilder()
                .setPluginId(machine.pluginId().value())
                .setExternalNodeId(machine.externalNodeId().value())
                .setFenced(machine.fenced());
        for (NodeMachine.Former former : machine.former()) {
            row.addFormer(StateProto.NodeMachine.Former.newBuilder()
                    .setExternalNodeId(former.externalNodeId().value())
                    .setLost(former.lost()));
        }
        machine.statement().ifPresent(statement -> row.setStatement(Parts.override(statement)));
        return row.build();
    }

    private NodeMachine machine(StateProto.NodeMachine row) {
        return new NodeMachine(
                sharing.one(PluginId.of(row.getPluginId())),
                ExternalNodeId.of(row.getExternalNodeId()),
                row.getFenced(),
                row.getFormerList().stream()
                        .map(former ->
                                new NodeMachine.Former(ExternalNodeId.of(former.getExternalNodeId()), former.getLost()))
                        .toList(),
                row.hasStatement() ? Optional.of(Parts.override(row.getStatement())) : Optional.empty());
    }

    public static StateProto.Allocation allocation(Allocation allocation) {
        StateProto.Allocation.Builder builder = StateProto.Allocation.newBuilder()
                .setId(allocation.id().value())
                .setNamespace(allocation.namespace().value())
                .setNodeId(allocation.nodeId().value())
                .setStatus(allocation.status().name())
                .setCreateIndex(allocation.createIndex())
                .setModifyIndex(allocation.modifyIndex());
        allocation.account().map(AccountName::value).ifPresent(builder::setAccount);
        allocation.deployment().ifPresent(id -> builder.setDeployment(Parts.deploymentId(id)));
        return builder.build();
    }

    public Allocation allocation(StateProto.Allocation row) {
        return new Allocation(
                AllocationId.of(row.getId()),
                sharing.one(Namespace.of(row.getNamespace())),
                sharing.one(NodeId.of(row.getNodeId())),
                row.hasDeployment()
                        ? Optional.of(sharing.one(Parts.deploymentId(row.getDeployment())))
                        : Optional.empty(),
                Parts.name(AllocationStatus.class, "status", row.getStatus()),
                row.hasAccount() ? Optional.of(sharing.one(AccountName.of(row.getAccount()))) : Optional.empty(),
                row.getCreateIndex(),
                row.getModifyIndex());
    }

    public static StateProto.PluginDeployment deployment(PluginDeployment deployment) {
        StateProto.PluginDeployment.Builder builder =
                StateProto.PluginDeployment.newBuilder().setId(Parts.deploymentId(deployment.id()));
        deployment
                .expected()
                .forEach((pluginId, expected) -> builder.addExpected(StateProto.PluginDeployment.Expected.newBuilder()
                        .setPluginId(pluginId.value())
                        .setControllers(expected.controllers())
                        .setNodes(expected.nodes())));
        return builder.build();
    }

    public PluginDeployment deployment(StateProto.PluginDeployment row) {
        Map<PluginId, ExpectedInstances> expected = new TreeMap<>();
        row.getExpectedList()
                .forEach(one -> expected.put(
                        PluginId.of(one.getPluginId()), new ExpectedInstances(one.getControllers(), one.getNodes())));
        return PluginDeployment.of(Parts.deploymentId(row.getId()), expected);
    }

    public static StateProto.PluginFacts facts(PluginFacts facts) {
        StateProto.PluginFacts.Builder builder =
                StateProto.PluginFacts.newBuilder().setPluginId(facts.pluginId().value());
        facts.provider().ifPresent(builder::setProvider);
        facts.vendorVersion().ifPresent(builder::setVendorVersion);
        Values.capabilities(
                facts.capabilities(),
                builder::setServices,
                builder::setVolumeExpansion,
                builder::setControllerCapabilities,
                builder::setNodeCapabilities);
        facts.providerOverride().ifPresent(word -> builder.setProviderOverride(Parts.override(word)));
        return builder.build();
    }

    public PluginFacts facts(StateProto.PluginFacts row) {
        return new PluginFacts(
                PluginId.of(row.getPluginId()),
                row.hasProvider() ? Optional.of(row.getProvider()) : Optional.empty(),
                row.hasVendorVersion() ? Optional.of(row.getVendorVersion()) : Optional.empty(),
                Values.capabilities(
                        row.hasServices() ? row.getServices() : null,
                        row.hasVolumeExpansion() ? row.getVolumeExpansion() : null,
                        row.hasControllerCapabilities() ? row.getControllerCapabilities() : null,
                        row.hasNodeCapabilities() ? row.getNodeCapabilities() : null),
                row.hasProviderOverride() ? Optional.of(Parts.override(row.getProviderOverride())) : Optional.empty());
    }

    public static StateProto.PluginInstance instance(PluginInstance instance) {
        StateProto.PluginInstance.Builder builder = StateProto.PluginInstance.newBuilder()
                .setNodeId(instance.key().nodeId().value())
                .setPluginId(instance.key().pluginId().value())
                .setType(instance.key().type().name())
                .setHealthy(instance.healthy())
                .setHealthDescription(instance.healthDescription())
                .setStartedAt(Values.time(instance.startedAt()))
                .setUpdatedAt(Values.time(instance.updatedAt()));
        instance.key().allocationId().map(AllocationId::value).ifPresent(builder::setAllocationId);
        instance.provider().ifPresent(builder::setProvider);
        instance.vendorVersion().ifPresent(builder::setVendorVersion);
        Values.capabilities(
                instance.capabilities(),
                builder::setServices,
                builder::setVolumeExpansion,
                builder::setControllerCapabilities,
                builder::setNodeCapabilities);
        instance.nodeInfo().ifPresent(info -> builder.setNodeInfo(Values.nodeInfo(info)));
        return builder.setUnproved(!instance.proved()).build();
    }

    public PluginInstance instance(StateProto.PluginInstance row) {
        InstanceKey key = new InstanceKey(
                sharing.one(NodeId.of(row.getNodeId())),
                sharing.one(PluginId.of(row.getPluginId())),
                Parts.name(PluginType.class, "type", row.getType()),
                row.hasAllocationId() ? Optional.of(AllocationId.of(row.getAllocationId())) : Optional.empty());
        PluginInstance.Builder builder = PluginInstance.builder(key, Values.time(row.getStartedAt()))
                .updatedAt(Values.time(row.getUpdatedAt()))
                .health(row.getHealthy(), sharing.one(row.getHealthDescription()))
                .proved(!row.getUnproved())
                .capabilities(sharing.one(Values.capabilities(
                        row.hasServices() ? row.getServices() : null,
                        row.hasVolumeExpansion() ? row.getVolumeExpansion() : null,
                        row.hasControllerCapabilities() ? row.getControllerCapabilities() : null,
                        row.hasNodeCapabilities() ? row.getNodeCapabilities() : null)));
        if (row.hasProvider()) {
            builder.provider(sharing.one(row.getProvider()));
        }
        if (row.hasVendorVersion()) {
            builder.vendorVersion(sharing.one(row.getVendorVersion()));
        }
        if (row.hasNodeInfo()) {
            builder.nodeInfo(Values.nodeInfo(row.getNodeInfo(), sharing::one));
        }
        return builder.build();
    }

    public static StateProto.Leftover leftover(Leftover leftover) {
        StateProto.Leftover.Builder builder = StateProto.Leftover.newBuilder()
                .setPluginId(leftover.pluginId().value())
                .setExternalVolumeId(leftover.externalVolumeId().value())
                .setFormerVolume(Values.key(leftover.formerVolume()))
                .setForgotten(Parts.override(leftover.forgotten()))
                .setCreateIndex(leftover.createIndex());
        leftover.claims().forEach(claim -> builder.addClaims(VolumeParts.claim(claim)));
        leftover.attachments().forEach(attachment -> builder.addAttachments(VolumeParts.attachment(attachment)));
        return builder.build();
    }

    public Leftover leftover(StateProto.Leftover row) {
        if (!row.hasForgotten()) {
            throw new IllegalArgumentException(
                    "the leftover of volume " + row.getExternalVolumeId() + " does not say who forgot the volume");
        }
        VolumeParts parts = new VolumeParts(sharing);
        Leftover leftover = new Leftover(
                PluginId.of(row.getPluginId()),
                ExternalVolumeId.of(row.getExternalVolumeId()),
                Values.key(row.getFormerVolume()),
                Claims.of(row.getClaimsList().stream().map(parts::claim).toList()),
                Attachments.of(
                        row.getAttachmentsList().stream().map(parts::attachment).toList()),
                Parts.override(row.getForgotten()),
                row.getCreateIndex());
        if (leftover.claims().size() < row.getClaimsCount()
                || leftover.attachments().size() < row.getAttachmentsCount()) {
            throw new IllegalArgumentException("the leftover of volume " + row.getExternalVolumeId()
                    + " has two claims of one allocation, or two attachments on one node");
        }
        return leftover;
    }

    public static StateProto.WithdrawnCreation withdrawnCreation(WithdrawnCreation creation) {
        StateProto.WithdrawnCreation.Builder builder = StateProto.WithdrawnCreation.newBuilder()
                .setPluginId(creation.pluginId().value())
                .setName(creation.name())
                .setVolume(Values.key(creation.volume()))
                .setCreateIndex(creation.createIndex())
                .setLastCall(creation.lastCall())
                .setForecast(creation.forecast().name())
                .setWithdrawn(Parts.override(creation.withdrawn()));
        builder.setCountedBytes(creation.countedBytes());
        creation.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        creation.className().map(VolumeClassName::value).ifPresent(builder::setClassName);
        return builder.build();
    }

    public WithdrawnCreation withdrawnCreation(StateProto.WithdrawnCreation row) {
        if (!row.hasWithdrawn()) {
            throw new IllegalArgumentException(
                    "the withdrawn creation " + row.getName() + " does not say who withdrew it");
        }
        return new WithdrawnCreation(
                PluginId.of(row.getPluginId()),
                row.getName(),
                Values.key(row.getVolume()),
                row.getCreateIndex(),
                row.getLastCall(),
                row.hasExternalVolumeId()
                        ? Optional.of(ExternalVolumeId.of(row.getExternalVolumeId()))
                        : Optional.empty(),
                Parts.name(CreationForecast.class, "forecast", row.getForecast()),
                row.getCountedBytes(),
                row.hasClassName() ? Optional.of(VolumeClassName.of(row.getClassName())) : Optional.empty(),
                Parts.override(row.getWithdrawn()));
    }
}
