package io.csi4j.state;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Volume;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.Rows;
import io.csi4j.state.internal.codec.VolumeFromProto;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads the output of {@link StateEncoder} of this or an older version, row by row, into new tables. */
final class StateDecoder {
    private final RecordReader in;
    private final TableWriter writer;
    private final Rows rows;
    private final VolumeFromProto volumes;
    private final VolumeLoader loader;
    private RecordKind last = RecordKind.HEADER;
    private int format;

    private StateDecoder(InputStream in, @Nullable SecretsCipher cipher) throws IOException {
        this.in = new RecordReader(in);
        Sharer sharer = new Sharer();
        this.writer = new TableWriter(new Tables(), sharer);
        this.rows = new Rows(sharer);
        this.volumes = new VolumeFromProto(sharer, cipher);
        this.loader = writer.volumes.load();
    }

    static Tables decode(InputStream in, @Nullable SecretsCipher cipher) throws IOException {
        return new StateDecoder(in, cipher).decode();
    }

    private Tables decode() throws IOException {
        if (in.next() != RecordKind.HEADER) {
            throw in.broken("the first record is not a header", null);
        }
        StateProto.Header header = whole(StateProto.Header.parser());
        format = header.getFormat();
        if (format < FormatRepair.OLDEST || format > FormatRepair.PRESENT) {
            throw in.broken(
                    "it has format " + format + ", and this version reads " + FormatRepair.OLDEST + " to "
                            + FormatRepair.PRESENT + "; use a newer csi4j",
                    null);
        }
        writer.tables.index = header.getIndex();
        while (true) {
            RecordKind kind = in.next();
            if (kind == RecordKind.HEADER || kind.compareTo(last) < 0) {
                throw in.broken("it is out of place, after " + last, null);
            }
            last = kind;
            if (kind == RecordKind.TRAILER) {
                loader.finish();
                check(whole(StateProto.Trailer.parser()));
                in.end();
                return writer.tables;
            }
            row(kind);
        }
    }

    private void row(RecordKind kind) throws IOException {
        try {
            long before = count(kind);
            switch (kind) {
                case FACTS -> writer.putFacts(rows.facts(parse(StateProto.PluginFacts.parser())));
                case DEPLOYMENT -> writer.putDeployment(rows.deployment(parse(StateProto.PluginDeployment.parser())));
                case NODE -> writer.putNode(rows.node(parse(StateProto.Node.parser())));
                case ALLOCATION -> writer.putAllocation(rows.allocation(parse(StateProto.Allocation.parser())));
                case INSTANCE -> writer.putInstance(rows.instance(parse(StateProto.PluginInstance.parser())));
                case VOLUME -> loader.add(volume());
                case LEFTOVER -> writer.putLeftover(rows.leftover(parse(StateProto.Leftover.parser())));
                case WITHDRAWN_CREATION ->
                    writer.putWithdrawnCreation(rows.withdrawnCreation(parse(StateProto.WithdrawnCreation.parser())));
                case HEADER, TRAILER -> throw new IllegalArgumentException("not a row");
            }
            if (count(kind) == before) {
                throw in.broken("its key is there already", null);
            }
        } catch (StateFormatException e) {
            throw e;
        } catch (CsiException e) {
            // Passes on the exception of the cipher, whose message names the missing key. It is not reported as damage,
            // because the file itself is intact.
            throw e;
        } catch (InvalidProtocolBufferException e) {
            throw in.broken("it is not the message it says it is", e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw in.broken(String.valueOf(e.getMessage()), e);
        }
    }

    private Volume volume() throws IOException {
        if (format > FormatRepair.OLDEST) {
            return volumes.volume(parse(StateProto.VolumeOutline.parser()));
        }
        StateProto.Volume repaired =
                new FormatRepair(writer.tables.allocations).repair(parse(StateProto.Volume.parser()));
        return volumes.volume(StateProto.VolumeOutline.parseFrom(repaired.toByteString()));
    }

    private <M extends MessageLite> M whole(Parser<M> parser) {
        try {
            return parse(parser);
        } catch (InvalidProtocolBufferException e) {
            throw in.broken("it is not the message it says it is", e);
        }
    }

    private <M extends MessageLite> M parse(Parser<M> parser) throws InvalidProtocolBufferException {
        return parser.parseFrom(in.message());
    }

    private long count(RecordKind kind) {
        Tables tables = writer.tables;
        return switch (kind) {
            case FACTS -> tables.facts.size();
            case DEPLOYMENT -> tables.deployments.size();
            case NODE -> tables.nodes.size();
            case ALLOCATION -> tables.allocations.size();
            case INSTANCE -> tables.instances.size();
            case VOLUME -> loader.size();
            case LEFTOVER -> tables.leftovers.size();
            case WITHDRAWN_CREATION -> tables.withdrawnCreations.size();
            case HEADER, TRAILER -> 0;
        };
    }

    private void check(StateProto.Trailer trailer) {
        Tables tables = writer.tables;
        if (trailer.getFacts() != tables.facts.size()
                || trailer.getDeployments() != tables.deployments.size()
                || trailer.getNodes() != tables.nodes.size()
                || trailer.getAllocations() != tables.allocations.size()
                || trailer.getInstances() != tables.instances.size()
                || trailer.getVolumes() != tables.volumes.size()
                || trailer.getLeftovers() != tables.leftovers.size()
                || trailer.getWithdrawnCreations() != tables.withdrawnCreations.size()) {
            throw in.broken("it counts other numbers of rows than were read", null);
        }
    }
}
