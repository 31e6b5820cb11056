package io.csi4j.state;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.volume.Volume;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.Rows;
import io.csi4j.state.internal.codec.VolumeToProto;
import io.csi4j.state.internal.tree.Cursor;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Writes one version of the state: a header, the rows of each table in the order of their keys, and a trailer with the numbers of rows.
 * Equal states have equal bytes. Only one encoded row is in memory at a time.
 */
final class StateEncoder {
    private final RecordWriter out;
    private final VolumeToProto volumes;
    private final Rows rows;

    private StateEncoder(OutputStream out, @Nullable SecretsCipher cipher) throws IOException {
        this.out = new RecordWriter(out);
        this.volumes = new VolumeToProto(cipher);
        this.rows = Rows.writing(cipher);
    }

    static void encode(Tables tables, OutputStream out, @Nullable SecretsCipher cipher) throws IOException {
        new StateEncoder(out, cipher).encode(tables);
        out.flush();
    }

    private void encode(Tables tables) throws IOException {
        out.write(
                RecordKind.HEADER,
                StateProto.Header.newBuilder()
                        .setFormat(FormatRepair.PRESENT)
                        .setIndex(tables.index)
                        .build());
        for (RecordKind kind : RecordKind.values()) {
            if (kind == RecordKind.VOLUME) {
                Cursor<VolumeKey, Volume> all = tables.volumes.cursor();
                while (all.hasNext()) {
                    out.write(kind, volumes.volume(all.next()));
                }
            } else if (kind.isRow()) {
                RowTable.of(kind).encode(tables, rows, out);
            }
        }
        StateProto.Trailer.Builder trailer = StateProto.Trailer.newBuilder().setVolumes(tables.volumes.size());
        RowTable.all().forEach(table -> table.setCount(trailer, tables));
        out.write(RecordKind.TRAILER, trailer.build());
    }
}
