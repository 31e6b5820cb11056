package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileLedgerTest {
    @TempDir
    Path directory;

    static VolumeEntry entry(String volume, String allocation) {
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
                new StagingEntry(request.terms(), StagingPhase.STAGED, "boot", true),
                List.of(new UserEntry(AllocationId.of(allocation), request.terms(), UserPhase.PUBLISHED, "boot", true)),
                true,
                42);
    }

    @Test
    void whatWasSavedIsLoadedByTheNextProcess() throws IOException {
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
    void noSecretIsWrittenAndNobodyElseMayRead() throws IOException {
        try (FileLedger ledger = FileLedger.open(directory.resolve("new"), false)) {
            ledger.save(entry("v", "a"));
        }
        Path file = directory.resolve("new/ns/v.rec");
        String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_16BE)
                + new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).replace("\0", "");
        assertThat(text).contains("publish-canary").doesNotContain("secret-canary");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void everyBrokenByteIsFoundAndTheRecordSetAside() throws IOException {
        byte[] whole = EntryCodec.encode(entry("v", "a"));
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        for (int at = 0; at < whole.length; at += 3) {
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

    /** One file, by the first process for {@code first}, by the next for {@code second}. */
    private byte[] saved(VolumeEntry first, VolumeEntry second) throws IOException {
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            ledger.save(first);
        }
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactly(first);
            ledger.save(second);
        }
        return Files.readAllBytes(directory.resolve("ns/v.rec"));
    }

    @Test
    void whatARecordSaysLaterIsAddedToItsFile() throws IOException {
        VolumeEntry first = entry("v", "a");
        VolumeEntry second = entry("v", "b").uncertainAt(7);
        byte[] file = saved(first, second);
        byte[] begun = EntryCodec.encode(first);
        byte[] more = EntryCodec.encode(second);
        assertThat(file).startsWith(begun).hasSize(4096).endsWith(new byte[file.length - begun.length - more.length]);
        assertThat(Arrays.copyOfRange(file, begun.length, begun.length + more.length))
                .isEqualTo(more);
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactly(second);
            ledger.remove(second.key());
            ledger.save(first);
            assertThat(Files.readAllBytes(directory.resolve("ns/v.rec")))
                    .startsWith(begun)
                    .endsWith(new byte[4096 - begun.length]);
            assertThat(ledger.load().entries()).containsExactly(first);
        }
    }

    @Test
    void whatWasNotWrittenToItsEndWasNeverSaid() throws IOException {
        VolumeEntry first = entry("v", "a");
        VolumeEntry second = entry("v", "b");
        byte[] whole = saved(first, second);
        int begun = EntryCodec.encode(first).length;
        for (int length = begun; length < begun + EntryCodec.encode(second).length; length++) {
            assertThatTheFirstCounts(Arrays.copyOf(whole, length), first, second, length + " bytes");
        }
    }

    private void assertThatTheFirstCounts(byte[] content, VolumeEntry first, VolumeEntry second, String what)
            throws IOException {
        Files.write(directory.resolve("ns/v.rec"), content);
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            VolumeLedger.Contents contents = ledger.load();
            assertThat(contents.entries()).as(what).containsExactly(first);
            assertThat(contents.setAside()).isEmpty();
            ledger.save(second);
            ledger.save(first);
            assertThat(ledger.load().entries()).as("after %s", what).containsExactly(first);
        }
    }

    /** A disk writes sectors, in any order; what is in one already is in it afterwards, too. */
    @ParameterizedTest
    @ValueSource(
            ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 40, 60, 90, 110, 120, 127
            })
    void aFrameOfWhichASectorWasNotWrittenWasNeverSaid(int longer) throws IOException {
        VolumeEntry first = entry("v", "a".repeat(longer + 1));
        VolumeEntry second = entry("v", "b".repeat(100));
        byte[] whole = saved(first, second);
        int begin = EntryCodec.encode(first).length;
        int end = begin + EntryCodec.encode(second).length;
        int sectors = (end - 1) / 512 - begin / 512 + 1;
        assertThat(sectors).isBetween(2, 5);
        for (int unwritten = 1; unwritten < 1 << sectors; unwritten++) {
            byte[] torn = whole.clone();
            for (int at = begin; at < end; at++) {
                if ((unwritten >> (at / 512 - begin / 512) & 1) == 1) {
                    torn[at] = 0;
                }
            }
            assertThatTheFirstCounts(
                    torn, first, second, "sectors " + Integer.toBinaryString(unwritten) + " from byte " + begin);
        }
    }

    @Test
    void aRecordOfManyFramesGrowsByMoreThanOne() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        Set<Long> lengths = new TreeSet<>();
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            for (int round = 0; round < 40; round++) {
                ledger.save(entry("v", "a").uncertainAt(round));
                lengths.add(Files.size(file));
                assertThat(ledger.load().entries())
                        .containsExactly(entry("v", "a").uncertainAt(round));
            }
        }
        assertThat(lengths).hasSizeBetween(4, 10).allMatch(length -> length % 4096 == 0);
    }

    @Test
    void aByteThatBrokeInAnyPartOfAFileIsNotTakenForTheEndOfTheProcess() throws IOException {
        byte[] whole = saved(entry("v", "a"), entry("v", "b"));
        Path file = directory.resolve("ns/v.rec");
        int end = EntryCodec.encode(entry("v", "a")).length + EntryCodec.encode(entry("v", "b")).length;
        for (int at = 0; at < end; at++) {
            byte[] broken = whole.clone();
            broken[at] ^= 0x10;
            Files.write(file, broken);
            try (FileLedger ledger = FileLedger.open(directory, false)) {
                VolumeLedger.Contents contents = ledger.load();
                assertThat(contents.entries()).as("byte %s", at).isEmpty();
                assertThat(contents.setAside()).hasSize(1);
            }
            Files.delete(directory.resolve("ns/v.rec.aside-1"));
        }
    }

    /** What came after it was only written because it was relied on. */
    @Test
    void aFrameThatLostASectorBeforeOthersIsNotTakenForTheEndOfTheProcess() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            for (int round = 0; round < 12; round++) {
                ledger.save(entry("v", "a".repeat(1 + 11 * round)).uncertainAt(round));
            }
        }
        byte[] whole = Files.readAllBytes(file);
        int end = whole.length;
        while (whole[end - 1] == 0) {
            end--;
        }
        int lastFrame = end - EntryCodec.encode(entry("v", "a".repeat(122)).uncertainAt(11)).length;
        assertThat(lastFrame).isGreaterThan(8 * 512);
        for (int sector = 0; (sector + 1) * 512 <= lastFrame; sector++) {
            byte[] broken = whole.clone();
            Arrays.fill(broken, sector * 512, (sector + 1) * 512, (byte) 0);
            Files.write(file, broken);
            try (FileLedger ledger = FileLedger.open(directory, false)) {
                VolumeLedger.Contents contents = ledger.load();
                assertThat(contents.entries()).as("sector %s", sector).isEmpty();
                assertThat(contents.setAside()).hasSize(1);
            }
            Files.delete(directory.resolve("ns/v.rec.aside-1"));
        }
    }

    /** Any of the sectors that a write changes may be on the disk when the machine dies, and the new length or the old. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void whateverOfAWriteIsThereTheRecordSaysWhatItSaidBeforeOrAfter(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        Path file = directory.resolve("ns/v.rec");
        VolumeEntry before = entry("v", "a");
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            ledger.save(before);
        }
        int grown = 0;
        for (int round = 0; round < 60; round++) {
            byte[] was = Files.readAllBytes(file);
            VolumeEntry after = entry("v", "b".repeat(1 + random.nextInt(127))).uncertainAt(round + 1L);
            for (int more = random.nextInt(8) == 0 ? random.nextInt(20) : 0; more > 0; more--) {
                after = after.with(entry("v", "c".repeat(more)).users().get(0));
            }
            try (FileLedger ledger = FileLedger.open(directory, false)) {
                assertThat(ledger.load().entries()).containsExactly(before);
                ledger.save(after);
            }
            byte[] is = Files.readAllBytes(file);
            boolean added = Arrays.equals(Arrays.copyOf(is, 20), Arrays.copyOf(was, 20)) && is.length >= was.length;
            grown += added && is.length > was.length ? 1 : 0;
            for (int crash = 0; added && crash < 4; crash++) {
                byte[] torn = Arrays.copyOf(was, is.length);
                for (int at = 0; at < is.length; at += 512) {
                    if (random.nextBoolean()) {
                        System.arraycopy(is, at, torn, at, Math.min(512, is.length - at));
                    }
                }
                if (random.nextInt(3) == 0) {
                    torn = Arrays.copyOf(torn, was.length + random.nextInt(is.length - was.length + 1));
                }
                Files.write(file, torn);
                try (FileLedger ledger = FileLedger.open(directory, false)) {
                    VolumeLedger.Contents contents = ledger.load();
                    assertThat(contents.setAside()).as("round %s", round).isEmpty();
                    assertThat(contents.entries()).hasSize(1);
                    boolean whole = startsWith(torn, is);
                    assertThat(contents.entries().get(0)).as("round %s", round).isEqualTo(whole ? after : before);
                }
            }
            Files.write(file, is);
            before = after;
        }
        assertThat(grown).isPositive();
    }

    /** Whether all is there that is not zero. */
    private static boolean startsWith(byte[] torn, byte[] is) {
        int end = is.length;
        while (is[end - 1] == 0) {
            end--;
        }
        return torn.length >= end && Arrays.equals(torn, 0, end, is, 0, end);
    }

    /** Some file systems know the new length of a file before they have its new contents. */
    @Test
    void roomThatNothingCameToBeInWasNeverSaid() throws IOException {
        VolumeEntry first = entry("v", "a");
        VolumeEntry second = entry("v", "b");
        byte[] whole =
                Arrays.copyOf(saved(first, second), EntryCodec.encode(first).length + EntryCodec.encode(second).length);
        Path file = directory.resolve("ns/v.rec");
        for (int room : new int[] {1, 19, 20, 21, 4096}) {
            Files.write(file, Arrays.copyOf(whole, whole.length + room));
            try (FileLedger ledger = FileLedger.open(directory, false)) {
                VolumeLedger.Contents contents = ledger.load();
                assertThat(contents.entries()).as("%s bytes of room", room).containsExactly(second);
                assertThat(contents.setAside()).isEmpty();
                ledger.save(first);
                assertThat(Files.readAllBytes(file)).startsWith(whole);
                assertThat(ledger.load().entries()).containsExactly(first);
            }
        }
    }

    @Test
    void aFileThatWasAddedToForLongIsReplaced() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        long longest = 0;
        long before = 0;
        int replaced = 0;
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            for (int round = 0; round < 300; round++) {
                ledger.save(entry("v", "a").uncertainAt(round));
                long now = Files.size(file);
                replaced += now < before ? 1 : 0;
                longest = Math.max(longest, now);
                before = now;
            }
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a").uncertainAt(299));
        }
        assertThat(longest).isBetween(60_000L, 73_728L);
        assertThat(replaced).isBetween(1, 10);
    }

    @Test
    void aFileThatIsNotAsItWasLeftIsReplaced() throws IOException {
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

    /** A magic number, the version 1, length, checksum, and the body: no checksum of the header, and nothing behind it. */
    private static byte[] asBefore(VolumeEntry entry) throws IOException {
        byte[] frame = EntryCodec.encode(entry);
        byte[] body = Arrays.copyOfRange(frame, 20, frame.length);
        return ByteBuffer.allocate(16 + body.length)
                .put(frame, 0, 4)
                .putInt(1)
                .putInt(body.length)
                .put(frame, 12, 4)
                .put(body)
                .array();
    }

    @Test
    void aRecordOfBeforeIsReadAndReplaced() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        Files.write(file, asBefore(entry("v", "a")));
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a"));
            ledger.save(entry("v", "b"));
            assertThat(Files.readAllBytes(file)).startsWith(EntryCodec.encode(entry("v", "b")));
        }
        byte[] broken = asBefore(entry("v", "a"));
        broken[40] ^= 1;
        Files.write(file, broken);
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().setAside()).hasSize(1);
        }
    }

    @Test
    void orderOfAnOperatorIsLoadedByTheNextProcess() throws IOException {
        AllocationId allocation = AllocationId.of("a");
        VolumeEntry ordered = entry("v", "a")
                .leave(allocation)
                .change(allocation, user -> user.with(new UnmountOrder("al\u00efce", "the driver\nwas killed", 77)));
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            ledger.save(ordered);
        }
        try (FileLedger ledger = FileLedger.open(directory, true)) {
            assertThat(ledger.load().entries()).containsExactly(ordered);
        }
    }

    /** Without the order; without mayRun, too; and without the note of secrets. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4})
    void recordOfAnOlderProgramWithoutTheLastFieldsIsRead(int missing) throws IOException {
        VolumeEntry entry = entry("v", "a");
        byte[] frame = EntryCodec.encode(entry);
        ByteArrayOutputStream before = RecordFrames.begin(0);
        int header = before.size();
        int mark = 1;
        before.write(frame, header, frame.length - header - mark - missing);
        byte[] older = RecordFrames.finish(before);
        assertThat(older).hasSize(frame.length - missing);
        assertThat(EntryCodec.decode(older)).isEqualTo(entry);
    }

    @Test
    void aRecordOfANewerProgramIsSetAsideAndSaysSo() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        byte[] newer = saved(entry("v", "a"), entry("v", "b"));
        newer[7] = 3;
        Files.write(file, newer);
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().setAside())
                    .extracting(VolumeLedger.SetAside::message)
                    .allMatch(message -> message.contains("of version 3"))
                    .hasSize(1);
        }
    }

    /** The first frame is written in its place, and nothing is done before it is there. */
    @Test
    void aRecordThatWasNotWrittenToItsEndWasNeverSaid() throws IOException {
        Path ledgers = directory.resolve("base/ledger");
        Path file = ledgers.resolve("ns/v.rec");
        VolumeEntry entry = entry("v", "a".repeat(100));
        Files.createDirectories(file.getParent());
        byte[] whole = Arrays.copyOf(EntryCodec.encode(entry), 4096);
        int end = EntryCodec.encode(entry).length;
        List<byte[]> begun = new ArrayList<>();
        for (int length = 0; length < end; length++) {
            begun.add(Arrays.copyOf(whole, length));
        }
        int sectors = (end - 1) / 512 + 1;
        for (int unwritten = 1; unwritten < 1 << sectors; unwritten++) {
            byte[] torn = whole.clone();
            for (int at = 0; at < end; at++) {
                torn[at] = (unwritten >> (at / 512) & 1) == 1 ? 0 : torn[at];
            }
            begun.add(torn);
        }
        for (byte[] content : begun) {
            Files.write(file, content);
            try (FileLedger ledger = FileLedger.open(ledgers, false)) {
                VolumeLedger.Contents contents = ledger.load();
                assertThat(contents.entries()).as("%s bytes", content.length).isEmpty();
                assertThat(contents.setAside()).isEmpty();
                assertThat(file).doesNotExist();
                ledger.save(entry);
                assertThat(ledger.load().entries()).containsExactly(entry);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"staging/ns/v", "publish/ns/v"})
    void aRecordThatWasCutOffIsSetAsideWhereDirectoriesShowThatItWasWhole(String made) throws IOException {
        Path ledgers = directory.resolve("base/ledger");
        Path file = ledgers.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        Files.createDirectories(directory.resolve("base").resolve(made));
        Files.write(file, new byte[4096]);
        try (FileLedger ledger = FileLedger.open(ledgers, false)) {
            assertThat(ledger.load().setAside())
                    .extracting(VolumeLedger.SetAside::message)
                    .allMatch(message -> message.contains("it was cut off"))
                    .hasSize(1);
        }
    }

    @Test
    void whatIsNoFileIsSetAside() throws IOException {
        Files.createDirectories(directory.resolve("ns/v.rec"));
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().setAside()).hasSize(1);
            ledger.save(entry("v", "a"));
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a"));
        }
    }

    @Test
    void aRecordThatWasCutOffSaysNothing() throws IOException {
        byte[] whole = EntryCodec.encode(entry("v", "a"));
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> EntryCodec.decode(cut)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void theRecordOfAnotherVolumeIsNotTaken() throws IOException {
        Files.createDirectories(directory.resolve("ns"));
        Files.write(directory.resolve("ns/w.rec"), EntryCodec.encode(entry("v", "a")));
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().entries()).isEmpty();
        }
        try (Stream<Path> files = Files.list(directory.resolve("ns"))) {
            assertThat(files.map(file -> file.getFileName().toString())).containsExactly("w.rec.aside-1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"db.records", "db.rec", "x.rec.aside-1", "a.rec.b"})
    void aBrokenRecordIsThatOfItsOwnVolumeWhateverItsIdHolds(String volume) throws IOException {
        Path file = directory.resolve("ns").resolve(volume + ".rec");
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[] {1, 2, 3});
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            for (int look = 0; look < 2; look++) {
                assertThat(ledger.load().setAside())
                        .extracting(VolumeLedger.SetAside::volume)
                        .containsExactly(Optional.of(VolumeKey.of("ns", volume)));
            }
        }
    }

    @Test
    void aFileThatIsNoRecordIsOfNoVolume() throws IOException {
        Files.createDirectories(directory.resolve("ns"));
        Files.write(directory.resolve("ns/notes.aside-1"), new byte[] {1});
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            assertThat(ledger.load().setAside())
                    .extracting(VolumeLedger.SetAside::volume)
                    .containsExactly(Optional.empty());
        }
    }

    /** A disk that cannot be read now may be read the next time. */
    @Test
    void aRecordThatCannotBeReadIsNotSetAside() throws IOException {
        Path file = directory.resolve("ns/v.rec");
        Files.createDirectories(file.getParent());
        // Whoever reads it from its beginning is told of an input/output error.
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
    void aHalfWrittenFileOfTheProcessBeforeIsRemoved() throws IOException {
        try (FileLedger ledger = FileLedger.open(directory, false)) {
            ledger.save(entry("v", "a"));
            Files.write(directory.resolve("ns/v.rec.tmp"), new byte[] {1, 2});
            assertThat(ledger.load().entries()).containsExactly(entry("v", "a"));
            assertThat(directory.resolve("ns/v.rec.tmp")).doesNotExist();
        }
    }

    @Test
    void twoProcessesDoNotShareALedger() throws IOException {
        try (FileLedger first = FileLedger.open(directory, false)) {
            assertThatThrownBy(() -> FileLedger.open(directory, false))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
            first.save(entry("v", "a"));
        }
        FileLedger.open(directory, false).close();
    }
}
