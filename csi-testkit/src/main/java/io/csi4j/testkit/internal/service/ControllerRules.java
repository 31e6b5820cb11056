package io.csi4j.testkit.internal.service;

import static io.csi4j.testkit.capability.FakeCapability.CLONE_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.CONTROLLER_SINGLE_NODE_MULTI_WRITER;
import static io.csi4j.testkit.capability.FakeCapability.CREATE_DELETE_SNAPSHOT;
import static io.csi4j.testkit.capability.FakeCapability.MODIFY_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.PUBLISH_READONLY;
import static io.csi4j.testkit.capability.FakeCapability.SNAPSHOT_ACCESSIBILITY_CONSTRAINTS;
import static io.csi4j.testkit.capability.FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS;
import static io.csi4j.testkit.capability.FakeCapability.VOLUME_MOUNT_GROUP;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeContentSource;
import io.csi4j.testkit.internal.rule.FieldRules;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.rule.TopologyRules;
import io.csi4j.testkit.internal.rule.VolumeRules;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Checks the form of requests to the controller service: all that can be checked without the storage. */
final class ControllerRules {
    private static final Set<String> NUMERIC = Set.of("iops", "throughput");

    private final PluginConfig config;
    private final VolumeRules volumes;

    ControllerRules(PluginConfig config) {
        this.config = config;
        this.volumes = new VolumeRules(config.has(CONTROLLER_SINGLE_NODE_MULTI_WRITER), config.has(VOLUME_MOUNT_GROUP));
    }

    Problems begin(Message request) {
        Problems problems = new Problems();
        FieldRules.check(request, problems);
        return problems;
    }

    void check(CreateVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getName(), "name");
        volumes.required(request.getVolumeCapabilitiesList(), "volume_capabilities", problems);
        sameAccessType(request.getVolumeCapabilitiesList(), problems);
        if (request.hasCapacityRange()) {
            VolumeRules.check(request.getCapacityRange(), problems);
        }
        if (request.hasVolumeContentSource()) {
            source(request.getVolumeContentSource(), problems);
        }
        if (request.hasAccessibilityRequirements()) {
            problems.require(
                    config.has(VOLUME_ACCESSIBILITY_CONSTRAINTS),
                    "accessibility_requirements",
                    "need VOLUME_ACCESSIBILITY_CONSTRAINTS, which is off; leave them out (R42)");
            TopologyRules.check(request.getAccessibilityRequirements(), "accessibility_requirements", problems);
        }
        if (request.getModifiableParametersCount() > 0) {
            problems.require(
                    config.has(MODIFY_VOLUME),
                    "mutable_parameters",
                    "need MODIFY_VOLUME, which is off; leave them out (R42)");
            mutable(request.getModifiableParametersMap(), problems);
        }
        problems.refuseIfAny();
    }

    private static void sameAccessType(List<VolumeCapability> capabilities, Problems problems) {
        problems.require(
                capabilities.stream().map(VolumeCapability::hasBlock).distinct().count() <= 1,
                "volume_capabilities",
                "ask for block and mount in one volume, which this plugin does not support; ask for one of them (R52)");
    }

    private void source(VolumeContentSource source, Problems problems) {
        switch (source.getTypeCase()) {
            case SNAPSHOT -> {
                problems.require(
                        config.has(CREATE_DELETE_SNAPSHOT),
                        "volume_content_source.snapshot",
                        "needs CREATE_DELETE_SNAPSHOT, which is off (R42, R58)");
                problems.required(source.getSnapshot().getSnapshotId(), "volume_content_source.snapshot.snapshot_id");
            }
            case VOLUME -> {
                problems.require(
                        config.has(CLONE_VOLUME),
                        "volume_content_source.volume",
                        "needs CLONE_VOLUME, which is off (R42, R58)");
                problems.required(source.getVolume().getVolumeId(), "volume_content_source.volume.volume_id");
            }
            default -> problems.add("volume_content_source", "is empty; name a snapshot or a volume, or leave it out");
        }
    }

    /** Checks mutable parameters: one bad parameter fails the whole call (R74). */
    void mutable(Map<String, String> parameters, Problems problems) {
        parameters.forEach((key, value) -> {
            problems.require(
                    config.mutableParameters().contains(key),
                    "mutable_parameters",
                    "has the key '" + key + "', which cannot be modified; the keys that can are "
                            + String.join(
                                    ", ",
                                    config.mutableParameters().stream().sorted().toList()) + " (R74)");
            problems.require(
                    !NUMERIC.contains(key) || value.matches("[1-9][0-9]{0,17}"),
                    "mutable_parameters",
                    "'" + key + "' must be a whole number greater than zero (R74)");
        });
    }

    void check(ControllerPublishVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        problems.required(request.getNodeId(), "node_id");
        volumes.required(request.hasVolumeCapability(), request.getVolumeCapability(), "volume_capability", problems);
        problems.require(
                !request.getReadonly() || config.has(PUBLISH_READONLY),
                "readonly",
                "needs PUBLISH_READONLY, which is off; leave it false (R42)");
        problems.refuseIfAny();
    }

    void check(ValidateVolumeCapabilitiesRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        // Callers may ask about capabilities that the plugin does not support, so only the form is checked.
        new VolumeRules(true, true).required(request.getVolumeCapabilitiesList(), "volume_capabilities", problems);
        problems.refuseIfAny();
    }

    void check(ControllerExpandVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        problems.require(request.hasCapacityRange(), "capacity_range", "is required and missing (R22)");
        if (request.hasCapacityRange()) {
            VolumeRules.check(request.getCapacityRange(), problems);
        }
        if (request.hasVolumeCapability()) {
            volumes.check(request.getVolumeCapability(), "volume_capability", problems);
        }
        problems.refuseIfAny();
    }

    void check(GetCapacityRequest request) {
        Problems problems = begin(request);
        volumes.each(request.getVolumeCapabilitiesList(), "volume_capabilities", problems);
        if (request.hasAccessibleTopology()) {
            problems.require(
                    config.has(VOLUME_ACCESSIBILITY_CONSTRAINTS),
                    "accessible_topology",
                    "needs VOLUME_ACCESSIBILITY_CONSTRAINTS, which is off; leave it out (R42)");
            TopologyRules.check(request.getAccessibleTopology().getSegmentsMap(), "accessible_topology", problems);
        }
        problems.refuseIfAny();
    }

    void check(CreateSnapshotRequest request) {
        Problems problems = begin(request);
        problems.required(request.getName(), "name");
        problems.required(request.getSourceVolumeId(), "source_volume_id");
        if (request.hasAccessibilityRequirements()) {
            problems.require(
                    config.has(SNAPSHOT_ACCESSIBILITY_CONSTRAINTS),
                    "accessibility_requirements",
                    "need SNAPSHOT_ACCESSIBILITY_CONSTRAINTS, which is off; leave them out (R42)");
            TopologyRules.check(request.getAccessibilityRequirements(), "accessibility_requirements", problems);
        }
        problems.refuseIfAny();
    }

    void volumeId(Message request, String volumeId) {
        Problems problems = begin(request);
        problems.required(volumeId, "volume_id");
        problems.refuseIfAny();
    }

    void snapshotId(Message request, String snapshotId) {
        Problems problems = begin(request);
        problems.required(snapshotId, "snapshot_id");
        problems.refuseIfAny();
    }

    void page(Message request, int maxEntries) {
        Problems problems = begin(request);
        problems.require(maxEntries >= 0, "max_entries", "is negative; zero means no limit (R23, R70)");
        problems.refuseIfAny();
    }
}
