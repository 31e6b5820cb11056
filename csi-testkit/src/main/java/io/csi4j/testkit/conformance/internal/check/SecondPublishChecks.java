package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Checks a second NodePublishVolume for a volume on the same node, for each combination in the table of R89. */
final class SecondPublishChecks {
    private SecondPublishChecks() {}

    static void addTo(Checks checks) {
        checks.check("second-publish.same-target", "The same target and arguments succeed", R89)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("published"));
                    placement.publish("target");
                });
        checks.check(
                        "second-publish.same-target-ten-times",
                        "The same call ten times succeeds, and one unpublish undoes it",
                        R89,
                        R91)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("published"));
                    for (int i = 0; i < 10; i++) {
                        placement.publish("target");
                    }
                    Path target = placement.firstTarget();
                    placement.unpublish(target);
                    run.must(R91, !Files.exists(target), "the target is left after one unpublish");
                });
        checks.check("second-publish.other-secrets", "The same target with other secrets succeeds", R89)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("published"));
                    run.node()
                            .nodePublishVolume(placement
                                    .publishRequest(placement.firstTarget())
                                    .putSecrets("csi4j-extra", "not-needed")
                                    .build());
                });
        checks.check(
                        "second-publish.other-readonly",
                        "The same target with another readonly is ALREADY_EXISTS",
                        R89,
                        R90)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.bringUp(run.volume("published"));
                    Path target = placement.firstTarget();
                    Code code = run.codeOf(() -> run.node()
                            .nodePublishVolume(placement
                                    .publishRequest(target)
                                    .setReadonly(true)
                                    .build()));
                    run.should(
                            code == Code.ALREADY_EXISTS,
                            "NodePublishVolume answered " + code + "; ALREADY_EXISTS is expected");
                    run.must(
                            code != Code.OK
                                    || !run.data().usable(target)
                                    || run.data().refusesWrites(target),
                            "NodePublishVolume answered OK to readonly, and the target is still writable");
                });
        checks.check(
                        "second-publish.single-writer",
                        "A second target with SINGLE_NODE_SINGLE_WRITER is FAILED_PRECONDITION",
                        R89,
                        R96)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, NODE_MULTI_WRITER, CONTROLLER_MULTI_WRITER)
                .run(run -> {
                    PublishSteps placement = withMode(run, Mode.SINGLE_NODE_SINGLE_WRITER);
                    refusedElsewhere(run, placement, false);
                });
        checks.check("second-publish.multi-writer", "A second target with SINGLE_NODE_MULTI_WRITER succeeds", R89, R96)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, NODE_MULTI_WRITER, CONTROLLER_MULTI_WRITER)
                .run(run -> elsewhere(run, withMode(run, Mode.SINGLE_NODE_MULTI_WRITER)));
        checks.check(
                        "second-publish.multi-writer-readonly",
                        "A second readonly target with SINGLE_NODE_MULTI_WRITER succeeds",
                        R89)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME, NODE_MULTI_WRITER, CONTROLLER_MULTI_WRITER)
                .run(run -> {
                    PublishSteps placement = withMode(run, Mode.SINGLE_NODE_MULTI_WRITER);
                    Code code = run.codeOf(() -> placement.publishReadonly("second"));
                    run.should(code == Code.OK, "NodePublishVolume answered " + code + "; OK is expected");
                });
        checks.check(
                        "second-publish.writer",
                        "A second target with SINGLE_NODE_WRITER should be FAILED_PRECONDITION",
                        R89)
                .needs(NODE_SERVICE, CREATE_DELETE_VOLUME)
                .run(run -> refusedElsewhere(run, withMode(run, Mode.SINGLE_NODE_WRITER), true));
        for (Mode mode :
                new Mode[] {Mode.MULTI_NODE_READER_ONLY, Mode.MULTI_NODE_SINGLE_WRITER, Mode.MULTI_NODE_MULTI_WRITER}) {
            String id = mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
            checks.check("second-publish." + id, "A second target with " + mode + " succeeds", R89, R96)
                    .needs(NODE_SERVICE, CREATE_DELETE_VOLUME)
                    .run(run -> elsewhere(run, withMode(run, mode)));
        }
    }

    /** Publishes a new volume with an access mode. Skips the check if the plugin refuses the mode. */
    private static PublishSteps withMode(Run run, Mode mode) {
        VolumeCapability capability = run.capability(mode);
        CreateVolumeRequest request = run.createRequest("second")
                .clearVolumeCapabilities()
                .addVolumeCapabilities(capability)
                .build();
        Volume[] volume = new Volume[1];
        Code code = run.codeOf(() -> volume[0] = run.create(request));
        run.applies(code == Code.OK, "the plugin refuses volumes with " + mode + " (" + code + ")");
        PublishSteps placement = run.place(volume[0], capability);
        Code first = run.codeOf(() -> {
            placement.up();
            placement.publish("target");
            return true;
        });
        run.applies(first == Code.OK, "the plugin refuses to publish with " + mode + " (" + first + ")");
        return placement;
    }

    private static void elsewhere(Run run, PublishSteps placement) {
        Path[] second = new Path[1];
        Code code = run.codeOf(() -> second[0] = placement.publish("second"));
        run.should(code == Code.OK, "NodePublishVolume at a second target answered " + code + "; OK is expected");
        if (code != Code.OK) {
            return;
        }
        Path target = second[0];
        run.must(Files.exists(target), "nothing is at the second target");
        placement.unpublish(placement.firstTarget());
        run.must(R89, Files.exists(target), "unpublishing the first target removed the second one");
    }

    private static void refusedElsewhere(Run run, PublishSteps placement, boolean recommended) {
        Code code = run.codeOf(() -> placement.publish("second"));
        String finding = "NodePublishVolume at a second target answered " + code + "; FAILED_PRECONDITION is expected";
        run.should(code == Code.FAILED_PRECONDITION, finding);
        run.must(recommended || code != Code.OK, finding);
    }
}
