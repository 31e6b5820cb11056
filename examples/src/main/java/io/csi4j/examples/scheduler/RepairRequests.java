package io.csi4j.examples.scheduler;

import static io.csi4j.examples.scheduler.AdminRequests.join;
import static io.csi4j.examples.scheduler.AdminRequests.text;

import com.google.gson.JsonObject;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeOverride;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.lifecycle.OperatorActions;
import io.csi4j.core.lifecycle.OrphanedVolumes;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.WithdrawnCreation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The requests of operators about work that does not end by itself, and about differences to the provider. */
final class RepairRequests {
    private static final long PROVIDER_SECONDS = 120;

    private final VolumeLifecycle lifecycle;

    RepairRequests(VolumeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    private record DifferenceRow(String difference, String volume, String externalId, String node, String repair) {}

    private record OrphanRow(String externalId, String verdict) {}

    private record ProviderRow(String plugin, String provider, int conflicts) {}

    private record LeftoverRow(
            String plugin, String externalId, String formerVolume, List<String> onNodes, String forgotten) {}

    private record WithdrawnRow(
            String plugin, String name, String volume, String externalId, String forecast, String withdrawn) {}

    private record NodeChangeRow(String what, String volume, String allocation, String now) {}

    /** Performs a statement or request that is not about the row of one volume, and lists what it is about. */
    List<?> list(String op, JsonObject request) {
        OperatorActions operator = lifecycle.operator();
        return switch (op) {
            case "plugin reconcile" ->
                reconcile(PluginId.of(text(request, "plugin")), Boolean.parseBoolean(text(request, "repair")));
            case "plugin orphans" -> orphans(PluginId.of(text(request, "plugin")));
            case "plugin provider" -> setProvider(request);
            case "repair forget" -> forget(VolumeRequests.key(request), text(request, "reason"));
            case "repair withdraw-creation" -> withdrawCreation(VolumeRequests.key(request), text(request, "reason"));
            case "repair leftovers" -> leftovers();
            case "repair override-leftover" -> {
                join(operator.overrideLeftover(
                        new Leftover.Key(
                                PluginId.of(text(request, "plugin")), ExternalVolumeId.of(text(request, "externalId"))),
                        text(request, "reason")));
                yield leftovers();
            }
            case "repair withdrawn" -> withdrawn();
            case "repair forget-withdrawn" -> {
                join(operator.forgetWithdrawnCreation(
                        new WithdrawnCreation.Key(PluginId.of(text(request, "plugin")), text(request, "name")),
                        text(request, "reason")));
                yield withdrawn();
            }
            case "repair preview-node" -> changes(preview(request));
            case "repair override-node" -> {
                NodeOverride preview = preview(request);
                join(operator.overrideNode(preview, text(request, "reason")));
                yield changes(preview);
            }
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        };
    }

    private List<ProviderRow> setProvider(JsonObject request) {
        PluginId plugin = PluginId.of(text(request, "plugin"));
        join(lifecycle.operator().setProvider(plugin, text(request, "provider"), text(request, "reason")));
        return join(lifecycle.operator().plugin(plugin)).stream()
                .map(report -> new ProviderRow(
                        plugin.value(),
                        report.plugin().provider().orElse(""),
                        report.plugin().conflictCount()))
                .toList();
    }

    /** Removes a volume from the state, and lists what it may have left on nodes. */
    private List<LeftoverRow> forget(VolumeKey volume, String reason) {
        join(lifecycle.operator().forgetVolume(volume, reason));
        return leftovers().stream()
                .filter(row -> row.formerVolume().equals(volume.toString()))
                .toList();
    }

    /** Gives a creation up, and lists the record of what it may have made. */
    private List<WithdrawnRow> withdrawCreation(VolumeKey volume, String reason) {
        return join(lifecycle.operator().withdrawCreation(volume, reason)).stream()
                .map(RepairRequests::row)
                .toList();
    }

    private List<LeftoverRow> leftovers() {
        return join(lifecycle.operator().leftovers()).stream()
                .map(RepairRequests::row)
                .toList();
    }

    private static LeftoverRow row(Leftover leftover) {
        List<String> onNodes = new ArrayList<>();
        leftover.claims()
                .forEach(claim ->
                        onNodes.add(claim.nodeId() + " may have it mounted for allocation " + claim.allocationId()));
        leftover.attachments().forEach(attachment -> onNodes.add(attachment.nodeId() + " may have it attached"));
        return new LeftoverRow(
                leftover.pluginId().value(),
                leftover.externalVolumeId().toString(),
                leftover.formerVolume().toString(),
                onNodes,
                word(leftover.forgotten()));
    }

    private List<WithdrawnRow> withdrawn() {
        return join(lifecycle.operator().withdrawnCreations()).stream()
                .map(RepairRequests::row)
                .toList();
    }

    private static WithdrawnRow row(WithdrawnCreation creation) {
        return new WithdrawnRow(
                creation.pluginId().value(),
                creation.name(),
                creation.volume().toString(),
                creation.externalVolumeId().map(ExternalVolumeId::toString).orElse(""),
                creation.forecast().name(),
                word(creation.withdrawn()));
    }

    private static String word(OperatorOverride statement) {
        return statement.operator() + " at " + statement.at() + ": " + statement.reason();
    }

    private NodeOverride preview(JsonObject request) {
        String statement = text(request, "statement");
        NodeStatement known = Arrays.stream(NodeStatement.values())
                .filter(value -> value.name().equals(statement))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no statement '" + statement
                        + "'; the statements are " + List.of(NodeStatement.values())));
        return join(lifecycle.operator().previewNode(NodeId.of(text(request, "node")), known));
    }

    private static List<NodeChangeRow> changes(NodeOverride preview) {
        List<NodeChangeRow> rows = new ArrayList<>();
        preview.claims()
                .forEach(claim -> rows.add(new NodeChangeRow(
                        "claim",
                        claim.volume().toString(),
                        claim.allocationId().value(),
                        claim.state() + (claim.allocationEnded() ? "" : ", and its allocation has not ended"))));
        preview.attachments()
                .forEach(attachment -> rows.add(new NodeChangeRow(
                        "attachment",
                        attachment.volume().toString(),
                        "",
                        attachment.state()
                                + attachment
                                        .externalNodeId()
                                        .map(id -> " to " + id)
                                        .orElse(""))));
        preview.machines()
                .forEach(machine -> rows.add(new NodeChangeRow(
                        "machine",
                        "",
                        "",
                        machine.former() + " of plugin " + machine.pluginId() + ", now " + machine.present())));
        return rows;
    }

    /** Performs a statement or request about one volume. */
    void perform(String op, VolumeKey volume, JsonObject request) {
        OperatorActions operator = lifecycle.operator();
        switch (op) {
            case "repair override-claim" ->
                join(operator.overrideClaim(
                        volume, AllocationId.of(text(request, "allocation")), text(request, "reason")));
            case "repair override-attachment" ->
                join(operator.overrideAttachment(volume, NodeId.of(text(request, "node")), text(request, "reason")));
            case "repair forget-unmount" ->
                join(operator.forgetUnmount(
                        volume,
                        NodeId.of(text(request, "node")),
                        AllocationId.of(text(request, "allocation")),
                        text(request, "reason")));
            case "repair withdraw-deletion" -> atProvider(operator.withdrawDeletion(volume));
            case "repair withdraw-expansion" -> atProvider(operator.withdrawExpansion(volume));
            case "repair recheck" -> join(operator.recheck(volume));
            default -> throw new IllegalArgumentException("there is no request '" + op + "'");
        }
    }

    private static <T> T atProvider(CompletableFuture<T> operation) {
        return operation.orTimeout(PROVIDER_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Compares the attachments at the provider with the state, and repairs the differences on request. */
    private List<DifferenceRow> reconcile(PluginId plugin, boolean repair) {
        return atProvider(lifecycle.operator().reconcile(plugin, repair)).stream()
                .map(difference -> new DifferenceRow(
                        difference.kind().name(),
                        difference.volume().toString(),
                        difference.externalVolumeId().toString(),
                        difference.externalNodeId().toString(),
                        difference.repair().map(Enum::name).orElse("")))
                .toList();
    }

    /** Lists the volumes at the provider that no volume of the state refers to. */
    private List<OrphanRow> orphans(PluginId plugin) {
        OrphanedVolumes found = atProvider(lifecycle.operator().orphanedVolumes(plugin));
        List<OrphanRow> rows = new ArrayList<>();
        found.orphaned().forEach(id -> rows.add(new OrphanRow(id.toString(), "orphaned")));
        found.undecided()
                .forEach(id -> rows.add(
                        new OrphanRow(id.toString(), "undecided until these are created: " + found.unresolved())));
        return rows;
    }
}
