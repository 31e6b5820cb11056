package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Queries the usage and the health of a published volume (R92, R104). */
final class HealthSteps {
    private final Session session;
    private final NodeSteps node;

    HealthSteps(Session session, NodeSteps node) {
        this.session = session;
        this.node = node;
    }

    void check(Path target) {
        stats(target);
        volumeOnNode(target);
        storage();
        volumeAtController();
        list();
    }

    private void stats(Path target) {
        if (!session.offers(NodeCapability.GET_VOLUME_STATS, Rpc.NODE_GET_VOLUME_STATS)) {
            return;
        }
        NodeGetVolumeStatsRequest.Builder request =
                NodeGetVolumeStatsRequest.builder(node.volume().id(), target.toString());
        node.stagingPath().ifPresent(staging -> request.stagingTargetPath(staging.toString()));
        session.optional(() -> session.steps()
                .call(
                        Rpc.NODE_GET_VOLUME_STATS,
                        () -> session.plugin().node().nodeGetVolumeStats(request.build()),
                        HealthSteps::text));
    }

    private static String text(NodeGetVolumeStatsResponse stats) {
        String usage = stats.usage().stream().map(HealthSteps::text).collect(Collectors.joining(", "));
        return (usage.isEmpty() ? "no usage given" : usage) + HealthText.text(stats.volumeCondition());
    }

    private static String text(VolumeUsage usage) {
        return usage.unit() == VolumeUsageUnit.BYTES
                ? Quantities.text(usage.used()) + " of " + Quantities.text(usage.total()) + " used"
                : usage.used() + " of " + usage.total() + " "
                        + usage.unit().name().toLowerCase(java.util.Locale.ROOT);
    }

    private void volumeOnNode(Path target) {
        if (!session.offers(NodeCapability.GET_VOLUME_HEALTH, Rpc.NODE_GET_VOLUME_HEALTH)) {
            return;
        }
        NodeGetVolumeHealthRequest.Builder request =
                NodeGetVolumeHealthRequest.builder(node.volume().id()).volumePublishPath(target.toString());
        node.stagingPath().ifPresent(staging -> request.stagingTargetPath(staging.toString()));
        session.optional(() -> session.steps()
                .call(
                        Rpc.NODE_GET_VOLUME_HEALTH,
                        () -> session.plugin().node().nodeGetVolumeHealth(request.build()),
                        answer -> HealthText.health(answer.volumeHealth())));
    }

    private void storage() {
        if (!session.offers(NodeCapability.GET_STORAGE_HEALTH, Rpc.NODE_GET_STORAGE_HEALTH)) {
            return;
        }
        NodeGetStorageHealthRequest request = NodeGetStorageHealthRequest.builder()
                .secrets(session.options().secrets())
                .build();
        session.optional(() -> session.steps()
                .call(
                        Rpc.NODE_GET_STORAGE_HEALTH,
                        () -> session.plugin().node().nodeGetStorageHealth(request),
                        answer -> text(answer.backendHealth())));
    }

    private static String text(List<StorageBackendHealth> backends) {
        return backends.isEmpty()
                ? "healthy"
                : backends.stream()
                        .map(backend -> backend.status() + " " + backend.reason() + ": " + backend.message())
                        .collect(Collectors.joining("; "));
    }

    private void volumeAtController() {
        if (!session.offers(ControllerCapability.GET_VOLUME_HEALTH, Rpc.CONTROLLER_GET_VOLUME_HEALTH)) {
            return;
        }
        ControllerGetVolumeHealthRequest request = ControllerGetVolumeHealthRequest.builder(
                        node.volume().id())
                .secrets(session.options().secrets())
                .build();
        session.optional(() -> session.steps()
                .call(
                        Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                        () -> session.plugin().controller().controllerGetVolumeHealth(request),
                        answer -> HealthText.health(answer.volumeHealth())));
    }

    private void list() {
        if (!session.offers(ControllerCapability.LIST_VOLUME_HEALTH, Rpc.CONTROLLER_LIST_VOLUME_HEALTH)) {
            return;
        }
        session.optional(() -> session.steps()
                .call(
                        Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                        () -> Pages.volumeHealth(
                                session.plugin().controller(), session.options().secrets()),
                        abnormal -> abnormal.size() + " abnormal volumes"));
    }
}
