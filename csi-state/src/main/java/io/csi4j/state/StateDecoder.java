package io.csi4j.state;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.state.RowType;
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
        this.rows = new Rows(sharer, cipher);
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
            if (kind == RecordKind.VOLUME) {
                loader.add(volume());
            } else {
                RowTable.of(kind).decode(in.message(), rows, writer);
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
                new FormatRepair(writer.tables.rows(RowType.ALLOCATIONS)).repair(parse(StateProto.Volume.parser()));
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
        return kind == RecordKind.VOLUME ? loader.size() : RowTable.of(kind).size(writer.tables);
    }

    private void check(StateProto.Trailer trailer) {
        boolean counted = trailer.getVolumes() == writer.tables.volumes.size();
        for (RowTable<?, ?, ?> table : RowTable.all()) {
            counted &= table.isCounted(trailer, writer.tables);
        }
        if (!counted) {
            throw in.broken("it counts other numbers of rows than were read", null);
        }
    }
}
