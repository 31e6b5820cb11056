package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;

/** Checks ControllerPublishVolume and ControllerUnpublishVolume. */
final class ControllerPublishChecks {
    private ControllerPublishChecks() {}

    private static final Volume NONE =
            Volume.newBuilder().setVolumeId(Run.UNKNOWN).build();

    static void addTo(Checks checks) {
        publish(checks);
        unpublish(checks);
    }

    private static void publish(Checks checks) {
        checks.check("controller-publish.no-id", "ControllerPublishVolume without a volume id is refused", R22)
                .needs(PUBLISH_UNPUBLISH_VOLUME, NODE_ID)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerPublishVolume(run.place(NONE)
                                        .attachRequest()
                                        .clearVolumeId()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("controller-publish.no-node", "ControllerPublishVolume without a node id is refused", R22)
                .needs(PUBLISH_UNPUBLISH_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerPublishVolume(run.place(NONE)
                                        .attachRequest()
                                        .clearNodeId()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("controller-publish.no-capability", "ControllerPublishVolume without a capability is refused", R22)
                .needs(PUBLISH_UNPUBLISH_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerPublishVolume(run.place(NONE)
                                        .attachRequest()
                                        .clearVolumeCapability()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("controller-publish.unknown-volume", "Publishing a volume that does not exist is NOT_FOUND", R64)
                .needs(PUBLISH_UNPUBLISH_VOLUME, NODE_ID)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerPublishVolume(
                                        run.place(NONE).attachRequest().build()),
                        Code.NOT_FOUND));
        checks.check("controller-publish.unknown-node", "Publishing to a node that does not exist is NOT_FOUND", R64)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    run.refused(
                            () -> run.controller()
                                    .controllerPublishVolume(placement
                                            .attachRequest()
                                            .setNodeId("csi4j-unknown-node")
                                            .build()),
                            Code.NOT_FOUND);
                });
        checks.check("controller-publish.twice", "Publishing again returns the same publish context", R61, R63)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    var request = placement.attachRequest().build();
                    var first = placement.attach(request);
                    run.must(
                            R63,
                            placement.attach(request).equals(first),
                            "a second call returned another publish_context");
                });
        checks.check("controller-publish.values", "The publish context has at most 4 KiB", R16, R63)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    placement.mayBeAttached();
                    Limits.require(
                            run,
                            run.controller()
                                    .controllerPublishVolume(
                                            placement.attachRequest().build()),
                            "the answer");
                });
        checks.check(
                        "controller-publish.other-readonly",
                        "Publishing again with another readonly is ALREADY_EXISTS",
                        R61,
                        R64)
                .needs(PUBLISH_UNPUBLISH_VOLUME, PUBLISH_READONLY, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    placement.attach();
                    run.refused(
                            R64,
                            () -> run.controller()
                                    .controllerPublishVolume(placement
                                            .attachRequest()
                                            .setReadonly(true)
                                            .build()),
                            Code.ALREADY_EXISTS);
                });
        checks.check("controller-publish.readonly", "A volume is published readonly", R42, R61)
                .needs(PUBLISH_UNPUBLISH_VOLUME, PUBLISH_READONLY, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("published"));
                    run.succeeds(
                            R42,
                            () -> placement.attach(
                                    placement.attachRequest().setReadonly(true).build()));
                });
        checks.check(
                        "controller-publish.other-node",
                        "A volume for one node is not published to a second one",
                        R64,
                        R96)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID, OTHER_NODE)
                .run(ControllerPublishChecks::otherNode);
        checks.check("controller-publish.limit", "A node takes no more volumes than its limit", R64, R93)
                .needs(PUBLISH_UNPUBLISH_VOLUME, CREATE_DELETE_VOLUME, NODE_ID)
                .run(run -> {
                    long limit = run.plugin().nodeInfo().getMaxVolumesPerNode();
                    run.applies(limit > 0 && limit <= 16, "the node's limit is " + limit + "; from 1 to 16 is tested");
                    for (long i = 0; i < limit; i++) {
                        PublishSteps placement = run.place(run.volume("many"));
                        Code code = run.codeOf(
                                () -> placement.attach(placement.attachRequest().build()));
                        run.decided(
                                code != Code.RESOURCE_EXHAUSTED,
                                "the node took " + i + " of " + limit + " volumes; it may have others already");
                        run.must(R61, code == Code.OK, "ControllerPublishVolume answered " + code);
                    }
                    PublishSteps extra = run.place(run.volume("many"));
                    extra.mayBeAttached();
                    run.shouldRefuse(
                            () -> run.controller()
                                    .controllerPublishVolume(
                                            extra.attachRequest().build()),
                            Code.RESOURCE_EXHAUSTED);
                });
    }

    /** Publishes with other arguments, which a volume that is still published to the node refuses. A list may name a node for longer. */
    private static void requireUnpublished(Run run, PublishSteps placement) {
        run.decided(
                run.has(PUBLISH_READONLY),
                "the plugin answered OK, and without PUBLISH_READONLY no call shows whether it has unpublished");
        Code code = run.codeOf(() ->
                placement.attach(placement.attachRequest().setReadonly(true).build()));
        run.must(
                code == Code.OK,
                "publishing with other arguments answered " + code + ", as if nothing was unpublished");
    }

    private static void otherNode(Run run) {
        String other = run.settings().otherNode();
        PublishSteps placement = run.place(run.volume("published"));
        placement.attach();
        var second = placement.attachRequest().setNodeId(other).build();
        run.atEnd(
                "volume on node " + other,
                () -> run.controller()
                        .controllerUnpublishVolume(placement.detachRequest().toBuilder()
                                .setNodeId(other)
                                .build()));
        run.refused(() -> run.controller().controllerPublishVolume(second), Code.FAILED_PRECONDITION);
    }

    private static void unpublish(Checks checks) {
        checks.check("controller-unpublish.no-id", "ControllerUnpublishVolume without a volume id is refused", R22)
                .needs(PUBLISH_UNPUBLISH_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerUnpublishVolume(run.place(NONE).detachRequest().toBuilder()
                                        .clearVolumeId()
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("controller-unpublish.not-published", "Unpublishing a volume that is not published succeeds", R65)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unpublished"));
                    run.controller().controllerUnpublishVolume(placement.detachRequest());
                });
        checks.check("controller-unpublish.twice", "Unpublishing again succeeds", R65)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unpublished"));
                    placement.attach();
                    placement.detach();
                    placement.detach();
                });
        checks.check(
                        "controller-unpublish.unknown-volume",
                        "Unpublishing an unknown volume succeeds or is NOT_FOUND",
                        R65)
                .needs(PUBLISH_UNPUBLISH_VOLUME, NODE_ID)
                .run(run -> {
                    Code code = run.codeOf(() -> run.controller()
                            .controllerUnpublishVolume(run.place(NONE).detachRequest()));
                    run.must(
                            code == Code.OK || code == Code.NOT_FOUND,
                            "ControllerUnpublishVolume answered " + code + "; OK or NOT_FOUND is expected");
                });
        checks.check(
                        "controller-unpublish.all-nodes",
                        "Without a node id the volume is unpublished from all nodes",
                        R66)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unpublished"));
                    placement.attach();
                    run.controller()
                            .controllerUnpublishVolume(placement.detachRequest().toBuilder()
                                    .clearNodeId()
                                    .build());
                    requireUnpublished(run, placement);
                });
        checks.check("controller-unpublish.works", "After unpublishing, other arguments can be published", R65)
                .needs(PUBLISH_UNPUBLISH_VOLUME, PUBLISH_READONLY, A_VOLUME, NODE_ID)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("unpublished"));
                    placement.attach();
                    placement.detach();
                    run.succeeds(
                            R65,
                            () -> placement.attach(
                                    placement.attachRequest().setReadonly(true).build()));
                });
    }
}
