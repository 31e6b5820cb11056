package io.csi4j.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A full build writes an archive of classes, with which test processes start faster: see {@code .mvn/class-archive}. */
public final class ClassArchive {
    private static final Path FILE = Path.of("target", "classes.jsa").toAbsolutePath();

    private ClassArchive() {}

    /** Returns the option for Java: the archive, or nothing if the build has not written one. */
    public static String[] option() {
        return Files.exists(FILE) ? new String[] {"-XX:SharedArchiveFile=" + FILE} : new String[0];
    }

    /** Returns the class path of the tests with its jars first, because an archive is only for jars. */
    static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .sorted(Comparator.comparing(entry -> !entry.endsWith(".jar")))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
