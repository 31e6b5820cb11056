package io.csi4j.examples.steps;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command that starts a class as a process, with the Java and the class path of this one. */
public final class JavaCommand {
    private static final String ARCHIVE = "-XX:SharedArchiveFile=";

    private JavaCommand() {}

    /**
     * Returns the command.
     *
     * @param options options for the process's Java, like {@code "-Xmx192m"}
     * @param main the name of the class
     */
    public static List<String> of(List<String> options, String main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // An unknown option is ignored: newer versions of Java print warnings without these two.
        command.addAll(List.of(
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        // These let a small program start fast.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        // The same class path, so the class data archive of this process fits.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith(ARCHIVE))
                .forEach(command::add);
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        return command;
    }
}
