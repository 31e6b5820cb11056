package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinuxMountTableTest {
    @Test
    void readsMountPointsAndTheirEscapes() throws IOException {
        List<Path> points = LinuxMountTable.parse("""
                36 35 98:0 /mnt1 /mnt/parent rw,noatime master:1 - ext3 /dev/root rw,errors=continue
                37 36 0:5 / /mnt/parent/a\\040b\\011c\\134d rw - tmpfs none rw
                38 36 0:5 / /mnt/parent/\\9 rw - tmpfs none rw
                """);
        assertThat(points)
                .containsExactly(Path.of("/mnt/parent"), Path.of("/mnt/parent/a b\tc\\d"), Path.of("/mnt/parent/\\9"));
        MountPoints mounted = MountPoints.of(points);
        assertThat(mounted.within(Path.of("/mnt/parent"))).hasSize(3);
        assertThat(mounted.within(Path.of("/mnt/par"))).isEmpty();
        assertThat(mounted.contains(Path.of("/mnt"))).isFalse();
    }

    @Test
    void concludesNothingFromATableItDoesNotUnderstand() {
        assertThatThrownBy(() -> LinuxMountTable.parse("36 35 98:0 /mnt1\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("columns");
    }

    @Test
    void readsThisMachine() throws IOException {
        MountTable table = MountTable.ofLinux();
        assertThat(table.read().contains(Path.of("/proc"))).isTrue();
        assertThat(table.bootId()).isPresent().isEqualTo(table.bootId());
    }
}
