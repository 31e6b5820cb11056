package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Checks that a plugin accepts fields of newer CSI versions and unneeded secrets, refuses calls without required
 * secrets, and repeats no secret in an error message.
 */
final class CompatibilityChecks {
    private static final UnknownFieldSet NEWER = UnknownFieldSet.newBuilder()
            .addField(
                    4711,
                    UnknownFieldSet.Field.newBuilder()
                            .addVarint(1)
                            .addLengthDelimited(ByteString.copyFromUtf8("of a newer CSI"))
                            .build())
            .build();

    private static final Metadata.Key<byte[]> DETAILS =
            Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

    private CompatibilityChecks() {}

    static void addTo(Checks checks) {
        unknownFields(checks);
        secrets(checks);
    }

    @SuppressWarnings("unchecked")
    private static <M extends Message> M newer(M message) {
        return (M) message.toBuilder().setUnknownFields(NEWER).build();
    }

    private static void unknownFields(Checks checks) {
        checks.check("unknown-fields.identity", "Identity ignores fields that it does not know", R3)
                .run(run -> run.recommends(R3, () -> {
                    Object unused = run.identity().getPluginInfo(newer(GetPluginInfoRequest.getDefaultInstance()));
                    Object unusedToo = run.identity().probe(newer(ProbeRequest.getDefaultInstance()));
                }));
        checks.check("unknown-fields.create", "CreateVolume and DeleteVolume ignore fields that they do not know", R3)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.recommends(R3, () -> {
                    Volume volume = run.create(newer(run.createRequest("newer").build()));
                    Object unused = run.controller().deleteVolume(newer(run.deleteRequest(volume.getVolumeId())));
                }));
        checks.check("unknown-fields.node", "The node ignores fields that it does not know", R3)
                .needs(NODE_SERVICE, A_VOLUME)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("newer"));
                    run.recommends(R3, () -> published(run, placement));
                });
    }

    private static void published(Run run, PublishSteps placement) {
        if (run.has(PUBLISH_UNPUBLISH_VOLUME)) {
            placement.attach(newer(placement.attachRequest().build()));
        }
        if (run.has(STAGE_UNSTAGE_VOLUME)) {
            placement.stage(newer(placement.stageRequest().build()));
        }
        Object unused = run.node()
                .nodePublishVolume(
                        newer(placement.publishRequest(placement.target("t")).build()));
    }

    private static void secrets(Checks checks) {
        checks.check("secrets.extra", "Secrets that a call does not need are accepted", R35)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    Code code = run.codeOf(() -> run.create(run.createRequest("secret")
                            .putSecrets("csi4j-extra", "not-needed")
                            .build()));
                    run.must(code == Code.OK, "CreateVolume with an extra secret answered " + code);
                });
        checks.check("secrets.large", "Secrets of 4 KiB are accepted", R16, R35)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    Map<String, String> own = run.secrets("CreateVolume");
                    int used = own.entrySet().stream()
                            .mapToInt(entry -> IdentityChecks.bytes(entry.getKey() + entry.getValue()))
                            .sum();
                    run.applies(used < 4000, "the secrets of the settings are too large");
                    Code code = run.codeOf(() -> run.create(run.createRequest("secret")
                            .putSecrets("csi4j-extra", "s".repeat(4096 - 11 - used))
                            .build()));
                    run.should(code == Code.OK, "CreateVolume with 4 KiB of secrets answered " + code);
                });
        checks.check("secrets.not-shown", "Errors repeat no secrets and have no details", R32, R35)
                .needs(CREATE_DELETE_VOLUME)
                .run(CompatibilityChecks::notShown);
        checks.check("secrets.required-create", "CreateVolume without its secrets is refused", R33)
                .needs(CREATE_DELETE_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> requireSecrets(
                        run,
                        "CreateVolume",
                        () -> run.create(
                                run.createRequest("secret").clearSecrets().build())));
        checks.check("secrets.required-delete", "DeleteVolume without its secrets is refused", R33)
                .needs(CREATE_DELETE_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    var request = run.deleteRequest(run.volume("secret").getVolumeId()).toBuilder()
                            .clearSecrets()
                            .build();
                    requireSecrets(run, "DeleteVolume", () -> run.controller().deleteVolume(request));
                });
        checks.check(
                        "secrets.required-controller-publish",
                        "ControllerPublishVolume without its secrets is refused",
                        R33)
                .needs(PUBLISH_UNPUBLISH_VOLUME, A_VOLUME, NODE_ID, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("secret"));
                    requireSecrets(
                            run,
                            "ControllerPublishVolume",
                            () -> placement.attach(
                                    placement.attachRequest().clearSecrets().build()));
                });
        checks.check("secrets.required-stage", "NodeStageVolume without its secrets is refused", R33)
                .needs(STAGE_UNSTAGE_VOLUME, A_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("secret"));
                    placement.attach();
                    requireSecrets(
                            run,
                            "NodeStageVolume",
                            () -> run.node()
                                    .nodeStageVolume(placement
                                            .stageRequest()
                                            .clearSecrets()
                                            .build()));
                });
        checks.check("secrets.required-publish", "NodePublishVolume without its secrets is refused", R33)
                .needs(NODE_SERVICE, A_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    PublishSteps placement = run.place(run.volume("secret"));
                    placement.up();
                    requireSecrets(
                            run,
                            "NodePublishVolume",
                            () -> run.node()
                                    .nodePublishVolume(placement
                                            .publishRequest(placement.target("t"))
                                            .clearSecrets()
                                            .build()));
                });
        checks.check("secrets.required-snapshot", "CreateSnapshot without its secrets is refused", R33)
                .needs(CREATE_DELETE_SNAPSHOT, A_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    var request = run.snapshotRequest(run.volume("secret"))
                            .clearSecrets()
                            .build();
                    requireSecrets(run, "CreateSnapshot", () -> run.snapshot(request));
                });
        checks.check("secrets.required-expand", "ControllerExpandVolume without its secrets is refused", R33)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    Volume volume = run.volume("secret");
                    var request = ExpandAndModifyChecks.expandRequest(
                                    run, volume, ExpandAndModifyChecks.moreThan(run, volume))
                            .clearSecrets()
                            .build();
                    requireSecrets(
                            run,
                            "ControllerExpandVolume",
                            () -> run.controller().controllerExpandVolume(request));
                });
        checks.check("secrets.required-modify", "ControllerModifyVolume without its secrets is refused", R33)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME, SECRETS, SECRETS_REQUIRED)
                .run(run -> {
                    var request = ExpandAndModifyChecks.modifyRequest(
                                    run, run.volume("secret").getVolumeId())
                            .clearSecrets()
                            .build();
                    requireSecrets(
                            run,
                            "ControllerModifyVolume",
                            () -> run.controller().controllerModifyVolume(request));
                });
    }

    private static void requireSecrets(Run run, String rpc, Supplier<?> call) {
        run.applies(
                run.settings().secretsRequired().contains(rpc),
                "the settings do not say that " + rpc + " requires secrets");
        run.refused(call, Code.UNAUTHENTICATED, Code.INVALID_ARGUMENT, Code.PERMISSION_DENIED);
    }

    private static void notShown(Run run) {
        String secret = "csi4j-s3cret-" + run.name("value");
        Message[] requests = {
            run.createRequest("x").clearName().putSecrets("csi4j-extra", secret).build(),
            run.createRequest("x")
                    .clearVolumeCapabilities()
                    .putSecrets("csi4j-extra", secret)
                    .build(),
            run.createRequest("x")
                    .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(1L << 62))
                    .putSecrets("csi4j-extra", secret)
                    .build()
        };
        for (Message request : requests) {
            try {
                run.create((CreateVolumeRequest) request);
            } catch (StatusRuntimeException e) {
                String description = String.valueOf(e.getStatus().getDescription());
                run.must(R35, !description.contains(secret), "the message of CreateVolume repeats a secret");
                Metadata trailers = e.getTrailers();
                run.must(
                        R32,
                        trailers == null || !trailers.containsKey(DETAILS),
                        "the status of CreateVolume has details");
            }
        }
    }
}
