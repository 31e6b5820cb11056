package io.csi4j.examples.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The pages and sources of the project. */
final class ProjectFiles {
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private ProjectFiles() {}

    /** Returns all pages, without build output. */
    static List<Path> pages() {
        return find(".md");
    }

    /** Returns all Java sources, tests included. */
    static List<Path> sources() {
        return find(".java");
    }

    private static List<Path> find(String ending) {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .filter(file -> Stream.of("target", ".git")
                            .noneMatch(
                                    skipped -> ROOT.relativize(file).toString().contains(skipped + "/")))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
