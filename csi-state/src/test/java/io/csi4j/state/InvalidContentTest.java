package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import com.google.protobuf.UnsafeByteOperations;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.state.StateReader;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.proto.values.v1.ValuesProto;
import io.csi4j.state.internal.codec.Parts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Files with correct checksums whose content no store has written are refused with the position and the reason, and the store is unchanged.
 */
class InvalidContentTest {
    private record Part(int kind, ByteString message) {}

    private final StateStore running =
            StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)));

    @BeforeEach
    void somethingRuns() {
        new Cluster(running)
                .node("n", "p")
                .volume("mine", "p")
                .allocation("a", "n")
                .claim("mine", "a");
    }

    @AfterEach
    void close() {
        running.close();
    }

    private static byte[] file(List<Part> parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CRC32C checksum = new CRC32C();
        checksum.update(RecordWriter.MAGIC);
        out.writeBytes(RecordWriter.MAGIC);
        for (Part part : parts) {
            ByteBuffer head =
                    ByteBuffer.allocate(RecordWriter.HEAD).put((byte) part.kind).putInt(part.message.size());
            checksum.update(head.array());
            checksum.update(part.message.toByteArray());
            out.writeBytes(head.array());
            out.writeBytes(part.message.toByteArray());
            out.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                    .putInt((int) checksum.getValue())
                    .array());
        }
        return out.toByteArray();
    }

    private static Part part(RecordKind kind, MessageLite message) {
        return new Part(kind.number, message.toByteString());
    }

    private static Part header() {
        return part(
                RecordKind.HEADER,
                StateProto.Header.newBuilder()
                        .setFormat(FormatRepair.PRESENT)
                        .setIndex(9)
                        .build());
    }

    private static StateProto.Volume.Builder volume(String id) {
        return StateProto.Volume.newBuilder()
                .setNamespace("default")
                .setVolumeId(id)
                .setSpec(StateProto.VolumeSpec.newBuilder().setPluginId("p").addRequestedCapabilities(capability()))
                .setOrigin("REGISTERED")
                .setPhase("AVAILABLE")
                .setCreatedAt(ValuesProto.Time.newBuilder().setSeconds(1));
    }

    private static Part volumePart(StateProto.Volume.Builder volume) {
        return part(RecordKind.VOLUME, volume.build());
    }

    private static StateProto.Capability capability() {
        return Parts.capability(Cluster.SHARED);
    }

    private static Part node(String id) {
        return part(
                RecordKind.NODE,
                StateProto.Node.newBuilder().setId(id).setStatus("READY").build());
    }

    private static StateProto.Claim claim(String allocation, String node) {
        return StateProto.Claim.newBuilder()
                .setAllocationId(allocation)
                .setNodeId(node)
                .setMode("WRITE")
                .setState("TAKEN")
                .setCapability(capability())
                .build();
    }

    private static Part trailer(int nodes, int volumes) {
        return part(
                RecordKind.TRAILER,
                StateProto.Trailer.newBuilder()
                        .setNodes(nodes)
                        .setVolumes(volumes)
                        .build());
    }

    private void refused(String reason, Part... parts) {
        StateReader before = running.snapshot();
        Throwable failure = null;
        try {
            StateEncodingTest.restore(running, file(List.of(parts)));
        } catch (StateFormatException e) {
            failure = e;
        }
        assertThat(failure)
                .as("%s", reason)
                .isNotNull()
                .hasMessageContaining(reason)
                .hasMessageContaining("at byte ")
                .hasMessageContaining("in record ")
                .hasMessageContaining("Nothing was restored");
        assertThat(running.snapshot()).isSameAs(before);
    }

    @Test
    void recordsOutOfOrderOrRepeatedAreRefused() {
        StateEncodingTest.restore(
                running, file(List.of(header(), node("a"), node("b"), volumePart(volume("v")), trailer(2, 1))));
        refused("the first record is not a header", node("a"), trailer(1, 0));
        refused("out of place", header(), header(), trailer(0, 0));
        refused("out of place", header(), volumePart(volume("v")), node("a"), trailer(1, 1));
        refused("its key is there already", header(), node("a"), node("a"), trailer(2, 0));
        refused("key", header(), volumePart(volume("v")), volumePart(volume("v")), trailer(0, 2));
        refused("key", header(), volumePart(volume("w")), volumePart(volume("v")), trailer(0, 2));
        refused("counts other numbers of rows", header(), node("a"), trailer(2, 0));
        refused("more after the end", header(), trailer(0, 0), trailer(0, 0));
        refused("its kind, 77, is not known here", header(), new Part(77, ByteString.EMPTY), trailer(0, 0));
        refused(
                "not the message it says it is",
                header(),
                new Part(RecordKind.NODE.number, ByteString.copyFrom(new byte[] {-1, -1})));
    }

    @Test
    void wrongRowCountInTrailerIsRefusedForEachTable() {
        for (FieldDescriptor table : StateProto.Trailer.getDescriptor().getFields()) {
            // The class that declares setField differs between versions of protobuf, the interface does not.
            Message.Builder more = StateProto.Trailer.newBuilder().setNodes(1).setVolumes(1);
            more.setField(table, 2L);
            refused(
                    "counts other numbers of rows",
                    header(),
                    node("a"),
                    volumePart(volume("v")),
                    part(RecordKind.TRAILER, more.build()));
        }
        assertThat(StateProto.Trailer.getDescriptor().getFields())
                .as("the trailer counts each kind of row")
                .hasSize(RecordKind.values().length - 2);
    }

    @Test
    void inconsistentContentIsRefused() {
        refused("VolumeId is empty", header(), volumePart(volume("")), trailer(0, 1));
        refused(
                "has the external id of volume",
                header(),
                volumePart(volume("v")),
                volumePart(volume("w").setSpec(volume("w").getSpec().toBuilder().setExternalVolumeId("v"))),
                trailer(0, 2));
        refused(
                "two claims of one allocation",
                header(),
                volumePart(volume("v").addClaims(claim("a", "n1")).addClaims(claim("a", "n2"))),
                trailer(0, 1));
        StateProto.Attachment attachment = StateProto.Attachment.newBuilder()
                .setNodeId("n1")
                .setCapability(capability())
                .setState("PUBLISHED")
                .build();
        refused(
                "two attachments on one node",
                header(),
                volumePart(volume("v").addAttachments(attachment).addAttachments(attachment)),
                trailer(0, 1));
        ValuesProto.Entry entry =
                ValuesProto.Entry.newBuilder().setKey("k").setValue("v").build();
        refused(
                "a key is there twice",
                header(),
                volumePart(volume("v")
                        .setSpec(volume("v").getSpec().toBuilder()
                                .addParameters(entry)
                                .addParameters(entry))),
                trailer(0, 1));
        refused(
                "a time is out of range",
                header(),
                volumePart(
                        volume("v").setCreatedAt(ValuesProto.Time.newBuilder().setSeconds(Long.MAX_VALUE))),
                trailer(0, 1));
    }

    /**
     * Changes one bit of each byte of each message and corrects all checksums. The result is either refused, or is another valid state that
     * can be encoded and restored.
     */
    @Test
    void changedContentWithValidChecksumIsRefusedOrRestoredAsDifferentState() {
        List<Part> parts = rich();
        int refused = 0;
        int other = 0;
        for (int p = 0; p < parts.size(); p++) {
            byte[] message = parts.get(p).message.toByteArray();
            for (int i = 0; i < message.length; i++) {
                byte[] changed = message.clone();
                changed[i] ^= (byte) (1 << ((i + p) % 8));
                List<Part> now = new ArrayList<>(parts);
                now.set(p, new Part(parts.get(p).kind, ByteString.copyFrom(changed)));
                if (isState(file(now), "record " + p + ", byte " + i)) {
                    other++;
                } else {
                    refused++;
                }
            }
        }
        // Checks that both results occur often enough.
        assertThat(refused).isGreaterThan(500);
        assertThat(other).isGreaterThan(500);
    }

    private boolean isState(byte[] bytes, String what) {
        StateReader before = running.snapshot();
        try {
            StateEncodingTest.restore(running, bytes);
        } catch (CsiException e) {
            assertThat(running.snapshot()).as(what).isSameAs(before);
            return false;
        } catch (RuntimeException e) {
            throw new AssertionError(what + " is neither refused nor a state", e);
        }
        try (StateStore again = StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))) {
            byte[] written = StateEncodingTest.encode(running);
            StateEncodingTest.restore(again, written);
            assertThat(StateEncodingTest.encode(again)).as(what).isEqualTo(written);
        }
        return true;
    }

    /** A row that could not be read again is not written. */
    @Test
    void rowAboveSizeLimitIsNotWritten() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RecordWriter writer = new RecordWriter(out);
        StateProto.HiddenSecrets row = StateProto.HiddenSecrets.newBuilder()
                .setHidden(UnsafeByteOperations.unsafeWrap(new byte[RecordReader.MAX_LENGTH]))
                .build();
        assertThatThrownBy(() -> writer.write(RecordKind.VOLUME, row))
                .isInstanceOf(CsiException.class)
                .hasMessageContaining("a row of kind VOLUME has " + row.getSerializedSize() + " bytes")
                .hasMessageContaining("at most " + RecordReader.MAX_LENGTH);
        assertThat(out.size()).isEqualTo(RecordWriter.MAGIC.length);
    }

    private static List<Part> rich() {
        try (StateStore store = StateEncodingTest.store(StateEncodingTest.cipher("k1", StateEncodingTest.key(1)))) {
            try (WriteTransaction transaction = store.begin(Duration.ofSeconds(10))) {
                RichState.write(transaction);
                transaction.commit(42);
            }
            byte[] bytes = StateEncodingTest.encode(store);
            List<Part> parts = new ArrayList<>();
            for (int at = RecordWriter.MAGIC.length; at < bytes.length; ) {
                int length = ByteBuffer.wrap(bytes).getInt(at + 1);
                int from = at + RecordWriter.HEAD;
                parts.add(new Part(bytes[at], ByteString.copyFrom(bytes, from, length)));
                at = from + length + RecordWriter.TAIL;
            }
            assertThat(file(parts)).isEqualTo(bytes);
            return parts;
        }
    }
}
