package io.csi4j.state;

import io.csi4j.core.state.SecretsCipher;
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

    private StateEncoder(OutputStream out, @Nullable SecretsCipher cipher) throws IOException {
        this.out = new RecordWriter(out);
        this.volumes = new VolumeToProto(cipher);
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
        rows(RecordKind.FACTS, tables.facts.cursor(), Rows::facts);
        rows(RecordKind.DEPLOYMENT, tables.deployments.cursor(), Rows::deployment);
        rows(RecordKind.NODE, tables.nodes.cursor(), Rows::node);
        rows(RecordKind.ALLOCATION, tables.allocations.cursor(), Rows::allocation);
        rows(RecordKind.INSTANCE, tables.instances.cursor(), Rows::instance);
        rows(RecordKind.VOLUME, tables.volumes.cursor(), volumes::volume);
        rows(RecordKind.LEFTOVER, tables.leftovers.cursor(), Rows::leftover);
        rows(RecordKind.WITHDRAWN_CREATION, tables.withdrawnCreations.cursor(), Rows::withdrawnCreation);
        out.write(
                RecordKind.TRAILER,
                StateProto.Trailer.newBuilder()
                        .setFacts(tables.facts.size())
                        .setDeployments(tables.deployments.size())
                        .setNodes(tables.nodes.size())
                        .setAllocations(tables.allocations.size())
                        .setInstances(tables.instances.size())
                        .setVolumes(tables.volumes.size())
                        .setLeftovers(tables.leftovers.size())
                        .setWithdrawnCreations(tables.withdrawnCreations.size())
                        .build());
    }

    private <R> void rows(RecordKind kind, Cursor<?, R> rows, ToProto<R> toProto) throws IOException {
        while (rows.hasNext()) {
            out.write(kind, toProto.of(rows.next()));
        }
    }

    private interface ToProto<R> {
        com.google.protobuf.MessageLite of(R row);
    }
}
