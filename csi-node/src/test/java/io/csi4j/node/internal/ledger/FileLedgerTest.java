package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.internal.file.DurableFile;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.Bench;
import io.csi4j.node.NodeMount;
import io.csi4j.proto.file.v1.FileProto;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class FileLedgerTest {
    @TempDir
    Path directory;

    public static VolumeEntry entry(String volume, String allocation) {
        NodeMount request = NodeMount.builder(Bench.id(volume), AllocationId.of(allocation), Bench.MANY)
                .publishContext(PublishContext.of(Map.of("device", "publish-canary")))
                .volumeContext(VolumeContext.of(Map.of("share", "volume-canary")))
                .stageSecrets(Secrets.of(Map.of("k", "secret-canary-1")))
                .publishSecrets(Secrets.of(Map.of("k", "secret-canary-2")))
                .readonly(true)
                .build();
        return new VolumeEntry(
                request.volume(),
                request.id(),
                new StagingEntry(MountTerms.of(request), StagingPhase.STAGED, "boot", true),
                List.of(new UseEntry(
                        UseId.first(AllocationId.of(allocation)),
                        MountTerms.of(request),
                        UsePhase.PUBLISHED,
                        "boot",
                        true)),
                true,
                42);
    }

    @Test
    void savedRecordIsLoadedByNextProcess() throws IOException {
        VolumeEntry odd = entry("../\u00e9\ud83d\ude00", "a/b");
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            ledger.save(entry("v", "a"));
            ledger.save(odd);
            ledger.save(entry("w", "a"));
            ledger.remove(VolumeKey.of("ns", "w"));
            ledger.remove(VolumeKey.of("ns", "never"));
        }
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactlyInAnyOrder(entry("v", "a"), odd);
            assertThat(ledger.load().setAside()).isEmpty();
        }
    }

    @Test
    void laterRecordReplacesEarlierRecord() throws IOException {
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            ledger.save(entry("v", "a"));
            ledger.save(entry("v", "b"));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "b"));
        }
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactly(entry("v", "b"));
            ledger.save(entry("v", "c").uncertainAt(7));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "c").uncertainAt(7));
        }
    }

    @Test
    void intactRecordWithInvalidValueIsMovedAside() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        FileProto.VolumeRecord valid = EntryCodec.encode(entry("v", "a"));
        DurableFile<FileProto.VolumeRecord> files = DurableFile.of("volume", 1, FileProto.VolumeRecord.parser(), false);
        files.write(
                file,
                valid.toBuilder()
                        .setStaging(valid.getStaging().toBuilder().setPhase("NO_PHASE_canary"))
                        .build());
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            VolumeLedger.Contents contents = ledger.load();
            assertThat(contents.entries()).isEmpty();
            assertThat(contents.setAside())
                    .extracting(VolumeLedger.SetAside::message)
                    .allMatch(message -> message.contains("not a valid record") && !message.contains("canary"))
                    .hasSize(1);
        }
        assertThat(directory.resolve("ns/v.rec.aside-1")).exists();
    }

    @Test
    void recordFilesAreReadableByOwnerOnlyAndContainNoSecrets() throws IOException {
        try (FileLedger ledger = FileLedger.open(directory.resolve("new"), false)) {
            ledger.save(entry("v", "a"));
        }
        Path file = directory.resolve("new/ns/v.rec");
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        assertThat(text).contains("publish-canary").doesNotContain("secret-canary");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void recordWithAnyChangedByteIsMovedAside() throws IOException {
        byte[] whole = bytes(entry("v", "a"));
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        for (int at = 0; at < whole.length; at++) {
            byte[] broken = whole.clone();
            broken[at] ^= 0x10;
            Files.write(file, broken);
            try (FileLedger ledger = FileLedger.open(directory, false)) {
                VolumeLedger.Contents contents = ledger.load();
                assertThat(contents.entries()).as("byte %s", at).isEmpty();
                assertThat(contents.setAside()).hasSize(1);
                assertThat(contents.setAside().get(0).volume()).contains(VolumeKey.of("ns", "v"));
                assertThat(contents.setAside().get(0).message())
                        .contains("v.rec.aside-1")
                        .doesNotContain("canary");
            }
            Files.delete(directory.resolve("ns/v.rec.aside-1"));
        }
    }

    /** Returns the encoded record as in its file. */
    private byte[] bytes(VolumeEntry entry) throws IOException {
        Path elsewhere = Files.createTempDirectory(directory.getParent(), "ledger");
        try (FileLedger ledger = FileLedger.open(elsewhere, false)) {
            ledger.save(entry);
        }
        return Files.readAllBytes(elsewhere.resolve("ns/v.rec"));
    }

    @Test
    void recordTruncatedAnywhereIsMovedAside() throws IOException {
        byte[] whole = bytes(entry("v", "a"));
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        for (int length = 0; length < whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            try (FileLedger ledger = FileLedger.open(directory, false)) {
                VolumeLedger.Contents contents = ledger.load();
                assertThat(contents.entries()).as("%s bytes", length).isEmpty();
                assertThat(contents.setAside()).hasSize(1);
            }
            Files.delete(directory.resolve("ns/v.rec.aside-1"));
        }
    }

    @Test
    void damagedRecordIsReplacedByNextSave() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            ledger.save(entry("v", "a"));
            Files.write(file, new byte[] {1, 2, 3});
            ledger.save(entry("v", "b"));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "b"));
            Files.delete(file);
            ledger.save(entry("v", "c"));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "c"));
        }
    }

    @Test
    void operatorRequestToUnmountIsLoadedByNextProcess() throws IOException {
        UseId use = UseId.first(AllocationId.of("a"));
        VolumeEntry ordered = entry("v", "a")
                .leave(use)
                .change(use, left -> left.with(new UnmountOrder("al\u00efce", "the driver\nwas killed", 77)));
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            ledger.save(ordered);
        }
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactly(ordered);
        }
    }

    @Test
    void severalMountsOfAllocationAreLoadedByNextProcess() throws IOException {
        VolumeEntry one = entry("v", "a");
        NodeMount request = NodeMount.builder(Bench.id("v"), AllocationId.of("a"), Bench.MANY)
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .targetFlags(MountFlags.of("nosuid", "nodev"))
                .build();
        NodeMount withoutFlags = NodeMount.builder(Bench.id("v"), AllocationId.of("a"), Bench.MANY)
                .mountOptions(MountOptions.of("ext4", "noatime"))
                .targetFlags(MountFlags.empty())
                .build();
        VolumeEntry several = one.with(UseEntry.wanted(new UseId(AllocationId.of("a"), 1), MountTerms.of(request)))
                .with(UseEntry.wanted(new UseId(AllocationId.of("a"), 2), MountTerms.of(withoutFlags)));
        assertThat(several.uses()).hasSize(3);
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            ledger.save(several);
            assertThat(ledger.load().entries()).containsExactly(several);
        }
    }

    /** A record that was written before an allocation could have several mounts has the bytes that it has now. */
    @Test
    void recordOfOneMountHasNoNewFields() {
        FileProto.VolumeRecord record = EntryCodec.encode(entry("v", "a"));
        assertThat(record.getUsers(0).getNumber()).isZero();
        assertThat(record.getUsers(0).getTerms().hasTargetFlags()).isFalse();
    }

    @Test
    void recordFromNewerVersionIsMovedAsideAndReported() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        DurableFile.of("volume", 3, FileProto.VolumeRecord.parser(), false)
                .write(file, EntryCodec.encode(entry("v", "a")));
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().setAside())
                    .extracting(VolumeLedger.SetAside::message)
                    .allMatch(message -> message.contains("has format version 3"))
                    .hasSize(1);
        }
    }

    @Test
    void directoryInPlaceOfRecordIsMovedAside() throws IOException {
        Files.createDirectories(directory.resolve("ns/v.rec"));
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().setAside()).hasSize(1);
            ledger.save(entry("v", "a"));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a"));
        }
    }

    @Test
    void recordInFileOfAnotherVolumeIsRejected() throws IOException {
        Files.createDirectories(directory.resolve("ns"));
        Files.write(directory.resolve("ns/w.rec"), bytes(entry("v", "a")));
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().entries()).isEmpty();
        }
        try (Stream<Path> files = Files.list(directory.resolve("ns"))) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly("w.rec.aside-1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"db.records", "db.rec", "x.rec.aside-1", "a.rec.b"})
    void brokenRecordIsAttributedToItsVolume(String volume) throws IOException {
        Path file = directory.resolve("ns").resolve(volume + ".rec");
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[] {1, 2, 3});
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            for (int query = 0; query < 2; query++) {
                assertThat(ledger.load().setAside())
                        .extracting(VolumeLedger.SetAside::volume)
                        .containsExactly(Optional.of(VolumeKey.of("ns", volume)));
            }
        }
    }

    @Test
    void fileWithUnknownNameInLedgerIsReportedWithoutVolume() throws IOException {
        Files.createDirectories(directory.resolve("ns"));
        Files.write(directory.resolve("ns/notes.aside-1"), new byte[] {1});
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().setAside())
                    .extracting(VolumeLedger.SetAside::volume)
                    .containsExactly(Optional.empty());
        }
    }

    /** A disk that cannot be read now may be readable later. */
    @Test
    void temporarilyUnreadableRecordIsNotMovedAside() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        // Reading this file from its beginning fails with an input/output error.
        Files.createSymbolicLink(file, Path.of("/proc/self/mem"));
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThatThrownBy(ledger::load).isInstanceOf(IOException.class);
            assertThat(Files.isSymbolicLink(file)).isTrue();
            Files.delete(file);
            ledger.save(entry("v", "a"));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a"));
        }
    }

    @Test
    void temporaryFileOfEarlierProcessIsRemoved() throws IOException {
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            ledger.save(entry("v", "a"));
            Files.write(directory.resolve("ns/v.rec.tmp"), new byte[] {1, 2});
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a"));
            assertThat(directory.resolve("ns/v.rec.tmp")).doesNotExist();
        }
    }

    @Test
    void secondProcessCannotOpenLedger() throws IOException {
        try (FileLedger first = FileLedger.open(directory, false)) {
            assertThatThrownBy(() -> FileLedger.open(directory, false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
            first.save(entry("v", "a"));
        }
        FileLedger.open(directory, false).close();
    }

    @Test
    void closedLedgerChangesNothing() throws IOException {
        FileLedger closed = FileLedger.open(directory, false);
        closed.save(entry("v", "a"));
        closed.close();
        try (FileLedger next = FileLedger.open(directory, false)) {
            assertThatThrownBy(() -> closed.save(entry("w", "a"))).hasMessageContaining("is closed");
            assertThatThrownBy(() -> closed.remove(VolumeKey.of("ns", "v"))).hasMessageContaining("is closed");
            assertThat(next.load().entries()).containsExactly(entry("v", "a"));
        }
    }

    @Test
    void ledgerThatIsClosedTwiceLeavesTheNextOneLocked() throws IOException {
        FileLedger first = FileLedger.open(directory, false);
        first.close();
        try (FileLedger next = FileLedger.open(directory, false)) {
            first.close();
            assertThatThrownBy(() -> FileLedger.open(directory, false)).hasMessageContaining("in use");
            next.save(entry("v", "a"));
        }
    }

    @Test
    void directoryThatThisProcessHasLockedUnderAnotherPathIsRefusedUntilThatIsClosed() throws IOException {
        Path other = Files.createDirectory(directory.resolve("other"));
        try (FileLedger first = FileLedger.open(directory.resolve("one"), false)) {
            Files.createLink(other.resolve(".lock"), directory.resolve("one/.lock"));
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> FileLedger.open(other, false))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("in use");
            }
            first.save(entry("v", "a"));
        }
        FileLedger.open(other, false).close();
    }
}
