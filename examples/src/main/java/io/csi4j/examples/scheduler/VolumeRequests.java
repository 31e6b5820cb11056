package io.csi4j.examples.scheduler;

import static io.csi4j.examples.scheduler.AdminRequests.text;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.SnapshotRequest;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The requests of operators about volumes. The answers are made from csi4j's views, so they have no secrets, contexts,
 * parameters or mount flags.
 */
final class VolumeRequests {
    private static final long PROGRESS_SECONDS = 1;

    private final VolumeLifecycle lifecycle;
    private final RepairRequests repairs;
    private final VolumeRows rows;
    private final Gson gson = new Gson();

    VolumeRequests(VolumeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
        this.repairs = new RepairRequests(lifecycle);
        this.rows = new VolumeRows(lifecycle);
    }

    private record StatusRow(
            String volume,
            String plugin,
            String externalId,
            String phase,
            long capacityBytes,
            String lastError,
            List<ClaimRow> claims,
            List<AttachmentRow> attachments,
            List<String> waiting,
            List<String> remaining,
            List<String> failures) {}

    private record ClaimRow(
            String allocation, String node, String mode, String state, int attempts, String lastError) {}

    private record AttachmentRow(String node, String state, int attempts, String lastError) {}

    private record DetachRow(
            String volume, String node, boolean detached, List<String> freed, List<String> held, List<String> waits) {}

    private record SnapshotRow(String snapshot, String volume, long sizeBytes, boolean ready) {}

    JsonElement answer(String op, JsonObject request, Consumer<String> progress) throws Exception {
        return gson.toJsonTree(
                switch (op) {
                    case "volume list" -> rows.list();
                    case "volume status" -> status(key(request));
                    case "volume create" -> create(key(request), request, progress);
                    case "volume register" -> register(key(request), request, progress);
                    case "volume detach" -> detach(key(request), NodeId.of(text(request, "node")), progress);
                    case "volume delete" -> delete(key(request), progress);
                    case "volume expand" -> expand(key(request), request, progress);
                    case "volume snapshot" -> snapshot(key(request), text(request, "name"), progress);
                    case "snapshot delete" -> deleteSnapshot(SnapshotId.of(text(request, "snapshot")));
                    case "snapshot list" -> snapshots();
                    case "repair override-claim",
                            "repair override-attachment",
                            "repair forget-unmount",
                            "repair withdraw-deletion",
                            "repair withdraw-expansion",
                            "repair recheck" -> {
                        repairs.perform(op, key(request), request);
                        yield status(key(request));
                    }
                    default -> repairs.list(op, request);
                });
    }

    /** Reads the key of a volume: {@code NAMESPACE/ID}, or only {@code ID} for a volume in the namespace of the jobs. */
    static VolumeKey key(JsonObject request) {
        String text = text(request, "volume");
        return text.indexOf('/') < 0 ? VolumeKey.of(JobFile.NAMESPACE.value(), text) : VolumeKey.parse(text);
    }

    /** Waits for an operation, and reports the state of its volume while it runs. */
    private <T> T await(VolumeKey key, CompletableFuture<T> operation, Consumer<String> progress)
            throws ExecutionException, InterruptedException {
        String last = "";
        while (true) {
            try {
                return operation.get(PROGRESS_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                String state = lifecycle
                        .claims()
                        .status(key)
                        .join()
                        .map(VolumeRequests::progress)
                        .orElse("not in the state");
                if (!state.equals(last)) {
                    progress.accept("volume " + key + " is " + state);
                    last = state;
                }
            }
        }
    }

    private static String progress(VolumeStatus status) {
        Volume volume = status.view().volume();
        String error =
                volume.retry().lastError().map(text -> "; last error: " + text).orElse("");
        return volume.phase() + (volume.expansion().isPresent() ? ", being expanded" : "") + error + remaining(status);
    }

    private static String remaining(VolumeStatus status) {
        List<String> waits = waits(status.remaining().waits());
        return waits.isEmpty() ? "" : "; waits: " + String.join(", ", waits);
    }

    private static List<String> waits(List<io.csi4j.core.volume.RemainingWork.Wait> waits) {
        return waits.stream()
                .map(wait -> wait.reason()
                        + wait.nodeId().map(node -> " on " + node).orElse("")
                        + wait.allocationId().map(id -> " for " + id).orElse(""))
                .toList();
    }

    private StatusRow status(VolumeKey key) {
        VolumeStatus status = lifecycle
                .claims()
                .status(key)
                .join()
                .orElseThrow(() -> new IllegalStateException(
                        "volume " + key + " is not in the state; 'csi volume list' has the volumes"));
        Volume volume = status.view().volume();
        List<ClaimRow> claims = new ArrayList<>();
        volume.claims()
                .forEach(claim -> claims.add(new ClaimRow(
                        claim.allocationId().value(),
                        claim.nodeId().value(),
                        claim.mode().name(),
                        claim.state().name(),
                        claim.retry().attempts(),
                        claim.retry().lastError().orElse(""))));
        List<AttachmentRow> attachments = new ArrayList<>();
        volume.attachments()
                .forEach(attachment -> attachments.add(new AttachmentRow(
                        attachment.nodeId().value(),
                        attachment.state().name(),
                        attachment.retry().attempts(),
                        attachment.retry().lastError().orElse(""))));
        Instant now = Instant.now();
        return new StatusRow(
                key.toString(),
                volume.pluginId().value(),
                volume.facts()
                        .externalVolumeId()
                        .map(ExternalVolumeId::toString)
                        .orElse(""),
                volume.phase().name(),
                volume.facts().capacityBytes(),
                volume.retry().lastError().orElse(""),
                claims,
                attachments,
                status.waiting().stream()
                        .map(claim ->
                                claim.allocationId() + " for " + claim.age(now).toSeconds() + " s: " + claim.text())
                        .toList(),
                waits(status.remaining().waits()),
                status.failures().stream()
                        .map(failure -> failure.failures() + " times since " + failure.since() + ": " + failure.text())
                        .toList());
    }

    private static VolumeSpec.Builder spec(JsonObject request) {
        VolumeAccessMode mode = JobFile.accessMode(text(request, "mode"));
        return VolumeSpec.builder(PluginId.of(text(request, "plugin")))
                .requestedCapabilities(List.of(RequestedCapability.mount(mode)));
    }

    private StatusRow create(VolumeKey key, JsonObject request, Consumer<String> progress) throws Exception {
        VolumeSpec.Builder spec =
                spec(request).capacityRange(CapacityRange.atLeast(Sizes.bytes(text(request, "size"))));
        if (request.has("fromSnapshot") && !text(request, "fromSnapshot").isEmpty()) {
            spec.contentSource(VolumeContentSource.snapshot(SnapshotId.of(text(request, "fromSnapshot"))));
        }
        await(key, lifecycle.volumes().create(key, spec.build()), progress);
        return status(key);
    }

    private StatusRow register(VolumeKey key, JsonObject request, Consumer<String> progress) throws Exception {
        VolumeSpec spec = spec(request)
                .externalVolumeId(ExternalVolumeId.of(text(request, "externalId")))
                .build();
        await(key, lifecycle.volumes().register(key, spec), progress);
        return status(key);
    }

    private DetachRow detach(VolumeKey key, NodeId node, Consumer<String> progress) throws Exception {
        DetachReport report = await(key, lifecycle.operator().detach(key, node), progress);
        return new DetachRow(
                key.toString(),
                node.value(),
                report.detached(),
                report.freed().stream().map(id -> id.value()).toList(),
                report.held().stream()
                        .map(claim -> claim.allocationId().value())
                        .toList(),
                waits(report.waits()));
    }

    private JsonObject delete(VolumeKey key, Consumer<String> progress) throws Exception {
        await(key, lifecycle.volumes().delete(key), progress);
        return done("deleted", key.toString());
    }

    private static JsonObject done(String name, String id) {
        JsonObject done = new JsonObject();
        done.addProperty(name, id);
        return done;
    }

    private StatusRow expand(VolumeKey key, JsonObject request, Consumer<String> progress) throws Exception {
        CapacityRange range = CapacityRange.atLeast(Sizes.bytes(text(request, "size")));
        ExpandResult result = await(key, lifecycle.volumes().expand(key, range), progress);
        progress.accept("the volume has " + result.volume().facts().capacityBytes() + " bytes; nodes follow");
        for (ExpandResult.NodePart node : await(key, result.nodes(), progress)) {
            progress.accept("on " + node.nodeId() + ": " + node.error().orElse("expanded"));
        }
        return status(key);
    }

    private SnapshotRow snapshot(VolumeKey key, String name, Consumer<String> progress) throws Exception {
        Snapshot snapshot = await(key, lifecycle.snapshots().create(SnapshotRequest.of(key, name)), progress);
        return new SnapshotRow(
                snapshot.snapshotId().toString(), key.toString(), snapshot.sizeBytes(), snapshot.readyToUse());
    }

    private List<SnapshotRow> snapshots() {
        List<SnapshotRow> rows = new ArrayList<>();
        Set<String> tokens = new HashSet<>();
        String token = "";
        do {
            ExternalPage<Snapshot> page = lifecycle
                    .snapshots()
                    .list(ClusterLayout.PLUGIN, Optional.empty(), 0, token)
                    .join();
            page.entries()
                    .forEach(snapshot -> rows.add(new SnapshotRow(
                            snapshot.snapshotId().toString(),
                            snapshot.sourceVolumeId().toString(),
                            snapshot.sizeBytes(),
                            snapshot.readyToUse())));
            token = page.nextToken();
            if (!tokens.add(token)) {
                throw new IllegalStateException(
                        "plugin " + ClusterLayout.PLUGIN + " repeats a page of its snapshots; its list has no end");
            }
        } while (!token.isEmpty());
        return rows;
    }

    private JsonObject deleteSnapshot(SnapshotId id) {
        lifecycle.snapshots().delete(ClusterLayout.PLUGIN, id).join();
        return done("deleted", id.toString());
    }
}
