package io.csi4j.testkit.internal.service;

import static io.csi4j.testkit.capability.FakeCapability.NODE_SINGLE_NODE_MULTI_WRITER;
import static io.csi4j.testkit.capability.FakeCapability.PUBLISH_UNPUBLISH_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.STAGE_UNSTAGE_VOLUME;
import static io.csi4j.testkit.capability.FakeCapability.VOLUME_MOUNT_GROUP;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.NodeExpandVolumeRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest;
import io.csi4j.testkit.internal.rule.CallRefusal;
import io.csi4j.testkit.internal.rule.FieldRules;
import io.csi4j.testkit.internal.rule.PathRules;
import io.csi4j.testkit.internal.rule.Problems;
import io.csi4j.testkit.internal.rule.VolumeRules;
import java.util.Map;

/** Checks the form of requests to the node service: all that can be checked without the volumes on the node. */
final class NodeRules {
    private final PluginConfig config;
    private final VolumeRules volumes;

    NodeRules(PluginConfig config) {
        this.config = config;
        this.volumes = new VolumeRules(config.has(NODE_SINGLE_NODE_MULTI_WRITER), config.has(VOLUME_MOUNT_GROUP));
    }

    private static Problems begin(Message request) {
        Problems problems = new Problems();
        FieldRules.check(request, problems);
        return problems;
    }

    void check(NodeStageVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        PathRules.check(request.getStagingTargetPath(), "staging_target_path", problems);
        volumes.required(request.hasVolumeCapability(), request.getVolumeCapability(), "volume_capability", problems);
        publishContext(request.getPublishContextMap(), problems);
        problems.refuseIfAny();
    }

    void check(NodeUnstageVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        PathRules.check(request.getStagingTargetPath(), "staging_target_path", problems);
        problems.refuseIfAny();
    }

    void check(NodePublishVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        PathRules.check(request.getTargetPath(), "target_path", problems);
        volumes.required(request.hasVolumeCapability(), request.getVolumeCapability(), "volume_capability", problems);
        publishContext(request.getPublishContextMap(), problems);
        if (!request.getStagingTargetPath().isEmpty()) {
            problems.require(
                    config.has(STAGE_UNSTAGE_VOLUME),
                    "staging_target_path",
                    "needs STAGE_UNSTAGE_VOLUME, which is off; leave it empty (R88)");
            PathRules.check(request.getStagingTargetPath(), "staging_target_path", problems);
            problems.require(
                    !request.getStagingTargetPath().equals(request.getTargetPath()),
                    "target_path",
                    "is the staging path; use another one (R88)");
        }
        problems.refuseIfAny();
        if (config.has(STAGE_UNSTAGE_VOLUME) && request.getStagingTargetPath().isEmpty()) {
            throw CallRefusal.failedPrecondition(
                    "staging_target_path: is missing; NodeStageVolume comes first, and its path"
                            + " has to be passed on (R90)");
        }
    }

    void check(NodeUnpublishVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        PathRules.check(request.getTargetPath(), "target_path", problems);
        problems.refuseIfAny();
    }

    /**
     * Checks no form of the path: a malformed path gets the same response as a path without a volume, because the
     * public conformance suite expects this.
     */
    void check(NodeGetVolumeStatsRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        problems.required(request.getVolumePath(), "volume_path");
        problems.refuseIfAny();
    }

    void check(NodeExpandVolumeRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        problems.required(request.getVolumePath(), "volume_path");
        if (request.hasCapacityRange()) {
            VolumeRules.check(request.getCapacityRange(), problems);
        }
        if (request.hasVolumeCapability()) {
            volumes.check(request.getVolumeCapability(), "volume_capability", problems);
        }
        problems.refuseIfAny();
    }

    void check(NodeGetVolumeHealthRequest request) {
        Problems problems = begin(request);
        problems.required(request.getVolumeId(), "volume_id");
        problems.refuseIfAny();
    }

    private void publishContext(Map<String, String> context, Problems problems) {
        problems.require(
                context.isEmpty() || config.has(PUBLISH_UNPUBLISH_VOLUME),
                "publish_context",
                "needs PUBLISH_UNPUBLISH_VOLUME, which is off; leave it out (R88)");
    }
}
