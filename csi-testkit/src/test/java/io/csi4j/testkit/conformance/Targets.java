package io.csi4j.testkit.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Wrong entries at target paths. */
final class Targets {
    private Targets() {}

    static void replaceByFile(String target) {
        try {
            Files.deleteIfExists(Path.of(target));
            Files.createFile(Path.of(target));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
