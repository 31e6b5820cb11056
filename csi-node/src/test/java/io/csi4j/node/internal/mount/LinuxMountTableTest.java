package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LinuxMountTableTest {
    private static List<Path> points(String text) throws IOException {
        return LinuxMountTable.parse(text).within(Path.of("/"));
    }

    /** The kernel puts a context into quotes if it has commas. */
    @Test
    void contextOfTheTopmostMountIsRead() throws IOException {
        MountPoints mounted = LinuxMountTable.parse("""
            1 2 0:5 / /plain rw,context=no - ext4 /dev/context=b rw,seclabel
            2 2 0:5 / /quoted rw,nosuid - ext4 /dev/sda rw,context="system_u:object_r:container_file_t:s0:c1,c2",quota
            3 2 0:5 / /last rw master:1 - ext4 /dev/sda rw,context=system_u:object_r:container_file_t:s0
            4 2 0:5 / /others rw - ext4 /dev/sda rw,fscontext=u:r:t:s0,rootcontext=u:r:t:s0,defcontext="u:r:t:s0:c1,c2"
            5 2 0:5 / /under rw - ext4 /dev/sda rw,context=u:r:t:s0
            6 2 0:5 / /under rw - ext4 /dev/sda rw,seclabel
            7 2 0:5 / /two rw - ext4 /dev/sda rw,context=u:r:t:s0
            8 2 0:5 / /two rw - ext4 /dev/sda rw,context=u:r:t:s0:c7
            """);
        assertThat(mounted.securityContext(Path.of("/quoted"))).contains("system_u:object_r:container_file_t:s0:c1,c2");
        assertThat(mounted.securityContext(Path.of("/last"))).contains("system_u:object_r:container_file_t:s0");
        assertThat(mounted.securityContext(Path.of("/two"))).contains("u:r:t:s0:c7");
        for (String none : List.of("/plain", "/others", "/under", "/quoted/below", "/nothing")) {
            assertThat(mounted.securityContext(Path.of(none))).as(none).isEmpty();
        }
        assertThat(mounted.within(Path.of("/"))).hasSize(6);
    }

    @Test
    void mountPointsWithEscapedCharactersAreParsed() throws IOException {
        MountPoints mounted = LinuxMountTable.parse("""
            36 35 98:0 /mnt1 /mnt/parent rw,noatime master:1 - ext3 /dev/root rw,errors=continue
            37 36 0:5 / /mnt/parent/a\\040b\\011c\\134d rw - tmpfs none rw
            38 36 0:5 / /mnt/parent/\\9 rw - tmpfs none rw
            """);
        assertThat(mounted.within(Path.of("/")))
                .containsExactlyInAnyOrder(
                        Path.of("/mnt/parent"), Path.of("/mnt/parent/a b\tc\\d"), Path.of("/mnt/parent/\\9"));
        assertThat(mounted.within(Path.of("/mnt/parent"))).hasSize(3);
        assertThat(mounted.within(Path.of("/mnt/par"))).isEmpty();
        assertThat(mounted.contains(Path.of("/mnt"))).isFalse();
    }

    @Test
    void malformedMountTableIsRejected() {
        assertThatThrownBy(() -> LinuxMountTable.parse("36 35 98:0 /mnt1\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("columns");
    }

    @Test
    void linesAreSplitAndNamesDecodedAtTheirLimits() throws IOException {
        assertThat(points("")).isEmpty();
        assertThat(points("\n1 2 0:5 / /a rw - tmpfs\n\n1 2 0:5 / /b\n1 2 0:5 / /c rw"))
                .containsExactly(Path.of("/a"), Path.of("/b"), Path.of("/c"));
        assertThat(points("""
            1 2 0:5 / /a\\040 rw
            1 2 0:5 / /b\\04 rw
            1 2 0:5 / /c\\400 rw
            1 2 0:5 / /d\\048 rw
            1 2 0:5 / /e\\ rw
            1 2 0:5 / /\\176f\\012 rw
            """))
                .containsExactlyInAnyOrder(
                        Path.of("/a "),
                        Path.of("/b\\04"),
                        Path.of("/c\\400"),
                        Path.of("/d\\048"),
                        Path.of("/e\\"),
                        Path.of("/~f\n"));
        assertThatThrownBy(() -> LinuxMountTable.parse("1 2 0:5 /"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("a line of 4 columns");
        assertThatThrownBy(() -> LinuxMountTable.parse("1\n")).hasMessageContaining("a line of 1 columns");
    }

    @Test
    void nameThatCannotBeDecodedIsPassedOver() throws IOException {
        assertThat(points("1 2 0:5 / /a\\000 rw\n1 2 0:5 / /b rw\n")).containsExactly(Path.of("/b"));
    }

    @Test
    void tableIsParsedAgainOnlyIfItHasChanged() throws IOException {
        LinuxMountTable table = telling(true, table(3), table(3), table(4));
        MountPoints first = table.read();
        assertThat(table.read()).isSameAs(first);
        assertThat(table.read().within(Path.of("/mnt"))).hasSize(4);
    }

    /** Returns a table with so many mounts that it is read in several pieces. */
    private static String table(int mounts) {
        return IntStream.range(0, mounts)
                .mapToObj(number -> number + " 36 0:5 / /mnt/" + number + " rw - tmpfs none rw\n")
                .collect(Collectors.joining());
    }

    private static LinuxMountTable telling(boolean keepsPosition, String... tables) {
        Iterator<String> next = Arrays.asList(tables).iterator();
        // Returns only a few bytes for each read, as the kernel does.
        return new LinuxMountTable(
                () -> new ByteArrayInputStream(next.next().getBytes(StandardCharsets.US_ASCII)) {
                    @Override
                    public synchronized int read(byte[] to, int from, int length) {
                        return super.read(to, from, Math.min(length, 700));
                    }
                },
                keepsPosition);
    }

    @Test
    void mountTableOfOldKernelIsReadTwice() throws IOException {
        String whole = table(300);
        String gap = whole.replace(table(8), table(7));
        assertThat(telling(false, gap, whole, whole).read().contains(Path.of("/mnt/7")))
                .isTrue();
        assertThat(telling(true, gap, whole, whole).read().contains(Path.of("/mnt/7")))
                .isFalse();
        // A table that is read in one piece is complete even with an old kernel.
        assertThat(telling(false, table(9)).read().contains(Path.of("/mnt/8"))).isTrue();
        String[] restless =
                IntStream.range(300, 310).mapToObj(LinuxMountTableTest::table).toArray(String[]::new);
        assertThatThrownBy(telling(false, restless)::read).hasMessageContaining("nothing can be concluded");
    }

    @Test
    void kernelVersionDecidesWhetherTableIsReadTwice() {
        assertThat(Stream.of("5.8", "5.10.0-8-amd64", "6.1.128", "10.0")).allMatch(LinuxMountTable::keepsPosition);
        assertThat(Stream.of("5.7.19", "4.18.0-553.el8_10.x86_64", "3.10.0", "", "unknown", "5"))
                .noneMatch(LinuxMountTable::keepsPosition);
    }

    @Test
    void mountTableOfAnyLengthIsReadCompletely() throws IOException {
        for (int mounts : new int[] {1, 90, 91, 92, 100, 1_000, 5_000}) {
            assertThat(telling(true, table(mounts)).read().within(Path.of("/mnt")))
                    .hasSize(mounts);
        }
    }

    @Test
    void mountTableOfThisMachineIsReadable() throws IOException {
        MountTable table = MountTable.ofLinux();
        assertThat(table.read().contains(Path.of("/proc"))).isTrue();
        assertThat(table.bootId()).isPresent().isEqualTo(table.bootId());
    }
}
