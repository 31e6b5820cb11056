package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;

/** Checks names, sizes and required fields in CreateVolume. */
final class CreateChecks {
    private CreateChecks() {}

    static void addTo(Checks checks) {
        checks.check("create.no-name", "CreateVolume without a name is refused", R22)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.refused(
                        () -> run.create(run.createRequest("x").clearName().build()), Code.INVALID_ARGUMENT));
        checks.check("create.no-capabilities", "CreateVolume without capabilities is refused", R22)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.refused(
                        () -> run.create(
                                run.createRequest("x").clearVolumeCapabilities().build()),
                        Code.INVALID_ARGUMENT));
        checks.check("create.no-access-type", "A capability without an access type is refused", R22, R96)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.shouldRefuse(
                        () -> run.create(run.createRequest("x")
                                .setVolumeCapabilities(
                                        0, run.capability().toBuilder().clearAccessType())
                                .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("create.no-access-mode", "A capability without an access mode is refused", R22, R96)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.shouldRefuse(
                        () -> run.create(run.createRequest("x")
                                .setVolumeCapabilities(
                                        0, run.capability().toBuilder().clearAccessMode())
                                .build()),
                        Code.INVALID_ARGUMENT));
        checks.check("create.two-modes", "A volume for two access modes is usable in both, or refused", R52)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> eachOrRefused(run, run.capability(otherMode(run))));
        checks.check("create.mount-and-block", "A volume for mount and block is usable as both, or refused", R52)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> eachOrRefused(run, otherType(run)));
        checks.check("create.unknown-mode", "An access mode that no plugin knows is refused, also in a list", R52)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    CreateVolumeRequest.Builder request =
                            run.createRequest("x").addVolumeCapabilities(run.capability());
                    request.getVolumeCapabilitiesBuilder(1)
                            .getAccessModeBuilder()
                            .setModeValue(4711);
                    run.should(
                            run.codeOf(() -> run.create(request.build())) != Code.OK,
                            "a volume for an access mode with number 4711 was made");
                });
        checks.check(
                        "create.values",
                        "A new volume has an id, a size that is not negative, and a small context",
                        R16,
                        R23,
                        R57)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::values);
        checks.check("create.no-size", "CreateVolume without a size succeeds", R22)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.succeeds(
                        R22,
                        () -> run.create(
                                run.createRequest("x").clearCapacityRange().build())));
        checks.check("create.size", "A volume has at least the requested size", R55)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    long bytes = run.create(run.createRequest("x").build()).getCapacityBytes();
                    run.must(
                            bytes == 0 || bytes >= run.settings().volume().bytes(),
                            "the volume has " + bytes + " bytes; "
                                    + run.settings().volume().bytes() + " were requested");
                });
        checks.check("create.limit", "A volume is not greater than limit_bytes", R55)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::limit);
        checks.check("create.negative-size", "A negative size is refused", R23)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.shouldRefuse(
                        () -> run.create(run.createRequest("x")
                                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(-1))
                                .build()),
                        Code.INVALID_ARGUMENT,
                        Code.OUT_OF_RANGE));
        checks.check("create.limit-below-required", "A limit below the required size is refused", R55)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> run.shouldRefuse(
                        () -> run.create(run.createRequest("x")
                                .setCapacityRange(CapacityRange.newBuilder()
                                        .setRequiredBytes(
                                                run.settings().volume().bytes())
                                        .setLimitBytes(1))
                                .build()),
                        Code.INVALID_ARGUMENT,
                        Code.OUT_OF_RANGE));
        checks.check("create.too-large", "A size that cannot be met is OUT_OF_RANGE or RESOURCE_EXHAUSTED", R58)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::tooLarge);
        checks.check("create.same-name", "The same name and arguments return the same volume", R51, R57)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::sameName);
        checks.check("create.two-names", "Two names return two volumes", R51, R57)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    String first = run.create(run.createRequest("a").build()).getVolumeId();
                    String second = run.create(run.createRequest("b").build()).getVolumeId();
                    run.must(R57, !first.equals(second), "two names returned one volume id");
                });
        checks.check(
                        "create.same-name-other-size",
                        "The same name with an incompatible size is ALREADY_EXISTS",
                        R51,
                        R58)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::sameNameOtherSize);
        checks.check(
                        "create.same-name-smaller-limit",
                        "The same name with a limit below the size is ALREADY_EXISTS",
                        R51,
                        R58)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::sameNameSmallerLimit);
        checks.check(
                        "create.same-name-other-type",
                        "The same name with the other access type never makes a second volume",
                        R51)
                .needs(CREATE_DELETE_VOLUME)
                .run(CreateChecks::sameNameOtherType);
        checks.check("create.name-after-delete", "The name of a deleted volume can be used again", R51)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    CreateVolumeRequest request = run.createRequest("again").build();
                    run.controller()
                            .deleteVolume(run.deleteRequest(run.create(request).getVolumeId()));
                    String id = run.create(request).getVolumeId();
                    run.must(!id.isEmpty(), "the second volume has no id");
                });
        checks.check("create.longest-name", "A name of 128 bytes is accepted", R16, R21)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    String name = run.name("longest");
                    CreateVolumeRequest request = run.createRequest("x")
                            .setName(name + "n".repeat(128 - name.length()))
                            .build();
                    String id = run.succeeds(R16, () -> run.create(request)).getVolumeId();
                    run.must(
                            R51, run.create(request).getVolumeId().equals(id), "a second call returned another volume");
                });
        checks.check("create.long-names-differ", "Names that differ in their last byte return two volumes", R16, R51)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    String name = run.name("long") + "-";
                    String longName = name + "n".repeat(127 - name.length());
                    String first = run.create(run.createRequest("x")
                                    .setName(longName + "1")
                                    .build())
                            .getVolumeId();
                    String second = run.create(run.createRequest("x")
                                    .setName(longName + "2")
                                    .build())
                            .getVolumeId();
                    run.must(R16, !first.equals(second), "two names of 128 bytes returned one volume");
                });
        checks.check("create.unicode-name", "A name may have any Unicode characters", R21)
                .needs(CREATE_DELETE_VOLUME)
                .run(run -> {
                    Code code = run.codeOf(() -> run.create(run.createRequest("x")
                            .setName(run.name("volume äß 卷"))
                            .build()));
                    run.should(code == Code.OK, "CreateVolume answered " + code + " to a name with Unicode characters");
                });
    }

    private static Mode otherMode(Run run) {
        return run.settings().volume().mode() == Mode.MULTI_NODE_READER_ONLY
                ? Mode.SINGLE_NODE_WRITER
                : Mode.MULTI_NODE_READER_ONLY;
    }

    private static VolumeCapability otherType(Run run) {
        VolumeCapability.Builder other = run.capability().toBuilder();
        if (other.hasBlock()) {
            other.getMountBuilder();
        } else {
            other.getBlockBuilder();
        }
        return other.build();
    }

    /**
     * Creates a volume for the usual capability and another one. The plugin may refuse the list; if it makes the volume, it has
     * to support both. A plugin that confirms not even the usual capability has said nothing about the other one.
     */
    private static void eachOrRefused(Run run, VolumeCapability other) {
        CreateVolumeRequest request =
                run.createRequest("both").addVolumeCapabilities(other).build();
        Code code = run.codeOf(() -> {
            Volume volume = run.create(request);
            run.decided(confirms(run, volume, run.capability()), "the plugin does not confirm the usual capability");
            run.must(
                    confirms(run, volume, other),
                    "the volume was made for two capabilities, and the second one is not confirmed");
            return volume;
        });
        run.step("CreateVolume with two capabilities", code.name());
    }

    private static boolean confirms(Run run, Volume volume, VolumeCapability capability) {
        return run.controller()
                .validateVolumeCapabilities(DeleteAndValidateChecks.validateRequest(run, volume)
                        .setVolumeCapabilities(0, capability)
                        .build())
                .hasConfirmed();
    }

    private static void values(Run run) {
        Volume volume = run.create(run.createRequest("x").build());
        run.must(R57, !volume.getVolumeId().isEmpty(), "the volume id is missing");
        run.must(R23, volume.getCapacityBytes() >= 0, "capacity_bytes is " + volume.getCapacityBytes());
        Limits.require(run, volume, "the volume");
    }

    private static void limit(Run run) {
        long bytes = run.settings().volume().bytes();
        CreateVolumeRequest request = run.createRequest("x")
                .setCapacityRange(
                        CapacityRange.newBuilder().setRequiredBytes(bytes).setLimitBytes(bytes + (bytes >> 1)))
                .build();
        Code code = run.codeOf(() -> {
            Volume volume = run.create(request);
            run.must(
                    volume.getCapacityBytes() <= bytes + (bytes >> 1),
                    "the volume has " + volume.getCapacityBytes() + " bytes, more than limit_bytes");
            return volume;
        });
        run.must(
                code == Code.OK || code == Code.OUT_OF_RANGE,
                "CreateVolume answered " + code + " to a size with a limit; OK or OUT_OF_RANGE is expected");
    }

    private static void tooLarge(Run run) {
        long bytes = 1L << 61;
        CreateVolumeRequest request = run.createRequest("x")
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(bytes))
                .build();
        Code code = run.codeOf(() -> {
            long made = run.create(request).getCapacityBytes();
            run.must(made == 0 || made >= bytes, "the volume has " + made + " bytes, less than requested");
            return made;
        });
        run.should(
                code == Code.OK || code == Code.OUT_OF_RANGE || code == Code.RESOURCE_EXHAUSTED,
                "CreateVolume answered " + code + " to 2 EiB; OUT_OF_RANGE is expected");
    }

    private static void sameName(Run run) {
        CreateVolumeRequest request = run.createRequest("same").build();
        Volume first = run.create(request);
        Volume second = run.create(request);
        run.must(
                first.getVolumeId().equals(second.getVolumeId()),
                "the same name returned the volumes " + first.getVolumeId() + " and " + second.getVolumeId());
        run.must(
                R57,
                first.getVolumeContextMap().equals(second.getVolumeContextMap()),
                "the second answer has another volume_context");
        run.must(first.getCapacityBytes() == second.getCapacityBytes(), "the second answer has another capacity_bytes");
    }

    private static void sameNameOtherSize(Run run) {
        CreateVolumeRequest.Builder request = run.createRequest("same");
        Volume first = run.create(request.build());
        long more =
                2 * Math.max(first.getCapacityBytes(), run.settings().volume().bytes());
        request.setCapacityRange(
                CapacityRange.newBuilder().setRequiredBytes(more).setLimitBytes(more));
        if (first.getCapacityBytes() == 0) {
            Code code = run.codeOf(() -> {
                run.must(
                        run.create(request.build()).getVolumeId().equals(first.getVolumeId()),
                        "one name returned two volumes");
                return first;
            });
            run.should(code == Code.ALREADY_EXISTS || code == Code.OK, "CreateVolume answered " + code);
            return;
        }
        run.refused(R58, () -> run.create(request.build()), Code.ALREADY_EXISTS);
    }

    private static void sameNameSmallerLimit(Run run) {
        CreateVolumeRequest.Builder request = run.createRequest("same");
        Volume first = run.create(request.build());
        run.applies(first.getCapacityBytes() > 1, "the plugin does not say how large its volumes are");
        long less = first.getCapacityBytes() - 1;
        request.setCapacityRange(CapacityRange.newBuilder().setLimitBytes(less));
        Code code = run.codeOf(() -> {
            Volume second = run.create(request.build());
            run.must(
                    second.getCapacityBytes() <= less,
                    "the volume has " + second.getCapacityBytes() + " bytes, more than limit_bytes");
            return second;
        });
        run.should(
                code == Code.ALREADY_EXISTS || code == Code.OUT_OF_RANGE,
                "CreateVolume answered " + code + "; ALREADY_EXISTS is expected");
    }

    private static void sameNameOtherType(Run run) {
        CreateVolumeRequest.Builder request = run.createRequest("same");
        Volume first = run.create(request.build());
        request.setVolumeCapabilities(0, otherType(run));
        Code code = run.codeOf(() -> {
            Volume second = run.create(request.build());
            run.must(second.getVolumeId().equals(first.getVolumeId()), "one name returned two volumes");
            return second;
        });
        run.should(
                code == Code.OK || code == Code.ALREADY_EXISTS || code == Code.INVALID_ARGUMENT,
                "CreateVolume answered " + code + "; ALREADY_EXISTS is expected");
    }
}
