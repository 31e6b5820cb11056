package io.csi4j.examples.scheduler;

import static io.csi4j.examples.scheduler.AdminRequests.join;
import static io.csi4j.examples.scheduler.AdminRequests.text;

import com.google.gson.JsonObject;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.OperatorActions;
import io.csi4j.core.lifecycle.OrphanedVolumes;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.util.ArrayList;
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
    List<DifferenceRow> reconcile(PluginId plugin, boolean repair) {
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
    List<OrphanRow> orphans(PluginId plugin) {
        OrphanedVolumes found = atProvider(lifecycle.operator().orphanedVolumes(plugin));
        List<OrphanRow> rows = new ArrayList<>();
        found.orphaned().forEach(id -> rows.add(new OrphanRow(id.toString(), "orphaned")));
        found.undecided()
                .forEach(id -> rows.add(
                        new OrphanRow(id.toString(), "undecided until these are created: " + found.unresolved())));
        return rows;
    }
}
