package io.csi4j.state.internal.codec;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.CreationForecast;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Sharing;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.proto.state.v1.StateProto;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Decodes all rows of the state except volumes. */
public final class RowsFromProto {
    private final Sharing sharing;

    public RowsFromProto(Sharing sharing) {
        this.sharing = sharing;
    }

    public Node node(StateProto.Node row) {
        return new Node(
                NodeId.of(row.getId()),
                PartsFromProto.name(NodeStatus.class, "status", row.getStatus()),
                PartsFromProto.time(row.getSince()),
                row.getReason(),
                row.getModifyIndex(),
                row.getFingerprint(),
                row.getMachinesList().stream().map(this::machine).toList(),
                row.hasLedger()
                        ? new NodeLedger(
                                row.getLedger().getMissingSince(),
                                row.getLedger().getUnclaimedList().stream()
                                        .map(RowsFromProto::report)
                                        .toList())
                        : NodeLedger.settled());
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
                row.hasStatement() ? Optional.of(PartsFromProto.override(row.getStatement())) : Optional.empty());
    }

    static LedgerReport report(StateProto.LedgerReport row) {
        return new LedgerReport(
                uses(row.getUsesList()),
                row.getUnclearList().stream().map(RowsFromProto::key).toList(),
                row.hasMachines() ? Optional.of(machines(row.getMachines())) : Optional.empty());
    }

    private static Map<PluginId, ExternalNodeId> machines(StateProto.MachineIds row) {
        Map<PluginId, ExternalNodeId> ids = new HashMap<>();
        row.getPluginsList()
                .forEach(one -> ids.put(PluginId.of(one.getPluginId()), ExternalNodeId.of(one.getExternalNodeId())));
        return ids;
    }

    static List<VolumeUse> uses(List<StateProto.VolumeUse> rows) {
        return rows.stream()
                .map(row -> new VolumeUse(
                        key(row.getVolume()),
                        PluginId.of(row.getPluginId()),
                        ExternalVolumeId.of(row.getExternalVolumeId()),
                        AllocationId.of(row.getAllocationId()),
                        PartsFromProto.name(ClaimMode.class, "mode", row.getMode()),
                        PartsFromProto.capability(row.getCapability()),
                        row.getLeaving()))
                .toList();
    }

    private static VolumeKey key(StateProto.VolumeName row) {
        return VolumeKey.of(row.getNamespace(), row.getVolumeId());
    }

    public Allocation allocation(StateProto.Allocation row) {
        return new Allocation(
                AllocationId.of(row.getId()),
                sharing.one(Namespace.of(row.getNamespace())),
                sharing.one(NodeId.of(row.getNodeId())),
                row.hasDeployment()
                        ? Optional.of(sharing.one(PartsFromProto.deploymentId(row.getDeployment())))
                        : Optional.empty(),
                PartsFromProto.name(AllocationStatus.class, "status", row.getStatus()),
                row.getModifyIndex());
    }

    public PluginDeployment deployment(StateProto.PluginDeployment row) {
        Map<PluginId, ExpectedInstances> expected = new TreeMap<>();
        row.getExpectedList()
                .forEach(one -> expected.put(
                        PluginId.of(one.getPluginId()), new ExpectedInstances(one.getControllers(), one.getNodes())));
        return PluginDeployment.of(PartsFromProto.deploymentId(row.getId()), expected);
    }

    public PluginFacts facts(StateProto.PluginFacts row) {
        PluginFacts.Builder builder = PluginFacts.builder(PluginId.of(row.getPluginId()));
        if (row.hasProvider()) {
            builder.provider(row.getProvider());
        }
        if (row.hasVendorVersion()) {
            builder.vendorVersion(row.getVendorVersion());
        }
        if (row.hasServices()) {
            builder.services(PartsFromProto.capabilities(PluginService.class, row.getServices()));
        }
        if (row.hasControllerCapabilities()) {
            builder.controllerCapabilities(
                    PartsFromProto.capabilities(ControllerCapability.class, row.getControllerCapabilities()));
        }
        if (row.hasNodeCapabilities()) {
            builder.nodeCapabilities(PartsFromProto.capabilities(NodeCapability.class, row.getNodeCapabilities()));
        }
        if (row.hasVolumeExpansion()) {
            builder.volumeExpansion(PartsFromProto.capabilities(VolumeExpansion.class, row.getVolumeExpansion()));
        }
        if (row.hasProviderOverride()) {
            builder.providerOverride(PartsFromProto.override(row.getProviderOverride()));
        }
        return builder.build();
    }

    public PluginInstance instance(StateProto.PluginInstance row) {
        InstanceKey key = new InstanceKey(
                sharing.one(NodeId.of(row.getNodeId())),
                sharing.one(PluginId.of(row.getPluginId())),
                PartsFromProto.name(PluginType.class, "type", row.getType()),
                row.hasAllocationId() ? Optional.of(AllocationId.of(row.getAllocationId())) : Optional.empty());
        PluginInstance.Builder builder = PluginInstance.builder(key, PartsFromProto.time(row.getStartedAt()))
                .updatedAt(PartsFromProto.time(row.getUpdatedAt()))
                .health(row.getHealthy(), sharing.one(row.getHealthDescription()));
        if (row.hasProvider()) {
            builder.provider(sharing.one(row.getProvider()));
        }
        if (row.hasVendorVersion()) {
            builder.vendorVersion(sharing.one(row.getVendorVersion()));
        }
        if (row.hasServices()) {
            builder.services(sharing.one(PartsFromProto.capabilities(PluginService.class, row.getServices())));
        }
        if (row.hasControllerCapabilities()) {
            builder.controllerCapabilities(sharing.one(
                    PartsFromProto.capabilities(ControllerCapability.class, row.getControllerCapabilities())));
        }
        if (row.hasNodeCapabilities()) {
            builder.nodeCapabilities(
                    sharing.one(PartsFromProto.capabilities(NodeCapability.class, row.getNodeCapabilities())));
        }
        if (row.hasVolumeExpansion()) {
            builder.volumeExpansion(
                    sharing.one(PartsFromProto.capabilities(VolumeExpansion.class, row.getVolumeExpansion())));
        }
        if (row.hasNodeInfo()) {
            builder.nodeInfo(nodeInfo(row.getNodeInfo()));
        }
        return builder.build();
    }

    public Leftover leftover(StateProto.Leftover row) {
        if (!row.hasForgotten()) {
            throw new IllegalArgumentException(
                    "the leftover of volume " + row.getExternalVolumeId() + " does not say who forgot the volume");
        }
        VolumePartsFromProto parts = new VolumePartsFromProto(sharing);
        Leftover leftover = new Leftover(
                PluginId.of(row.getPluginId()),
                ExternalVolumeId.of(row.getExternalVolumeId()),
                PartsFromProto.key(row.getFormerVolume()),
                Claims.of(row.getClaimsList().stream().map(parts::claim).toList()),
                Attachments.of(
                        row.getAttachmentsList().stream().map(parts::attachment).toList()),
                PartsFromProto.override(row.getForgotten()),
                row.getCreateIndex());
        if (leftover.claims().size() < row.getClaimsCount()
                || leftover.attachments().size() < row.getAttachmentsCount()) {
            throw new IllegalArgumentException("the leftover of volume " + row.getExternalVolumeId()
                    + " has two claims of one allocation, or two attachments on one node");
        }
        return leftover;
    }

    public WithdrawnCreation withdrawnCreation(StateProto.WithdrawnCreation row) {
        if (!row.hasWithdrawn()) {
            throw new IllegalArgumentException(
                    "the withdrawn creation " + row.getName() + " does not say who withdrew it");
        }
        return new WithdrawnCreation(
                PluginId.of(row.getPluginId()),
                row.getName(),
                PartsFromProto.key(row.getVolume()),
                row.getCreateIndex(),
                row.getLastCall(),
                row.hasExternalVolumeId()
                        ? Optional.of(ExternalVolumeId.of(row.getExternalVolumeId()))
                        : Optional.empty(),
                PartsFromProto.name(CreationForecast.class, "forecast", row.getForecast()),
                PartsFromProto.override(row.getWithdrawn()));
    }

    private NodeInfo nodeInfo(StateProto.NodeInfo info) {
        return new NodeInfo(
                ExternalNodeId.of(info.getExternalNodeId()),
                info.getMaxVolumesPerNode(),
                info.hasAccessibleTopology()
                        ? Optional.of(sharing.one(PartsFromProto.topology(info.getAccessibleTopology())))
                        : Optional.empty());
    }
}
