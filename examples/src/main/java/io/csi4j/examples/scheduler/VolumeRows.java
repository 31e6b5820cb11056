package io.csi4j.examples.scheduler;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeSummary;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.RequestedCapability;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The volumes, as rows for operators. */
final class VolumeRows {
    record VolumeRow(
            String volume,
            String plugin,
            String provider,
            String phase,
            boolean schedulable,
            long capacityBytes,
            List<String> access,
            String use,
            String mount,
            int taken,
            int waiting,
            String health) {}

    private final VolumeLifecycle lifecycle;

    VolumeRows(VolumeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    List<VolumeRow> list() {
        List<VolumeRow> rows = new ArrayList<>();
        Optional<VolumeKey> after = Optional.empty();
        do {
            VolumeQuery.Builder query = VolumeQuery.builder();
            after.ifPresent(query::after);
            ListPage<VolumeSummary, VolumeKey> page =
                    lifecycle.volumes().list(query.build()).join();
            page.items().forEach(item -> rows.add(row(item)));
            after = page.next();
        } while (after.isPresent());
        return rows;
    }

    private static VolumeRow row(VolumeSummary item) {
        return new VolumeRow(
                item.key().toString(),
                item.pluginId().value(),
                item.plugin().provider().orElse("")
                        + item.plugin()
                                .vendorVersion()
                                .map(version -> " " + version)
                                .orElse(""),
                item.phase().name(),
                item.schedulable(),
                item.capacityBytes(),
                item.access().stream().map(VolumeRows::access).toList(),
                item.use().map(VolumeRows::access).orElse(""),
                item.fsType() + (item.mountFlags() == 0 ? "" : " with " + item.mountFlags() + " flags"),
                item.taken(),
                item.waiting(),
                item.health() + (item.problems().isEmpty() ? "" : ": " + String.join("; ", item.problems())));
    }

    private static String access(RequestedCapability capability) {
        return capability.accessMode() + " " + capability.attachmentMode();
    }
}
