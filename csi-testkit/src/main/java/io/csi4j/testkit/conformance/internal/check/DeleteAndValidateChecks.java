package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;

/** Checks DeleteVolume and ValidateVolumeCapabilities. */
final class DeleteAndValidateChecks {
    private DeleteAndValidateChecks() {}

    static void addTo(Checks checks) {
        delete(checks);
        validate(checks);
    }

    static Code known(Run run, Volume volume) {
        return run.codeOf(() -> run.controller()
                .validateVolumeCapabilities(validateRequest(run, volume).build()));
    }

    private static void delete(Checks checks) {
        checks.check("delete.no-id", "DeleteVolume without an id is refused", R22)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.refused(
                        () -> run.controller()
                                .deleteVolume(DeleteVolumeRequest.newBuilder()
                                        .putAllSecrets(run.secrets("DeleteVolume"))
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("delete.unknown", "Deleting a volume that does not exist succeeds", R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.controller().deleteVolume(run.deleteRequest(Run.UNKNOWN)));
        checks.check("delete.works", "A deleted volume is gone", R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume volume = run.volume("deleted");
                    run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId()));
                    if (run.has(LIST_VOLUMES)) {
                        run.must(
                                !VolumeLists.all(run).containsKey(volume.getVolumeId()),
                                "ListVolumes returned the deleted volume");
                    }
                    Code code = known(run, volume);
                    run.should(
                            R69,
                            code == Code.NOT_FOUND,
                            "ValidateVolumeCapabilities of the deleted volume answered " + code);
                });
        checks.check("delete.twice", "Deleting a volume again succeeds", R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    DeleteVolumeRequest request =
                            run.deleteRequest(run.volume("deleted").getVolumeId());
                    run.controller().deleteVolume(request);
                    run.controller().deleteVolume(request);
                });
        checks.check("delete.other-stays", "Deleting one volume leaves the others", R57, R59)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    Volume gone = run.volume("gone");
                    Volume stays = run.volume("stays");
                    run.controller().deleteVolume(run.deleteRequest(gone.getVolumeId()));
                    run.must(R57, known(run, stays) == Code.OK, "the other volume was deleted as well");
                });
        checks.check("delete.in-use", "A published volume is deleted or refused with FAILED_PRECONDITION", R49)
                .needs(CREATE_DELETE_VOLUME, NODE_SERVICE)
                .run(DeleteAndValidateChecks::inUse);
        checks.check("delete.with-snapshot", "A volume with a snapshot is refused, or its snapshot stays usable", R60)
                .needs(CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(DeleteAndValidateChecks::withSnapshot);
    }

    private static void inUse(Run run) {
        Volume volume = run.volume("used");
        run.bringUp(volume);
        Code code = run.codeOf(() -> run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId())));
        run.should(
                code == Code.OK || code == Code.FAILED_PRECONDITION,
                "DeleteVolume of a published volume answered " + code + "; FAILED_PRECONDITION is expected");
        if (code != Code.OK) {
            run.must(known(run, volume) == Code.OK, "DeleteVolume was refused, and yet the volume is gone");
        }
    }

    private static void withSnapshot(Run run) {
        Volume volume = run.volume("source");
        Snapshot snapshot = run.readySnapshot(run.snapshotRequest(volume).build());
        Code code = run.codeOf(() -> run.controller().deleteVolume(run.deleteRequest(volume.getVolumeId())));
        run.must(
                code == Code.OK || code == Code.FAILED_PRECONDITION,
                "DeleteVolume of a volume with a snapshot answered " + code
                        + "; OK or FAILED_PRECONDITION is expected");
        if (code == Code.OK) {
            run.succeeds(
                    R60,
                    () -> run.create(CreateFromChecks.copyRequest(
                                    run,
                                    CreateFromChecks.fromSnapshot(snapshot.getSnapshotId()),
                                    snapshot.getSizeBytes())
                            .build()));
        } else {
            run.must(known(run, volume) == Code.OK, "DeleteVolume was refused, and yet the volume is gone");
        }
    }

    static ValidateVolumeCapabilitiesRequest.Builder validateRequest(Run run, Volume volume) {
        return ValidateVolumeCapabilitiesRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .putAllVolumeContext(volume.getVolumeContextMap())
                .addVolumeCapabilities(run.capability())
                .putAllParameters(run.settings().parameters())
                .putAllSecrets(run.secrets("ValidateVolumeCapabilities"));
    }

    private static void validate(Checks checks) {
        checks.check("validate.no-id", "ValidateVolumeCapabilities without an id is refused", R22)
                .needs(CONTROLLER_SERVICE)
                .run(run -> run.refused(
                        () -> run.controller()
                                .validateVolumeCapabilities(validateRequest(run, Volume.getDefaultInstance())
                                        .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("validate.no-capabilities", "ValidateVolumeCapabilities without capabilities is refused", R22)
                .needs(CONTROLLER_SERVICE, A_VOLUME)
                .run(run -> {
                    ValidateVolumeCapabilitiesRequest request = validateRequest(run, run.volume("validated"))
                            .clearVolumeCapabilities()
                            .build();
                    run.refused(() -> run.controller().validateVolumeCapabilities(request), Code.INVALID_ARGUMENT);
                });
        checks.check("validate.unknown", "Validating a volume that does not exist is NOT_FOUND", R69)
                .needs(CONTROLLER_SERVICE)
                .run(run -> {
                    VolumeLists.another(run);
                    run.refused(
                            () -> run.controller()
                                    .validateVolumeCapabilities(validateRequest(
                                                    run,
                                                    Volume.newBuilder()
                                                            .setVolumeId(Run.UNKNOWN)
                                                            .build())
                                            .build()),
                            Code.NOT_FOUND);
                });
        checks.check("validate.confirmed", "The capabilities that a volume was created with are confirmed", R69)
                .needs(CONTROLLER_SERVICE, A_VOLUME)
                .run(run -> {
                    var request = validateRequest(run, run.volume("validated")).build();
                    var response = run.controller().validateVolumeCapabilities(request);
                    run.must(response.hasConfirmed(), "the capabilities of the volume are not confirmed");
                    run.must(
                            request.getVolumeCapabilitiesList()
                                    .containsAll(response.getConfirmed().getVolumeCapabilitiesList()),
                            "capabilities are confirmed that were not asked for");
                    run.should(
                            Requirement.MAY,
                            R69,
                            response.getConfirmed().getVolumeCapabilitiesCount() > 0,
                            "the confirmed capabilities are not repeated in the answer");
                });
        checks.check("validate.unknown-mode", "An access mode that no plugin knows is not confirmed", R69)
                .needs(CONTROLLER_SERVICE, A_VOLUME)
                .run(run -> {
                    var request = validateRequest(run, run.volume("validated"));
                    request.getVolumeCapabilitiesBuilder(0)
                            .getAccessModeBuilder()
                            .setModeValue(4711);
                    Code code = run.codeOf(() -> {
                        var response = run.controller().validateVolumeCapabilities(request.build());
                        run.should(!response.hasConfirmed(), "an access mode with number 4711 is confirmed");
                        return response;
                    });
                    run.should(
                            code == Code.OK || code == Code.INVALID_ARGUMENT,
                            "ValidateVolumeCapabilities answered " + code);
                });
    }
}
