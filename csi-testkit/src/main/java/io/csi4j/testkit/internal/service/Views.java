package io.csi4j.testkit.internal.service;

import io.csi4j.proto.csi.v1.ControllerGetVolumeResponse;
import io.csi4j.proto.csi.v1.ListVolumesResponse;
import io.csi4j.proto.csi.v1.VolumeCondition;
import io.csi4j.proto.csi.v1.VolumeHealth;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.storage.Condition;
import io.csi4j.testkit.internal.storage.VolumeRecord;

/** Converts volumes to messages of CSI. */
final class Views {
    private Views() {}

    // CSI deprecated the volume condition in 1.13. This plugin reports it, because callers of CSI 1.12 need it.
    @SuppressWarnings("deprecation")
    static ListVolumesResponse.Entry listed(PluginConfig config, VolumeRecord record) {
        ListVolumesResponse.Entry.Builder entry =
                ListVolumesResponse.Entry.newBuilder().setVolume(record.volume());
        if (config.has(FakeCapability.LIST_VOLUMES_PUBLISHED_NODES)) {
            entry.getStatusBuilder().addAllPublishedNodeIds(record.attachments().keySet());
        }
        if (config.has(FakeCapability.CONTROLLER_VOLUME_CONDITION)) {
            entry.getStatusBuilder().setVolumeCondition(condition(record.condition()));
        }
        return entry.build();
    }

    // CSI deprecated the volume condition in 1.13. This plugin reports it, because callers of CSI 1.12 need it.
    @SuppressWarnings("deprecation")
    static ControllerGetVolumeResponse one(PluginConfig config, VolumeRecord record) {
        ControllerGetVolumeResponse.Builder response =
                ControllerGetVolumeResponse.newBuilder().setVolume(record.volume());
        response.getStatusBuilder().addAllPublishedNodeIds(record.attachments().keySet());
        if (config.has(FakeCapability.CONTROLLER_VOLUME_CONDITION)) {
            response.getStatusBuilder().setVolumeCondition(condition(record.condition()));
        }
        return response.build();
    }

    @SuppressWarnings("deprecation") // CSI deprecated the volume condition in 1.13.
    static VolumeCondition condition(Condition condition) {
        return VolumeCondition.newBuilder()
                .setAbnormal(condition.abnormal())
                .setMessage(condition.abnormal() ? condition.message() : "volume is well")
                .build();
    }

    static VolumeHealth health(VolumeRecord record) {
        VolumeHealth.Builder health = VolumeHealth.newBuilder().setVolumeId(record.id());
        Condition condition = record.condition();
        if (condition.abnormal()) {
            health.addHealthStatuses(VolumeHealth.VolumeHealthEntry.newBuilder()
                    .setStatusValue(condition.status())
                    .setReason(condition.reason())
                    .setMessage(condition.message()));
        }
        return health.build();
    }
}
