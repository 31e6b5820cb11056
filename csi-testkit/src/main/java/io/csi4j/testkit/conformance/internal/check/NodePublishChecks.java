package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Checks NodeStageVolume, NodeUnstageVolume, NodePublishVolume and NodeUnpublishVolume. */
final class NodePublishChecks {
    private static final Volume NONE =
            Volume.newBuilder().setVolumeId(Run.UNKNOWN).build();

    private NodePublishChecks() {}

    static void addTo(Checks checks) {
        stage(checks);
        unstage(checks);
        publish(checks);
        unpublish(checks);
    }

    private static void stage(Checks checks) {
        checks.check("stage.no-id", "NodeStageVolume without a volume id is refused", R22)
                .needs(STAGE_UNSTAGE_VOLUME)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeStageVolume(run.place(NONE)
                                        .stageRequest()
                                        .clearVolumeId()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("stage.no-path", "NodeStageVolume without a path is refused", R22)
                .needs(STAGE_UNSTAGE_VOLUME)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeStageVolume(run.place(NONE)
                                        .stageRequest()
                                        .clearStagingTargetPath()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("stage.no-capability", "NodeStageVolume without a capability is refused", R22)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("staged"));
                    placement.attach();
                    run.refused(
                            () -> run.node()
                                    .nodeStageVolume(placement
                                            .stageRequest()
                                            .clearVolumeCapability()
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("stage.unknown-volume", "Staging a volume that does not exist is refused", R86)
                .needs(STAGE_UNSTAGE_VOLUME)
                .run(run -> {
                    Code code = run.codeOf(() -> run.node()
                            .nodeStageVolume(run.place(NONE).stageRequest().build()));
                    run.should(code == Code.NOT_FOUND, "NodeStageVolume answered " + code + "; NOT_FOUND is expected");
                });
        checks.check("stage.twice", "Staging again with the same arguments succeeds", R85)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("staged"));
                    placement.up();
                    placement.stage();
                });
        checks.check("stage.other-capability", "Staging again with another access type is ALREADY_EXISTS", R86)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("staged"));
                    placement.up();
                    VolumeCapability.Builder other = run.capability().toBuilder();
                    if (other.hasBlock()) {
                        other.getMountBuilder();
                    } else {
                        other.getBlockBuilder();
                    }
                    run.shouldRefuse(
                            () -> run.node()
                                    .nodeStageVolume(placement
                                            .stageRequest()
                                            .setVolumeCapability(other)
                                            .build()),
                            Code.ALREADY_EXISTS,
                            Code.FAILED_PRECONDITION,
                            Code.INVALID_ARGUMENT);
                });
    }

    private static void unstage(Checks checks) {
        checks.check("unstage.no-id", "NodeUnstageVolume without a volume id is refused", R22)
                .needs(STAGE_UNSTAGE_VOLUME)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeUnstageVolume(run.place(NONE).unstageRequest().toBuilder()
                                        .clearVolumeId()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("unstage.no-path", "NodeUnstageVolume without a path is refused", R22)
                .needs(STAGE_UNSTAGE_VOLUME)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeUnstageVolume(run.place(NONE).unstageRequest().toBuilder()
                                        .clearStagingTargetPath()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("unstage.twice", "Unstaging again succeeds", R87)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unstaged"));
                    placement.up();
                    placement.unstage();
                    placement.unstage();
                });
        checks.check("unstage.not-staged", "Unstaging a volume that is not staged succeeds", R87)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unstaged"));
                    placement.attach();
                    placement.stageRequest();
                    placement.unstage();
                });
        checks.check("unstage.stage-again", "An unstaged volume is staged and published again", R43, R87)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("unstaged"));
                    placement.unpublish(placement.firstTarget());
                    placement.unstage();
                    placement.stage();
                    placement.publish("again");
                });
    }

    private static void publish(Checks checks) {
        checks.check("publish.no-id", "NodePublishVolume without a volume id is refused", R22)
                .needs(NODE_SERVICE)
                .run(run -> {
                    PublishSteps placement = run.place(NONE);
                    run.refused(
                            () -> run.node()
                                    .nodePublishVolume(placement
                                            .publishRequest(placement.target("t"))
                                            .clearVolumeId()
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("publish.no-target", "NodePublishVolume without a target is refused", R22)
                .needs(NODE_SERVICE)
                .run(run -> {
                    PublishSteps placement = run.place(NONE);
                    run.refused(
                            () -> run.node()
                                    .nodePublishVolume(placement
                                            .publishRequest(placement.target("t"))
                                            .clearTargetPath()
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("publish.no-capability", "NodePublishVolume without a capability is refused", R22)
                .needs(NODE_SERVICE)
                .run(run -> {
                    PublishSteps placement = run.place(NONE);
                    run.refused(
                            () -> run.node()
                                    .nodePublishVolume(placement
                                            .publishRequest(placement.target("t"))
                                            .clearVolumeCapability()
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("publish.unknown-volume", "Publishing a volume that does not exist is refused", R90)
                .needs(NODE_SERVICE)
                .run(run -> {
                    PublishSteps placement = run.place(NONE);
                    Code code = run.codeOf(() -> run.node()
                            .nodePublishVolume(placement
                                    .publishRequest(placement.target("t"))
                                    .build()));
                    run.should(
                            code == Code.NOT_FOUND || code == Code.FAILED_PRECONDITION,
                            "NodePublishVolume answered " + code + "; NOT_FOUND is expected");
                });
        checks.check(
                        "publish.no-staging-path",
                        "Publishing without a staging path is refused if the plugin stages",
                        R90)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    placement.up();
                    run.shouldRefuse(
                            () -> run.node()
                                    .nodePublishVolume(placement
                                            .publishRequest(placement.target("t"))
                                            .clearStagingTargetPath()
                                            .build()),
                            Code.FAILED_PRECONDITION,
                            Code.INVALID_ARGUMENT);
                });
        checks.check("publish.makes-target", "The plugin makes the target in the parent directory", R88)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    Path target = run.bringUp(run.volume("published")).firstTarget();
                    run.must(Files.exists(target), "nothing is at the target " + target);
                    boolean block = run.settings().volume().block();
                    run.must(
                            block != Files.isDirectory(target),
                            "the target is " + (block ? "a directory, not a device or file" : "no directory"));
                });
        checks.check("publish.no-link", "The target is not a symbolic link", R88)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    Path target = run.bringUp(run.volume("published")).firstTarget();
                    run.must(
                            !Files.isSymbolicLink(target),
                            "the target " + target + " is a symbolic link, which leads a workload to another place");
                });
        checks.check("publish.mounts", "Something is mounted at the target, or a device is there", R88)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    if (!run.settings().expectMounts()) {
                        throw new NotApplicable("the settings do not say that this plugin mounts what it publishes");
                    }
                    Path target = run.bringUp(run.volume("published")).firstTarget();
                    run.must(
                            run.data().usable(target),
                            "NodePublishVolume answered OK, and nothing is mounted at the target " + target);
                });
        checks.check("publish.long-path", "A target path of more than 128 bytes is accepted", R20)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    placement.up();
                    run.succeeds(R20, () -> placement.publish("long-" + "p".repeat(120)));
                });
        checks.check("publish.readonly-refuses-writes", "A volume that is published readonly refuses writes", R88)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(DataChecks::readonly);
        checks.check("publish.reader-mode-refuses-writes", "A volume with a reader mode refuses writes", R88, R96)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME)
                .run(DataChecks::readerMode);
    }

    private static void unpublish(Checks checks) {
        checks.check("unpublish.no-id", "NodeUnpublishVolume without a volume id is refused", R22)
                .needs(NODE_SERVICE)
                .run(run -> {
                    PublishSteps placement = run.place(NONE);
                    run.refused(
                            () -> run.node()
                                    .nodeUnpublishVolume(placement.unpublishRequest(placement.target("t")).toBuilder()
                                            .clearVolumeId()
                                            .build()),
                            Code.INVALID_ARGUMENT);
                });
        checks.check("unpublish.no-target", "NodeUnpublishVolume without a target is refused", R22)
                .needs(NODE_SERVICE)
                .run(run -> run.refused(
                        () -> run.node()
                                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.newBuilder()
                                        .setVolumeId(Run.UNKNOWN)
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("unpublish.removes-target", "NodeUnpublishVolume removes the target", R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("unpublished"));
                    Path target = placement.firstTarget();
                    placement.unpublish(target);
                    run.must(!Files.exists(target, LinkOption.NOFOLLOW_LINKS), "the target " + target + " is left");
                });
        checks.check("unpublish.twice", "Unpublishing again succeeds", R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("unpublished"));
                    Path target = placement.firstTarget();
                    placement.unpublish(target);
                    placement.unpublish(target);
                });
        checks.check("unpublish.not-published", "Unpublishing a target that was never published succeeds", R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unpublished"));
                    placement.up();
                    Code code = run.codeOf(
                            () -> run.node().nodeUnpublishVolume(placement.unpublishRequest(placement.target("t"))));
                    run.should(
                            Requirement.SHOULD,
                            R91,
                            code == Code.OK,
                            "NodeUnpublishVolume answered " + code + "; OK is expected");
                });
        checks.check("unpublish.publish-again", "An unpublished volume is published again", R43, R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("unpublished"));
                    Path target = placement.firstTarget();
                    placement.unpublish(target);
                    run.node()
                            .nodePublishVolume(placement
                                    .publishRequest(placement.target("target"))
                                    .build());
                    run.must(Files.exists(target), "nothing is at the target " + target);
                });
    }
}
