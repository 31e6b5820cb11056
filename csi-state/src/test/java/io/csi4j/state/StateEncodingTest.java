package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.internal.apply.RandomCommands;
import io.csi4j.core.internal.apply.WritableState;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.tree.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class StateEncodingTest {
    private static final SecretKey KEY = key(1);

    @Test
    void restoredStateEqualsEncodedState() {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore other = store(cipher("k1", KEY))) {
            byte[] bytes = encode(store);
            long index = restore(other, bytes);
            assertThat(index).isEqualTo(store.snapshot().index());
            SameAnswers.check(other.snapshot(), store.snapshot());
            Volume full = other.snapshot().volume(RichState.FULL).orElseThrow();
            assertThat(full.spec().secrets().asMap()).isEqualTo(RichState.SECRET);
            assertThat(full.spec().parameters().keySet()).containsExactly("z", "a");
            assertThat(encode(other)).isEqualTo(bytes);
        }
    }

    /**
     * Common parts of volumes are decoded once and cached. These volumes have very similar parts, and more different parts than the cache
     * can keep.
     */
    @Test
    void similarVolumesAreRestoredAsDifferentVolumes() {
        try (StateStore store = store(cipher("k1", KEY));
                StateStore other = store(cipher("k1", KEY))) {
            for (int i = 0; i < 12_000; i++) {
                VolumeSpec.Builder spec = Cluster.spec("plugin-" + i % 3)
                        // The name of a created volume is unique.
                        .name(i % 2 == 0 ? "" : "name-" + (i % 5 == 0 ? i : i % 11))
                        .parameters(Map.of("pool", "p" + i % 6_000))
                        .externalVolumeId(i % 5 == 0 ? null : ExternalVolumeId.of("vol-" + i))
                        .sharedWith(
                                i % 4 == 0 ? List.of(Namespace.of("team-" + i % 8), Namespace.of("all")) : List.of());
                if (i % 7 == 0) {
                    spec.secrets(Secrets.of(Map.of("key", "secret-" + i % 13)));
                }
                boolean made = i % 5 == 0;
                assertThat(store.apply(new VolumeCommand.RegisterVolume(
                                        Cluster.key("v-" + i),
                                        spec.build(),
                                        made ? VolumeOrigin.CREATED : VolumeOrigin.REGISTERED,
                                        made && i % 2 == 0
                                                ? ProviderFacts.builder()
                                                        .externalVolumeId(ExternalVolumeId.of("made-" + i))
                                                        .capacityBytes(i % 4)
                                                        .build()
                                                : ProviderFacts.none(),
                                        Cluster.AT))
                                .accepted())
                        .isTrue();
            }
            byte[] bytes = encode(store);
            restore(other, bytes);
            Iterator<Volume> restored =
                    other.snapshot().volumes(VolumeQuery.all()).items().iterator();
            for (Volume volume : store.snapshot().volumes(VolumeQuery.all()).items()) {
                assertThat(restored.next()).isEqualTo(volume);
            }
            assertThat(encode(other)).isEqualTo(bytes);
            SameAnswers.check(other.snapshot(), store.snapshot());
        }
    }

    /**
     * Checks that the outline has all fields of a volume, because a missing field would be lost. Only fields that are decoded separately
     * have another type.
     */
    @Test
    void volumeOutlineMessageHasAllFieldsOfVolumeMessage() {
        List<String> outline = fields(StateProto.VolumeOutline.getDescriptor());
        List<String> volume = fields(StateProto.Volume.getDescriptor());
        assertThat(outline).isEqualTo(volume);
        assertThat(outline).contains("7 claims repeated csi4j.state.v1.Claim");
    }

    private static List<String> fields(Descriptor message) {
        List<String> fields = new ArrayList<>();
        for (FieldDescriptor field : message.getFields()) {
            boolean apart = field.getName().equals("spec") || field.getName().equals("facts");
            String type = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    ? field.getMessageType().getFullName()
                    : field.getType().name();
            if (field.getNumber() < 100) {
                fields.add(field.getNumber() + " " + field.getName() + (field.isRepeated() ? " repeated " : " ")
                        + (apart ? "" : type));
            }
        }
        return fields;
    }

    @Test
    void storesWithSameCommandsEncodeToSameBytes() {
        SplittableRandom random = Seeds.next("StateEncodingTest");
        RandomCommands commands = new RandomCommands(random);
        try (StateStore first = store(cipher("k1", KEY));
                StateStore second = store(cipher("k1", KEY));
                StateStore third = store(cipher("k1", KEY))) {
            for (int i = 1; i <= 2_000; i++) {
                Command command = commands.next(first.snapshot());
                first.applyAt(i, command);
                second.applyAt(i, command);
                if (i == 1_000) {
                    // A replica that joins later from a snapshot.
                    restore(third, encode(second));
                } else if (i > 1_000) {
                    third.applyAt(i, command);
                }
                if (i % 250 == 0) {
                    assertThat(encode(second)).isEqualTo(encode(first));
                }
            }
            assertThat(encode(third)).isEqualTo(encode(first));
            SameAnswers.check(third.snapshot(), first.snapshot());
        }
    }

    @Test
    void encodingIgnoresLaterWrites() {
        try (StateStore store = rich(cipher("k1", KEY))) {
            StateReader snapshot = store.snapshot();
            byte[] before = encode(store);
            store.apply(Cluster.register("new", "p1"));
            assertThat(encode(store)).isNotEqualTo(before);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            store.encode(snapshot, out);
            assertThat(out.toByteArray()).isEqualTo(before);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void changedByteIsDetectedAndLeavesRunningStoreUnchanged() {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore running = running()) {
            byte[] bytes = encode(store);
            byte[] before = encode(running);
            StateReader snapshot = running.snapshot();
            for (int i = 0; i < bytes.length; i++) {
                byte[] changed = bytes.clone();
                changed[i] ^= (byte) (1 << (i % 8));
                StateFormatException failure = refused(running, changed, "byte " + i);
                // The reported position is that of the damaged record.
                int record = i;
                assertThat(failure.position())
                        .as("byte %d", i)
                        .isEqualTo(starts(bytes)
                                .filter(start -> start <= record)
                                .max()
                                .orElse(0));
                assertThat(failure)
                        .hasMessageContaining("at byte " + failure.position())
                        .hasMessageContaining("Nothing was restored");
            }
            assertThat(running.snapshot()).isSameAs(snapshot);
            assertThat(encode(running)).isEqualTo(before);
            assertThat(running.apply(Cluster.register("still", "p")).accepted()).isTrue();
        }
    }

    @Test
    void truncationAtAnyByteIsDetected() {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore running = running()) {
            byte[] bytes = encode(store);
            StateReader snapshot = running.snapshot();
            for (int length = 0; length < bytes.length; length++) {
                StateFormatException failure = refused(running, Arrays.copyOf(bytes, length), "cut at " + length);
                assertThat(failure.position()).isLessThanOrEqualTo(length);
            }
            assertThat(running.snapshot()).isSameAs(snapshot);
            assertThatThrownBy(() -> restore(running, Arrays.copyOf(bytes, bytes.length - 1)))
                    .hasMessageContaining("cut off after " + (bytes.length - 1) + " bytes")
                    .hasMessageContaining("Nothing was restored");
            assertThatThrownBy(() -> restore(running, Arrays.copyOf(bytes, bytes.length + 1)))
                    .hasMessageContaining("at byte " + bytes.length)
                    .hasMessageContaining("more after the end");
        }
    }

    @Test
    void failedReadLeavesRunningStoreUnchanged() {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore running = running()) {
            byte[] bytes = encode(store);
            StateReader snapshot = running.snapshot();
            for (int good : new int[] {0, 3, 100, bytes.length - 1, bytes.length}) {
                InputStream broken = new SequenceInputStream(new ByteArrayInputStream(bytes, 0, good), new OnFire());
                assertThatThrownBy(() -> running.restore(broken))
                        .isInstanceOf(IOException.class)
                        .hasMessage("disk on fire");
            }
            assertThat(running.snapshot()).isSameAs(snapshot);
            assertThat(running.apply(Cluster.register("still", "p")).accepted()).isTrue();
        }
    }

    private static final class OnFire extends InputStream {
        @Override
        public int read() throws IOException {
            throw new IOException("disk on fire");
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            throw new IOException("disk on fire");
        }
    }

    @Test
    void failedWriteLeavesStoreUsable() {
        try (StateStore store = rich(cipher("k1", KEY))) {
            byte[] bytes = encode(store);
            OutputStream full = new OutputStream() {
                private int room = bytes.length / 2;

                @Override
                public void write(int b) throws IOException {
                    if (room-- == 0) {
                        throw new IOException("disk full");
                    }
                }
            };
            assertThatThrownBy(() -> store.encode(full))
                    .isInstanceOf(IOException.class)
                    .hasMessage("disk full");
            assertThat(encode(store)).isEqualTo(bytes);
        }
    }

    @Test
    void recordThatIsMissingRepeatedOrMovedIsDetected() {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore running = running()) {
            byte[] bytes = encode(store);
            List<byte[]> records = records(bytes);
            for (int i = 0; i < records.size(); i++) {
                List<byte[]> missing = new ArrayList<>(records);
                missing.remove(i);
                refused(running, join(missing), "without record " + i);
                List<byte[]> doubled = new ArrayList<>(records);
                doubled.add(i, records.get(i));
                refused(running, join(doubled), "record " + i + " twice");
                if (i > 0) {
                    List<byte[]> moved = new ArrayList<>(records);
                    moved.add(i - 1, moved.remove(i));
                    refused(running, join(moved), "record " + i + " moved");
                }
            }
            assertThat(join(records)).isEqualTo(bytes);
        }
    }

    @Test
    void wrongRecordLengthIsDetectedWithoutAllocatingThatMuchMemory() {
        try (StateStore store = store(ClearTextSecretsCipher.secretsStayReadable());
                StateStore running = running()) {
            byte[] bytes = encode(store);
            ByteBuffer.wrap(bytes).putInt(RecordWriter.MAGIC.length + 1, Integer.MAX_VALUE);
            assertThatThrownBy(() -> restore(running, bytes)).hasMessageContaining("its length is 2147483647");
        }
    }

    @Test
    void errorForNewerFormatContainsRemedy() {
        try (StateStore running = running()) {
            byte[] bytes = encode(4, List.of());
            assertThatThrownBy(() -> restore(running, bytes))
                    .isInstanceOf(StateFormatException.class)
                    .hasMessageContaining("format 4")
                    .hasMessageContaining("reads 1 to 3")
                    .hasMessageContaining("use a newer csi4j");
            assertThatThrownBy(() -> restore(running, "PK\u0003\u0004 a zip".getBytes(StandardCharsets.ISO_8859_1)))
                    .hasMessageContaining("not an encoded state of csi4j");
        }
    }

    @Test
    void unknownEnumValueIsRefused() {
        try (StateStore running = running()) {
            byte[] bytes = encode(
                    FormatRepair.PRESENT,
                    List.of(StateProto.Volume.newBuilder()
                            .setNamespace("default")
                            .setVolumeId("v")
                            .setSpec(StateProto.VolumeSpec.newBuilder().setPluginId("p"))
                            .setOrigin("REGISTERED")
                            .setPhase("MELTING")
                            .build()));
            assertThatThrownBy(() -> restore(running, bytes))
                    .isInstanceOf(StateFormatException.class)
                    .hasMessageContaining("in record 2 (VOLUME)")
                    .hasMessageContaining("phase is \"MELTING\"");
        }
    }

    @Test
    void encodedBytesContainNoSecret() {
        try (StateStore store = rich(cipher("k1", KEY))) {
            String text = new String(encode(store), StandardCharsets.ISO_8859_1);
            assertThat(text)
                    .contains("vol-1")
                    .contains("k1")
                    .doesNotContain("correct horse")
                    .doesNotContain("password");
        }
        try (StateStore store = rich(ClearTextSecretsCipher.secretsStayReadable())) {
            assertThat(new String(encode(store), StandardCharsets.ISO_8859_1)).contains("correct horse");
        }
    }

    @Test
    void storeThatIsWrittenToDiskNeedsCipherFromTheStart() {
        assertThatThrownBy(() -> StateStore.create(StateStoreOptions.ofDefaults()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no secretsCipher")
                .hasMessageContaining("inMemory");
        try (StateStore memory = StateStore.inMemory()) {
            assertThatThrownBy(() -> encode(memory))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("in memory only")
                    .hasMessageContaining("StateStore.create");
        }
    }

    @Test
    void encryptedStateIsNotRestoredWithoutCipher() {
        try (StateStore other = store(null);
                StateStore hiding = rich(cipher("k1", KEY))) {
            assertThatThrownBy(() -> restore(other, encode(hiding)))
                    .isInstanceOf(CsiException.class)
                    .hasMessageContaining("default/full")
                    .hasMessageContaining("key k1");
            assertThat(other.snapshot().index()).isZero();
        }
    }

    @Test
    void errorForRestoreWithWrongKeyContainsKeyName() {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore unknown = running(cipher("k2", key(2)));
                StateStore wrong = running(cipher("k1", key(2)));
                StateStore clear = running(ClearTextSecretsCipher.secretsStayReadable());
                StateStore none = running(null)) {
            byte[] bytes = encode(store);
            Map<StateStore, String> refusals = Map.of(
                    unknown, "key k1, which is not among the keys given (k2)",
                    wrong, "do not open with key k1",
                    clear, "encrypted with key k1",
                    none, "set StateStoreOptions.secretsCipher");
            refusals.forEach((running, reason) -> {
                StateReader before = running.snapshot();
                assertThatThrownBy(() -> restore(running, bytes))
                        .isInstanceOf(CsiException.class)
                        .isNotInstanceOf(StateFormatException.class)
                        .hasMessageContaining(reason)
                        .hasMessageContaining("default/full")
                        .hasMessageNotContaining("horse");
                assertThat(running.snapshot()).isSameAs(before);
            });
        }
    }

    /** A failure of the host's cipher is not reported as a damaged file, and its text is not shown. */
    @Test
    void errorForFailingCipherContainsVolumeAndKeyName() {
        SecretsCipher broken = new SecretsCipher() {
            @Override
            public String keyId() {
                return "k1";
            }

            @Override
            public byte[] encrypt(byte[] clear, byte[] field) {
                throw new IllegalStateException("cannot encrypt " + new String(clear, StandardCharsets.UTF_8));
            }

            @Override
            public byte[] decrypt(String keyId, byte[] hidden, byte[] field) {
                throw new IllegalArgumentException("the vault is sealed");
            }
        };
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore running = running(broken);
                StateStore rich = rich(broken)) {
            StateReader before = running.snapshot();
            byte[] bytes = encode(store);
            assertThatThrownBy(() -> restore(running, bytes))
                    .isInstanceOf(CsiException.class)
                    .isNotInstanceOf(StateFormatException.class)
                    .hasMessageContaining("default/full")
                    .hasMessageContaining("key k1")
                    .hasMessageContaining("IllegalArgumentException");
            assertThat(running.snapshot()).isSameAs(before);
            assertThatThrownBy(() -> encode(rich))
                    .isInstanceOf(CsiException.class)
                    .hasMessageContaining("default/full")
                    .hasMessageNotContaining("horse")
                    .hasNoCause();
        }
    }

    @Test
    void stateEncryptedWithOldKeyIsReadAfterRotation() {
        SecretsCipher both = AesGcmSecretsCipher.builder()
                .oldKey("k1", KEY)
                .currentKey("k2", key(2))
                .build();
        try (StateStore old = rich(cipher("k1", KEY));
                StateStore rotated = store(both);
                StateStore onlyNew = store(cipher("k2", key(2)))) {
            restore(rotated, encode(old));
            restore(onlyNew, encode(rotated));
            SameAnswers.check(onlyNew.snapshot(), old.snapshot());
        }
    }

    @Test
    void restoreNotifiesWatchesAndAcceptsNextCommand() throws Exception {
        try (StateStore store = rich(cipher("k1", KEY));
                StateStore other = store(cipher("k1", KEY))) {
            new Cluster(other).node("n", "p");
            CompletableFuture<Long> watch = other.newerThan(
                    StateScope.volume(Cluster.key("never-there")),
                    other.snapshot().index());
            long index = restore(other, encode(store));
            assertThat(watch.get(10, TimeUnit.SECONDS)).isEqualTo(index);
            assertThat(other.apply(Cluster.register("next", "p1")).accepted()).isTrue();
            assertThat(other.snapshot().index()).isEqualTo(index + 1);
            assertThat(store.snapshot().volume(Cluster.key("next"))).isEmpty();
        }
    }

    static SecretsCipher cipher(String id, SecretKey key) {
        return AesGcmSecretsCipher.builder().currentKey(id, key).build();
    }

    static SecretKey key(int seed) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) seed);
        return new SecretKeySpec(bytes, "AES");
    }

    static StateStore store(SecretsCipher cipher) {
        StateStoreOptions.Builder options = StateStoreOptions.builder();
        if (cipher != null) {
            options.secretsCipher(cipher);
        }
        return cipher == null ? StateStore.inMemory(options.build()) : StateStore.create(options.build());
    }

    static StateStore rich(SecretsCipher cipher) {
        return written(cipher, RichState::write);
    }

    static StateStore written(SecretsCipher cipher, Consumer<WritableState> rows) {
        StateStore store = store(cipher);
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(10))) {
            rows.accept(transaction);
            transaction.commit(42);
        }
        return store;
    }

    private static StateStore running() {
        return running(cipher("k1", KEY));
    }

    private static StateStore running(SecretsCipher cipher) {
        StateStore store = store(cipher);
        new Cluster(store)
                .node("n", "p")
                .volume("mine", "p")
                .allocation("a", "n")
                .claim("mine", "a");
        return store;
    }

    static byte[] encode(StateStore store) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            store.encode(out);
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Encodes volumes in another format, with correct checksums. */
    static byte[] encode(int format, List<StateProto.Volume> volumes) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            RecordWriter writer = new RecordWriter(out);
            writer.write(
                    RecordKind.HEADER,
                    StateProto.Header.newBuilder().setFormat(format).setIndex(7).build());
            for (StateProto.Volume volume : volumes) {
                writer.write(RecordKind.VOLUME, volume);
            }
            writer.write(
                    RecordKind.TRAILER,
                    StateProto.Trailer.newBuilder().setVolumes(volumes.size()).build());
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long restore(StateStore store, byte[] bytes) {
        try {
            return store.restore(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static StateFormatException refused(StateStore store, byte[] bytes, String what) {
        try {
            restore(store, bytes);
        } catch (StateFormatException e) {
            return e;
        }
        return fail("%s was not noticed", what);
    }

    private static List<byte[]> records(byte[] bytes) {
        List<byte[]> records = new ArrayList<>();
        int at = RecordWriter.MAGIC.length;
        while (at < bytes.length) {
            int size = RecordWriter.HEAD + ByteBuffer.wrap(bytes).getInt(at + 1) + RecordWriter.TAIL;
            records.add(Arrays.copyOfRange(bytes, at, at + size));
            at += size;
        }
        return records;
    }

    private static IntStream starts(byte[] bytes) {
        IntStream.Builder starts = IntStream.builder();
        int at = RecordWriter.MAGIC.length;
        for (byte[] record : records(bytes)) {
            starts.add(at);
            at += record.length;
        }
        return starts.build();
    }

    private static byte[] join(List<byte[]> records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(RecordWriter.MAGIC);
        records.forEach(out::writeBytes);
        return out.toByteArray();
    }

    @Test
    void invalidEncryptionKeyIsRefused() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> AesGcmSecretsCipher.builder().currentKey("k", new SecretKeySpec(new byte[5], "AES")))
                .withMessageContaining("128, 192 or 256 bits");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> AesGcmSecretsCipher.builder().build())
                .withMessageContaining("set currentKey");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(
                        () -> AesGcmSecretsCipher.builder().currentKey("k", KEY).oldKey("k", key(2)))
                .withMessageContaining("names two keys");
        assertThat(cipher("k1", KEY).toString()).doesNotContain("0101").contains("k1");
    }

    @Test
    void secretMovedToOtherFieldIsNotDecrypted() {
        SecretsCipher cipher = cipher("k1", KEY);
        byte[] clear = "hush".getBytes(StandardCharsets.UTF_8);
        byte[] here = {1};
        byte[] there = {2};
        byte[] hidden = cipher.encrypt(clear, here);
        assertThat(cipher.decrypt("k1", hidden, here)).isEqualTo(clear);
        assertThat(cipher.encrypt(clear, here)).isEqualTo(hidden);
        assertThat(cipher.encrypt(clear, there)).isNotEqualTo(hidden);
        assertThatThrownBy(() -> cipher.decrypt("k1", hidden, there)).isInstanceOf(CsiException.class);
        assertThatThrownBy(() -> cipher.decrypt("k1", new byte[3], here)).hasMessageContaining("cut short");
    }
}
