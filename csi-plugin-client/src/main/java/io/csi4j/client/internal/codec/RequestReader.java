package io.csi4j.client.internal.codec;

import com.google.protobuf.Message;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.rpc.CsiRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of one request, and collects the problems of values that the typed request cannot hold. A placeholder replaces each such
 * value, so that the other fields are checked as well. Unknown fields of a newer CSI version are no problem.
 */
public final class RequestReader {
    private static final String ID_REMEDY = "give the id that the storage provider made (R22)";
    private static final CapacityRange SOME_RANGE = CapacityRange.atLeast(1);
    private static final VolumeCapability SOME_CAPABILITY = VolumeCapability.block(AccessMode.MULTI_NODE_MULTI_WRITER);

    private final String subject;
    private final List<Problem> problems = new ArrayList<>();

    /**
     * Creates a reader.
     *
     * @param subject the name of the request
     */
    public RequestReader(String subject) {
        this.subject = subject;
    }

    /**
     * Returns the request if no problem was found.
     *
     * @param request builds the request from the parts that were read; throws a CsiRequestException if the built
     *     request is invalid
     * @throws CsiRequestException with all problems
     */
    public <R extends CsiRequest> R done(Supplier<R> request) {
        R read = null;
        try {
            read = request.get();
        } catch (CsiRequestException refused) {
            problems.addAll(refused.problems());
        }
        if (read == null || !problems.isEmpty()) {
            throw new CsiRequestException(subject, problems);
        }
        return read;
    }

    private void add(String field, String problem, String remedy) {
        problems.add(new Problem(field, problem, remedy));
    }

    /** Reads a required id (R22). */
    public <I> I id(String field, String value, Function<String, I> type) {
        if (value.isEmpty()) {
            add(field, "is empty", ID_REMEDY);
        }
        return type.apply(value.isEmpty() ? "-" : value);
    }

    public <I> List<I> ids(String field, List<String> values, Function<String, I> type) {
        List<I> ids = new ArrayList<>();
        for (String value : values) {
            ids.add(id(field + "[" + ids.size() + "]", value, type));
        }
        return ids;
    }

    /** Reads a capacity range and checks that at least one size lies within its bounds (R23). */
    public Optional<CapacityRange> range(boolean given, io.csi4j.proto.csi.v1.CapacityRange wire) {
        return given ? Optional.of(range(wire)) : Optional.empty();
    }

    /** Reads a required capacity range. */
    public CapacityRange requiredRange(boolean given, io.csi4j.proto.csi.v1.CapacityRange wire) {
        if (!given) {
            add("capacityRange", "is missing", "say how large the volume has to be (R22)");
            return SOME_RANGE;
        }
        return range(wire);
    }

    private CapacityRange range(io.csi4j.proto.csi.v1.CapacityRange wire) {
        long required = wire.getRequiredBytes();
        long limit = wire.getLimitBytes();
        int before = problems.size();
        notNegative("capacityRange.requiredBytes", required);
        notNegative("capacityRange.limitBytes", limit);
        if (required == 0 && limit == 0) {
            add("capacityRange", "gives neither requiredBytes nor limitBytes", "give one, or leave the range out");
        }
        if (limit > 0 && limit < required) {
            add(
                    "capacityRange.limitBytes",
                    "is " + limit + ", below the " + required + " of requiredBytes",
                    "raise the limit or lower what is required");
        }
        return problems.size() == before ? new CapacityRange(required, limit) : SOME_RANGE;
    }

    private void notNegative(String field, long number) {
        if (number < 0) {
            add(field, "is " + number, "use 0 or more (R23)");
        }
    }

    public List<VolumeCapability> capabilities(List<io.csi4j.proto.csi.v1.VolumeCapability> wire) {
        List<VolumeCapability> read = new ArrayList<>();
        for (io.csi4j.proto.csi.v1.VolumeCapability each : wire) {
            read.add(capability("volumeCapabilities[" + read.size() + "]", each));
        }
        return read;
    }

    /** Reads a required volume capability. */
    public VolumeCapability requiredCapability(boolean given, io.csi4j.proto.csi.v1.VolumeCapability wire) {
        if (!given) {
            add("volumeCapability", "is missing", "say how the volume is used (R22)");
            return SOME_CAPABILITY;
        }
        return capability("volumeCapability", wire);
    }

    public VolumeCapability capability(String field, io.csi4j.proto.csi.v1.VolumeCapability wire) {
        VolumeCapability read = CapabilityCodec.read(wire).orElse(null);
        if (read == null) {
            if (!newer(wire)) {
                add(field + ".accessType", "is neither block nor mount", "choose one (R22)");
            }
            read = VolumeCapability.block(CapabilityCodec.mode(wire));
        }
        boolean newerMode = read.accessMode() == AccessMode.UNKNOWN
                && wire.getAccessMode().getModeValue() != AccessMode.UNKNOWN.number();
        return newerMode ? new VolumeCapability(read.accessType(), SOME_CAPABILITY.accessMode()) : read;
    }

    /** Reads the content source of a new volume; null if there is none, or if this version does not know its kind. */
    public @Nullable VolumeContentSource source(io.csi4j.proto.csi.v1.VolumeContentSource wire) {
        String field = "volumeContentSource";
        switch (wire.getTypeCase()) {
            case SNAPSHOT -> {
                return VolumeContentSource.snapshot(
                        id(field + ".snapshotId", wire.getSnapshot().getSnapshotId(), SnapshotId::of));
            }
            case VOLUME -> {
                return VolumeContentSource.volume(
                        id(field + ".volumeId", wire.getVolume().getVolumeId(), ExternalVolumeId::of));
            }
            case TYPE_NOT_SET -> {
                if (!newer(wire)) {
                    add(field, "names neither a snapshot nor a volume", "name one, or leave the source out (R22)");
                }
            }
        }
        return null;
    }

    /**
     * Returns whether the message has fields that this version does not know. If it has, a value that seems to be
     * missing may be in one of them, and is not reported as a problem.
     */
    private static boolean newer(Message wire) {
        return !wire.getUnknownFields().asMap().isEmpty();
    }

    public static TopologyRequirement topology(io.csi4j.proto.csi.v1.TopologyRequirement wire) {
        return new TopologyRequirement(
                wire.getRequisiteList().stream().map(RequestReader::topology).toList(),
                wire.getPreferredList().stream().map(RequestReader::topology).toList());
    }

    public static Topology topology(io.csi4j.proto.csi.v1.Topology wire) {
        return new Topology(wire.getSegmentsMap());
    }
}
