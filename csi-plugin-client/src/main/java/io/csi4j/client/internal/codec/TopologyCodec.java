package io.csi4j.client.internal.codec;

import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import java.util.List;

/** Encodes and decodes topologies (R24, R53). */
final class TopologyCodec {
    private TopologyCodec() {}

    static io.csi4j.proto.csi.v1.Topology write(Topology topology) {
        return io.csi4j.proto.csi.v1.Topology.newBuilder()
                .putAllSegments(topology.segments())
                .build();
    }

    static io.csi4j.proto.csi.v1.TopologyRequirement write(TopologyRequirement requirement) {
        io.csi4j.proto.csi.v1.TopologyRequirement.Builder wire = io.csi4j.proto.csi.v1.TopologyRequirement.newBuilder();
        requirement.requisite().forEach(topology -> wire.addRequisite(write(topology)));
        requirement.preferred().forEach(topology -> wire.addPreferred(write(topology)));
        return wire.build();
    }

    static Topology read(io.csi4j.proto.csi.v1.Topology wire) {
        return new Topology(AnswerCheck.segments(wire.getSegmentsMap()));
    }

    /**
     * Reads topologies.
     *
     * @param field the path of the field in the message that contains it, for error messages
     */
    static List<Topology> readAll(String field, List<io.csi4j.proto.csi.v1.Topology> wire) {
        return AnswerCheck.each(field, wire, TopologyCodec::read);
    }
}
