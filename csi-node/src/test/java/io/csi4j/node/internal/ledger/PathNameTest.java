package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.internal.mount.NodePaths;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathNameTest {
    private static final List<String> HOSTILE = List.of(
            ".",
            "..",
            "...",
            "../..",
            "/",
            "a/b",
            "a\0b",
            "~",
            "a~b",
            "%",
            "%2f",
            "%2F",
            "a",
            "A",
            "\u00e9",
            "e\u0301",
            "\ud800",
            "\udc00",
            "\ud83d\ude00",
            " ",
            "\n",
            "-",
            "--",
            "con",
            ".rec",
            "a.tmp",
            "\u0130",
            "i",
            "\u212a",
            "k",
            "%%",
            "a%",
            "x".repeat(128),
            "X".repeat(128),
            "\u20ac".repeat(42),
            "\u20ac".repeat(41) + "e",
            "a".repeat(119) + "\u00e9".repeat(40),
            "a".repeat(119) + "\u00e9".repeat(39));

    @ParameterizedTest
    @ValueSource(strings = {"web-1", "vol_0.5", "a.b"})
    void usualIdIsItsOwnName(String id) {
        assertThat(PathName.of(id)).isEqualTo(id);
    }

    /** The names are on the disks of nodes, so they must not change. */
    @Test
    void nameOfEachIdStaysTheSame() {
        assertThat(PathName.of("az09_-.")).isEqualTo("az09_-.");
        assertThat(PathName.of("A.")).isEqualTo("%41.");
        assertThat(PathName.of(".a")).isEqualTo("%2ea");
        assertThat(PathName.of("\u00e9")).isEqualTo("%c3%a9");
        assertThat(PathName.of("\ud800")).isEqualTo("%ed%a0%80");
        assertThat(PathName.of("\udfff")).isEqualTo("%ed%bf%bf");
        assertThat(PathName.of("x".repeat(200))).isEqualTo("x".repeat(200));
        assertThat(PathName.of("x".repeat(201))).matches("x{120}~[0-9a-f]{64}");
        for (int kept : new int[] {118, 119}) {
            assertThat(PathName.of("x".repeat(kept) + "\u00e9".repeat(40))).matches("x{" + kept + "}~[0-9a-f]{64}");
        }
        assertThat(PathName.decode("%41")).contains("A");
        assertThat(PathName.decode("%c3%a9")).contains("\u00e9");
    }

    @Test
    void hostileIdsGetDistinctPathNamesInsideDirectory() {
        Map<String, String> found = new HashMap<>();
        for (String id : HOSTILE) {
            String name = checked(id);
            assertThat(found.put(folded(name), id))
                    .as("no other id has the name of '%s'", id)
                    .isNull();
        }
    }

    @Test
    void randomIdsGetDistinctPathNamesInsideDirectory() {
        long seed = Long.getLong("csi4j.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, String> found = new HashMap<>();
        String alphabet = "aA%~./\\ \u00e9e\u0301\ud83d\ude00\ud8002f";
        for (int i = 0; i < 50_000; i++) {
            StringBuilder id = new StringBuilder();
            int length = 1 + random.nextInt(i % 10 == 0 ? 120 : 6);
            for (int at = 0; at < length; at++) {
                id.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String other = found.putIfAbsent(folded(checked(id.toString())), id.toString());
            assertThat(other == null || other.contentEquals(id))
                    .as("seed %s: '%s' and '%s'", seed, id, other)
                    .isTrue();
        }
    }

    private static String checked(String id) {
        String name = PathName.of(id);
        assertThat(name).matches("[a-z0-9_%~-][a-z0-9_.%~-]*").hasSizeLessThanOrEqualTo(240);
        assertThat(name).isNotEqualTo(".").isNotEqualTo("..");
        PathName.decode(name).ifPresent(back -> assertThat(back).isEqualTo(id));
        return name;
    }

    /** Returns the name as a file system compares it that ignores case and normalizes characters. */
    private static String folded(String name) {
        return Normalizer.normalize(name, Normalizer.Form.NFKC).toLowerCase(Locale.ROOT);
    }

    @Test
    void invalidPathNameIsNotDecoded() {
        for (String name : List.of("A", "..", "%2f%", "%4", "a%4", "%41b%zz", "%4z", "a~b", "%61", "\u00e9")) {
            assertThat(PathName.decode(name)).as(name).isEmpty();
        }
        assertThat(PathName.decode("%2e.")).contains("..");
        assertThat(PathName.decode(PathName.of("x".repeat(300)))).isEmpty();
    }

    @Test
    void targetOfFurtherMountNamesItsAllocationAndNumber() {
        NodePaths paths = new NodePaths(Path.of("/base"));
        VolumeKey key = VolumeKey.of("ns", "v");
        for (String id : List.of("a", "a~1", "X".repeat(100), "1")) {
            AllocationId allocation = AllocationId.of(id);
            for (int number : new int[] {0, 1, 12, 999_999_999}) {
                UseId use = new UseId(allocation, number);
                Path target = paths.target(key, use);
                assertThat(paths.use(key, allocation, target)).contains(use);
                assertThat(paths.use(key, AllocationId.of("x"), target)).isEmpty();
                assertThat(paths.volume(target)).contains(key);
            }
        }
        Path first = paths.target(key, UseId.first(AllocationId.of("a")));
        for (String other : List.of("~", "~0", "~01", "~x", "~1234567890", "b", "/1")) {
            assertThat(paths.use(key, AllocationId.of("a"), Path.of(first + other)))
                    .as(other)
                    .isEmpty();
        }
    }

    @Test
    void pathsAreBelowBaseDirectoryAndContainVolumeName() {
        NodePaths paths = new NodePaths(Path.of("/base"));
        List<Path> all = new ArrayList<>();
        for (String id : List.of("..", "a/b", "X", "x")) {
            VolumeKey key = VolumeKey.of(id, id);
            Path target = paths.target(key, UseId.first(AllocationId.of(id)));
            assertThat(target.normalize()).isEqualTo(target).matches(path -> path.startsWith("/base/publish"));
            assertThat(target.getNameCount()).isEqualTo(5);
            assertThat(paths.volume(target)).contains(key);
            all.add(target);
        }
        assertThat(all).doesNotHaveDuplicates();
        assertThat(paths.volume(Path.of("/base/publish/ns"))).isEmpty();
        assertThat(paths.volume(Path.of("/elsewhere/publish/ns/v/a"))).isEmpty();
    }
}
