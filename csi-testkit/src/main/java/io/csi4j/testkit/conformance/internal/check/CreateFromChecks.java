package io.csi4j.testkit.conformance.internal.check;

import static io.csi4j.testkit.conformance.internal.Need.*;
import static io.csi4j.testkit.conformance.internal.Rule.*;

import io.csi4j.proto.csi.v1.*;
import io.csi4j.testkit.conformance.Requirement;
import io.csi4j.testkit.conformance.internal.*;
import io.grpc.Status.Code;
import java.util.List;

/** Checks sources, topologies and mutable parameters in CreateVolume. */
final class CreateFromChecks {
    private CreateFromChecks() {}

    static VolumeContentSource fromSnapshot(String id) {
        return VolumeContentSource.newBuilder()
                .setSnapshot(VolumeContentSource.SnapshotSource.newBuilder().setSnapshotId(id))
                .build();
    }

    static VolumeContentSource fromVolume(String id) {
        return VolumeContentSource.newBuilder()
                .setVolume(VolumeContentSource.VolumeSource.newBuilder().setVolumeId(id))
                .build();
    }

    /** Returns a request to create a volume from a source, with at least the size of the source. */
    static CreateVolumeRequest.Builder copyRequest(Run run, VolumeContentSource source, long sourceBytes) {
        CreateVolumeRequest.Builder request = run.createRequest("copy").setVolumeContentSource(source);
        request.getCapacityRangeBuilder()
                .setRequiredBytes(Math.max(sourceBytes, run.settings().volume().bytes()));
        return request;
    }

    static void addTo(Checks checks) {
        checks.check("create.from-snapshot", "A volume is created from a snapshot and names it", R57, R58)
                .needs(CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(run -> {
                    Volume source = run.volume("source");
                    Snapshot snapshot =
                            run.readySnapshot(run.snapshotRequest(source).build());
                    copied(run, fromSnapshot(snapshot.getSnapshotId()), snapshot.getSizeBytes(), source);
                });
        checks.check("create.from-unknown-snapshot", "A source snapshot that does not exist is NOT_FOUND", R58)
                .needs(CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(run -> run.refused(
                        () -> run.create(run.createRequest("x")
                                .setVolumeContentSource(fromSnapshot("csi4j-unknown-snapshot"))
                                .build()),
                        Code.NOT_FOUND));
        checks.check("create.from-volume", "A volume is created from a volume and names it", R57, R58)
                .needs(CREATE_DELETE_VOLUME, CLONE_VOLUME)
                .run(run -> {
                    Volume source = run.volume("source");
                    copied(run, fromVolume(source.getVolumeId()), source.getCapacityBytes(), source);
                });
        checks.check("create.from-unknown-volume", "A source volume that does not exist is NOT_FOUND", R58)
                .needs(CREATE_DELETE_VOLUME, CLONE_VOLUME)
                .run(run -> run.refused(
                        () -> run.create(run.createRequest("x")
                                .setVolumeContentSource(fromVolume(Run.UNKNOWN))
                                .build()),
                        Code.NOT_FOUND));
        checks.check(
                        "create.same-name-other-source",
                        "The same name with a source that it had not is ALREADY_EXISTS",
                        R51,
                        R58)
                .needs(CREATE_DELETE_VOLUME, CREATE_DELETE_SNAPSHOT)
                .run(run -> {
                    Volume source = run.volume("source");
                    Snapshot snapshot =
                            run.readySnapshot(run.snapshotRequest(source).build());
                    CreateVolumeRequest.Builder request = run.createRequest("same");
                    run.create(request.build());
                    run.refused(
                            R58,
                            () -> run.create(request.setVolumeContentSource(fromSnapshot(snapshot.getSnapshotId()))
                                    .build()),
                            Code.ALREADY_EXISTS);
                });
        checks.check(
                        "create.copy-with-small-limit",
                        "A copy with a limit below the size of its source is never smaller",
                        R55)
                .needs(CREATE_DELETE_VOLUME, CLONE_VOLUME)
                .run(CreateFromChecks::smallCopy);
        checks.check("create.copy-of-requested-size", "A copy has at least the requested size", R55)
                .needs(CREATE_DELETE_VOLUME, CLONE_VOLUME)
                .run(CreateFromChecks::largeCopy);
        checks.check("create.topology", "A volume is accessible from a required topology", R24, R53)
                .needs(CREATE_DELETE_VOLUME, TOPOLOGY, NODE_ID)
                .run(run -> {
                    run.applies(run.plugin().nodeInfo().hasAccessibleTopology(), "the node has no topology");
                    Volume volume = run.create(run.createRequest("placed").build());
                    TopologyChecks.require(run, volume.getAccessibleTopologyList(), "the volume's topology");
                    requireAccessible(run, volume, run.plugin().nodeInfo().getAccessibleTopology());
                });
        checks.check(
                        "create.unknown-topology",
                        "A topology that does not exist is refused, or not contradicted",
                        R53,
                        R58)
                .needs(CREATE_DELETE_VOLUME, TOPOLOGY, NODE_ID)
                .run(CreateFromChecks::unknownTopology);
        checks.check("create.mutable-parameters", "A volume is created with mutable parameters", R42)
                .needs(CREATE_DELETE_VOLUME, MODIFY_VOLUME, MUTABLE_PARAMETERS)
                .run(run -> run.succeeds(
                        R42,
                        () -> run.create(run.createRequest("mutable")
                                .putAllModifiableParameters(run.settings().mutableParameters())
                                .build())));
        checks.check(
                        "create.bad-mutable-parameters",
                        "Mutable parameters that the plugin does not have are refused",
                        R58,
                        R74)
                .needs(CREATE_DELETE_VOLUME, MODIFY_VOLUME, MUTABLE_PARAMETERS)
                .run(run -> ExpandAndModifyChecks.refusesInfeasible(
                        run,
                        () -> run.create(run.createRequest("x")
                                .putAllModifiableParameters(ExpandAndModifyChecks.infeasible(run))
                                .build())));
    }

    private static void copied(Run run, VolumeContentSource source, long bytes, Volume original) {
        Volume copy = run.create(copyRequest(run, source, bytes).build());
        run.must(R57, !copy.getVolumeId().equals(original.getVolumeId()), "the copy has the id of its source");
        run.should(
                Requirement.MAY,
                R57,
                copy.getContentSource().equals(source),
                "content_source is missing in the answer; some orchestrators then delete the volume");
    }

    private static void smallCopy(Run run) {
        Volume source = run.volume("source");
        run.applies(source.getCapacityBytes() > 1, "the plugin does not say how large its volumes are");
        CreateVolumeRequest request = run.createRequest("copy")
                .setVolumeContentSource(fromVolume(source.getVolumeId()))
                .setCapacityRange(CapacityRange.newBuilder().setLimitBytes(source.getCapacityBytes() / 2))
                .build();
        Code code = run.codeOf(() -> {
            long bytes = run.create(request).getCapacityBytes();
            run.must(bytes <= source.getCapacityBytes() / 2, "the copy has " + bytes + " bytes, more than limit_bytes");
            return bytes;
        });
        run.should(
                code == Code.OUT_OF_RANGE || code == Code.INVALID_ARGUMENT,
                "CreateVolume answered " + code + "; OUT_OF_RANGE is expected");
    }

    private static void largeCopy(Run run) {
        Volume source = run.volume("source");
        long wanted =
                Math.max(source.getCapacityBytes(), run.settings().volume().bytes())
                        + run.settings().volume().bytes();
        Code code = run.codeOf(() -> {
            long bytes = run.create(copyRequest(run, fromVolume(source.getVolumeId()), wanted)
                            .build())
                    .getCapacityBytes();
            run.must(bytes == 0 || bytes >= wanted, "the copy has " + bytes + " bytes; " + wanted + " were requested");
            return bytes;
        });
        run.should(
                code == Code.OK || code == Code.OUT_OF_RANGE,
                "CreateVolume answered " + code + " to a copy that is larger than its source");
    }

    private static void requireAccessible(Run run, Volume volume, Topology from) {
        List<Topology> places = volume.getAccessibleTopologyList();
        run.must(
                R53,
                places.isEmpty()
                        || places.stream()
                                .anyMatch(topology -> from.getSegmentsMap()
                                        .entrySet()
                                        .containsAll(topology.getSegmentsMap().entrySet())),
                "the volume is accessible from other topologies than the required one");
    }

    private static void unknownTopology(Run run) {
        run.applies(run.plugin().nodeInfo().hasAccessibleTopology(), "the node has no topology");
        Topology.Builder nowhere = Topology.newBuilder();
        run.plugin()
                .nodeInfo()
                .getAccessibleTopology()
                .getSegmentsMap()
                .keySet()
                .forEach(key -> nowhere.putSegments(key, "csi4j-nowhere"));
        CreateVolumeRequest request = run.createRequest("x")
                .setAccessibilityRequirements(TopologyRequirement.newBuilder().addRequisite(nowhere))
                .build();
        Code code = run.codeOf(() -> {
            Volume volume = run.create(request);
            requireAccessible(run, volume, nowhere.build());
            return volume;
        });
        run.should(
                code == Code.OK || code == Code.RESOURCE_EXHAUSTED || code == Code.INVALID_ARGUMENT,
                "CreateVolume answered " + code + "; RESOURCE_EXHAUSTED is expected");
    }
}
