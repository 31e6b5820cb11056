package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.util.Map;
import java.util.function.Supplier;

/** Checks ControllerExpandVolume and ControllerModifyVolume. */
final class ExpandAndModifyChecks {
    private ExpandAndModifyChecks() {}

    static ControllerExpandVolumeRequest.Builder expandRequest(Run run, Volume volume, long bytes) {
        return ControllerExpandVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(bytes))
                .setVolumeCapability(run.capability())
                .putAllSecrets(run.secrets("ControllerExpandVolume"));
    }

    static long moreThan(Run run, Volume volume) {
        return Math.max(volume.getCapacityBytes(), run.settings().volume().bytes())
                + run.settings().volume().bytes();
    }

    static void addTo(Checks checks) {
        expand(checks);
        modify(checks);
    }

    private static void expand(Checks checks) {
        checks.check("expand.no-id", "ControllerExpandVolume without an id is refused", R22)
                .needs(EXPAND_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerExpandVolume(expandRequest(run, Volume.getDefaultInstance(), 1L << 30)
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("expand.no-range", "ControllerExpandVolume without a size is refused", R22)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    var request = expandRequest(run, run.volume("expanded"), 1)
                            .clearCapacityRange()
                            .build();
                    run.refused(() -> run.controller().controllerExpandVolume(request), Code.INVALID_ARGUMENT);
                });
        checks.check("expand.unknown", "Expanding a volume that does not exist is NOT_FOUND", R84)
                .needs(EXPAND_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerExpandVolume(expandRequest(
                                                run,
                                                Volume.newBuilder()
                                                        .setVolumeId(Run.UNKNOWN)
                                                        .build(),
                                                2 * run.settings().volume().bytes())
                                        .build()),
                        Code.NOT_FOUND));
        checks.check("expand.works", "A volume grows to at least the requested size", R82, R83)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("expanded");
                    grow(run, volume, moreThan(run, volume));
                });
        checks.check("expand.twice", "Expanding again to the same size succeeds", R82)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("expanded");
                    long more = moreThan(run, volume);
                    long first = grow(run, volume, more);
                    run.must(R82, grow(run, volume, more) == first, "a second call returned another size");
                });
        checks.check("expand.never-shrinks", "A size below the current one never shrinks the volume", R82)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("expanded");
                    long grown = grow(run, volume, moreThan(run, volume));
                    Code code = run.codeOf(() -> {
                        long bytes = run.controller()
                                .controllerExpandVolume(
                                        expandRequest(run, volume, 1L << 20).build())
                                .getCapacityBytes();
                        run.must(bytes >= grown, "the volume shrank from " + grown + " to " + bytes + " bytes");
                        return bytes;
                    });
                    run.should(
                            code == Code.OK || code == Code.OUT_OF_RANGE,
                            "ControllerExpandVolume answered " + code + " to a smaller size");
                });
        checks.check("expand.limit-below-size", "A limit below the current size is OUT_OF_RANGE", R84)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("expanded");
                    run.applies(volume.getCapacityBytes() > 1, "the plugin does not say how large its volumes are");
                    var request = expandRequest(run, volume, 0);
                    request.setCapacityRange(CapacityRange.newBuilder().setLimitBytes(volume.getCapacityBytes() - 1));
                    run.shouldRefuse(
                            () -> run.controller().controllerExpandVolume(request.build()),
                            Code.OUT_OF_RANGE,
                            Code.INVALID_ARGUMENT);
                });
        checks.check(
                        "expand.offline-order",
                        "With OFFLINE a published volume is refused, and expanded after unpublishing",
                        R82,
                        R84)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME, NODE_SERVICE, OFFLINE_EXPANSION_ONLY)
                .run(run -> {
                    Volume volume = run.volume("expanded");
                    PublishSteps placement = run.bringUp(volume);
                    var request =
                            expandRequest(run, volume, moreThan(run, volume)).build();
                    Code code = run.codeOf(() -> run.controller().controllerExpandVolume(request));
                    run.must(R82, code != Code.OK, "a published volume was expanded in spite of OFFLINE");
                    run.must(
                            R84,
                            code == Code.FAILED_PRECONDITION,
                            "ControllerExpandVolume answered " + code + " and must answer FAILED_PRECONDITION");
                    placement.down();
                    grow(run, volume, moreThan(run, volume));
                });
        checks.check("expand.published", "A published volume is expanded", R82)
                .needs(EXPAND_VOLUME, CREATE_DELETE_VOLUME, NODE_SERVICE, NOT_OFFLINE_EXPANSION)
                .run(run -> {
                    run.applies(!run.plugin().expansions().isEmpty(), "the plugin declares no VolumeExpansion ONLINE");
                    Volume volume = run.volume("expanded");
                    run.bringUp(volume);
                    grow(run, volume, moreThan(run, volume));
                });
    }

    static long grow(Run run, Volume volume, long bytes) {
        ControllerExpandVolumeResponse response = run.controller()
                .controllerExpandVolume(expandRequest(run, volume, bytes).build());
        run.must(
                R83,
                response.getCapacityBytes() >= bytes,
                "capacity_bytes is " + response.getCapacityBytes() + "; " + bytes + " were requested");
        run.should(
                R83,
                !response.getNodeExpansionRequired()
                        || run.has(NODE_EXPAND_VOLUME)
                        || !run.plugin().servesNode(),
                "node_expansion_required is true, and the node cannot expand");
        return response.getCapacityBytes();
    }

    static ControllerModifyVolumeRequest.Builder modifyRequest(Run run, String volumeId) {
        return ControllerModifyVolumeRequest.newBuilder()
                .setVolumeId(volumeId)
                .putAllModifiableParameters(run.settings().mutableParameters())
                .putAllSecrets(run.secrets("ControllerModifyVolume"));
    }

    /** Returns parameters that the plugin cannot modify, as far as the kit can know. */
    static Map<String, String> infeasible(Run run) {
        Map<String, String> named = run.settings().infeasibleParameters();
        return named.isEmpty() ? Map.of("csi4j-unknown-key", "1") : named;
    }

    /** Requires that a call with infeasible parameters is refused. A plugin may accept names of parameters that it does not know. */
    static void refusesInfeasible(Run run, Supplier<?> call) {
        Code code = run.codeOf(call);
        run.decided(
                code != Code.OK || !run.settings().infeasibleParameters().isEmpty(),
                "the plugin accepts an unknown parameter name, which CSI leaves to it; name a parameter that it has to refuse"
                        + " in the settings");
        run.must(
                R74,
                code == Code.INVALID_ARGUMENT,
                run.lastRpc() + " answered " + code + " and must answer INVALID_ARGUMENT");
    }

    private static void modify(Checks checks) {
        checks.check("modify.no-id", "ControllerModifyVolume without an id is refused", R22)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerModifyVolume(modifyRequest(run, "").build()),
                        Code.INVALID_ARGUMENT));
        checks.check("modify.unknown", "Modifying a volume that does not exist is NOT_FOUND", R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS)
                .run(run -> run.refused(
                        () -> run.controller()
                                .controllerModifyVolume(
                                        modifyRequest(run, Run.UNKNOWN).build()),
                        Code.NOT_FOUND));
        checks.check("modify.works", "A volume is modified, and modified again with the same parameters", R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME)
                .run(run -> {
                    var request = modifyRequest(run, run.volume("modified").getVolumeId())
                            .build();
                    run.controller().controllerModifyVolume(request);
                    run.controller().controllerModifyVolume(request);
                });
        checks.check("modify.bad-parameter", "A parameter that cannot be modified is refused", R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME)
                .run(run -> {
                    var request = modifyRequest(run, run.volume("modified").getVolumeId())
                            .clearModifiableParameters()
                            .putAllModifiableParameters(infeasible(run))
                            .build();
                    refusesInfeasible(run, () -> run.controller().controllerModifyVolume(request));
                });
        checks.check("modify.all-or-nothing", "One bad parameter among good ones refuses the whole call", R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME)
                .run(run -> {
                    var request = modifyRequest(run, run.volume("modified").getVolumeId())
                            .putAllModifiableParameters(infeasible(run))
                            .build();
                    refusesInfeasible(run, () -> run.controller().controllerModifyVolume(request));
                });
        checks.check("modify.secrets", "A volume is modified with secrets that the plugin need not know", R35, R74)
                .needs(MODIFY_VOLUME, MUTABLE_PARAMETERS, A_VOLUME)
                .run(run -> {
                    var request = modifyRequest(run, run.volume("modified").getVolumeId())
                            .putSecrets("csi4j-extra", "not-needed")
                            .build();
                    Code code = run.codeOf(() -> run.controller().controllerModifyVolume(request));
                    run.must(code == Code.OK, "ControllerModifyVolume with secrets answered " + code);
                });
    }
}
