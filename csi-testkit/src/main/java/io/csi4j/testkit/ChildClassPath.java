package io.csi4j.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/**
 * The class path of a plugin in a process of its own: that of this process without the jars that write logs. With them, the
 * plugin would find the caller's configuration, truncate the caller's log file, and write its requests there at DEBUG.
 */
final class ChildClassPath {
    /** Files of a jar that writes what SLF4J, Log4j and {@link System.Logger} get. */
    private static final List<String> LOG_WRITERS = List.of(
            "org/slf4j/LoggerFactory.class",
            "META-INF/services/org.slf4j.spi.SLF4JServiceProvider",
            "org/slf4j/impl/StaticLoggerBinder.class",
            "META-INF/services/org.apache.logging.log4j.spi.Provider",
            "org/apache/log4j/LogManager.class",
            "META-INF/services/java.lang.System$LoggerFinder");

    /** The plugin's program, which may be in one jar with all that a host uses. */
    private static final String PROGRAM = "io/csi4j/testkit/cli/FakePluginMain.class";

    private ChildClassPath() {}

    /**
     * Returns the class path of a child process, with the jars first: a class data archive cannot have directories.
     *
     * @param classPath the class path of this process
     */
    static String of(String classPath) {
        return Stream.of(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !writesLogs(Path.of(entry)))
                .sorted(Comparator.comparing(entry -> !entry.endsWith(".jar")))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean writesLogs(Path entry) {
        if (!Files.isRegularFile(entry)) {
            return false;
        }
        try (ZipFile jar = new ZipFile(entry.toFile())) {
            return jar.getEntry(PROGRAM) == null && LOG_WRITERS.stream().anyMatch(name -> jar.getEntry(name) != null);
        } catch (IOException e) {
            // Java ignores a file on the class path that is no jar, too.
            return false;
        }
    }
}
