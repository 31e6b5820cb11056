package io.csi4j.testkit.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountTableTest {
    private static String line(String point) {
        // The table is read byte by byte, so a name in UTF-8 comes as one char for each of its bytes.
        String bytes = new String(point.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return "36 35 98:0 /root\\040dir " + bytes + " rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
    }

    @Test
    void escapedPathsAreDecoded() {
        ProcMounts table = ProcMounts.parse(List.of(line("/a\\040b\\011c\\012d\\134e"), line("/ümlaut"), "short line"));
        assertThat(table.isMountPoint(Path.of("/a b\tc\nd\\e"))).isTrue();
        assertThat(table.isMountPoint(Path.of("/ümlaut"))).isTrue();
        assertThat(table.isMountPoint(Path.of("/a"))).isFalse();
    }

    @Test
    void searchForMountsBelowDirectoryIgnoresDirectoryWithSamePrefix() {
        ProcMounts table = ProcMounts.parse(List.of(line("/data/vol-1/x"), line("/data/vol-11"), line("/data/vol-1")));
        assertThat(table.below(Path.of("/data/vol-1")))
                .containsExactly(Path.of("/data/vol-1/x"), Path.of("/data/vol-1"));
    }
}
