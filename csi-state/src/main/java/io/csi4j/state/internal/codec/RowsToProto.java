package io.csi4j.state.internal.codec;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.core.volume.WithdrawnCreation;
import io.csi4j.proto.state.v1.StateProto;

/** Encodes all rows of the state except volumes. */
public final class RowsToProto {
    private RowsToProto() {}

    public static StateProto.Node node(Node node) {
        StateProto.Node.Builder builder = StateProto.Node.newBuilder()
                .setId(node.id().value())
                .setStatus(node.status().name())
                .setSince(PartsToProto.time(node.since()))
                .setReason(node.reason())
                .setModifyIndex(node.modifyIndex())
                .setFingerprint(node.fingerprint())
                .addAllMachines(
                        node.machines().stream().map(RowsToProto::machine).toList());
        if (!node.ledger().isSettled()) {
            builder.setLedger(StateProto.NodeLedger.newBuilder()
                    .setMissingSince(node.ledger().missingSince())
                    .addAllUnclaimed(node.ledger().unclaimed().stream()
                            .map(RowsToProto::report)
                            .toList()));
        }
        return builder.build();
    }

    public static StateProto.LedgerReport report(LedgerReport report) {
        StateProto.LedgerReport.Builder builder = StateProto.LedgerReport.newBuilder();
        report.uses().forEach(use -> builder.addUses(use(use)));
        report.unclear().forEach(volume -> builder.addUnclear(name(volume)));
        report.machines().ifPresent(ids -> {
            StateProto.MachineIds.Builder machines = builder.getMachinesBuilder();
            ids.forEach((plugin, id) ->
                    machines.addPluginsBuilder().setPluginId(plugin.value()).setExternalNodeId(id.value()));
        });
        return builder.build();
    }

    static StateProto.VolumeUse use(VolumeUse use) {
        return StateProto.VolumeUse.newBuilder()
                .setVolume(name(use.volume()))
                .setPluginId(use.pluginId().value())
                .setExternalVolumeId(use.externalVolumeId().value())
                .setAllocationId(use.allocationId().value())
                .setMode(use.mode().name())
                .setCapability(PartsToProto.capability(use.capability()))
                .setLeaving(use.leaving())
                .build();
    }

    private static StateProto.VolumeName name(VolumeKey key) {
        return StateProto.VolumeName.newBuilder()
                .setNamespace(key.namespace().value())
                .setVolumeId(key.volumeId().value())
                .build();
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
        machine.statement().ifPresent(statement -> row.setStatement(PartsToProto.override(statement)));
        return row.build();
    }

    public static StateProto.Allocation allocation(Allocation allocation) {
        StateProto.Allocation.Builder builder = StateProto.Allocation.newBuilder()
                .setId(allocation.id().value())
                .setNamespace(allocation.namespace().value())
                .setNodeId(allocation.nodeId().value())
                .setStatus(allocation.status().name())
                .setModifyIndex(allocation.modifyIndex());
        allocation.deployment().ifPresent(id -> builder.setDeployment(PartsToProto.deploymentId(id)));
        return builder.build();
    }

    public static StateProto.PluginDeployment deployment(PluginDeployment deployment) {
        StateProto.PluginDeployment.Builder builder =
                StateProto.PluginDeployment.newBuilder().setId(PartsToProto.deploymentId(deployment.id()));
        deployment
                .expected()
                .forEach((pluginId, expected) -> builder.addExpected(StateProto.PluginDeployment.Expected.newBuilder()
                        .setPluginId(pluginId.value())
                        .setControllers(expected.controllers())
                        .setNodes(expected.nodes())));
        return builder.build();
    }

    public static StateProto.PluginFacts facts(PluginFacts facts) {
        StateProto.PluginFacts.Builder builder =
                StateProto.PluginFacts.newBuilder().setPluginId(facts.pluginId().value());
        facts.provider().ifPresent(builder::setProvider);
        facts.vendorVersion().ifPresent(builder::setVendorVersion);
        facts.services().ifPresent(set -> builder.setServices(PartsToProto.capabilities(set)));
        facts.controllerCapabilities()
                .ifPresent(set -> builder.setControllerCapabilities(PartsToProto.capabilities(set)));
        facts.nodeCapabilities().ifPresent(set -> builder.setNodeCapabilities(PartsToProto.capabilities(set)));
        facts.volumeExpansion().ifPresent(set -> builder.setVolumeExpansion(PartsToProto.capabilities(set)));
        facts.providerOverride().ifPresent(word -> builder.setProviderOverride(PartsToProto.override(word)));
        return builder.build();
    }

    public static StateProto.PluginInstance instance(PluginInstance instance) {
        StateProto.PluginInstance.Builder builder = StateProto.PluginInstance.newBuilder()
                .setNodeId(instance.key().nodeId().value())
                .setPluginId(instance.key().pluginId().value())
                .setType(instance.key().type().name())
                .setHealthy(instance.healthy())
                .setHealthDescription(instance.healthDescription())
                .setStartedAt(PartsToProto.time(instance.startedAt()))
                .setUpdatedAt(PartsToProto.time(instance.updatedAt()));
        instance.key().allocationId().map(AllocationId::value).ifPresent(builder::setAllocationId);
        instance.provider().ifPresent(builder::setProvider);
        instance.vendorVersion().ifPresent(builder::setVendorVersion);
        instance.services().ifPresent(set -> builder.setServices(PartsToProto.capabilities(set)));
        instance.controllerCapabilities()
                .ifPresent(set -> builder.setControllerCapabilities(PartsToProto.capabilities(set)));
        instance.nodeCapabilities().ifPresent(set -> builder.setNodeCapabilities(PartsToProto.capabilities(set)));
        instance.volumeExpansion().ifPresent(set -> builder.setVolumeExpansion(PartsToProto.capabilities(set)));
        instance.nodeInfo().ifPresent(info -> builder.setNodeInfo(nodeInfo(info)));
        return builder.build();
    }

    public static StateProto.Leftover leftover(Leftover leftover) {
        StateProto.Leftover.Builder builder = StateProto.Leftover.newBuilder()
                .setPluginId(leftover.pluginId().value())
                .setExternalVolumeId(leftover.externalVolumeId().value())
                .setFormerVolume(PartsToProto.name(leftover.formerVolume()))
                .setForgotten(PartsToProto.override(leftover.forgotten()))
                .setCreateIndex(leftover.createIndex());
        leftover.claims().forEach(claim -> builder.addClaims(VolumePartsToProto.claim(claim)));
        leftover.attachments().forEach(attachment -> builder.addAttachments(VolumePartsToProto.attachment(attachment)));
        return builder.build();
    }

    public static StateProto.WithdrawnCreation withdrawnCreation(WithdrawnCreation creation) {
        StateProto.WithdrawnCreation.Builder builder = StateProto.WithdrawnCreation.newBuilder()
                .setPluginId(creation.pluginId().value())
                .setName(creation.name())
                .setVolume(PartsToProto.name(creation.volume()))
                .setCreateIndex(creation.createIndex())
                .setLastCall(creation.lastCall())
                .setForecast(creation.forecast().name())
                .setWithdrawn(PartsToProto.override(creation.withdrawn()));
        creation.externalVolumeId().map(ExternalVolumeId::value).ifPresent(builder::setExternalVolumeId);
        return builder.build();
    }

    private static StateProto.NodeInfo nodeInfo(NodeInfo info) {
        StateProto.NodeInfo.Builder builder = StateProto.NodeInfo.newBuilder()
                .setExternalNodeId(info.externalNodeId().value())
                .setMaxVolumesPerNode(info.maxVolumesPerNode());
        info.accessibleTopology().ifPresent(topology -> builder.setAccessibleTopology(PartsToProto.topology(topology)));
        return builder.build();
    }
}
