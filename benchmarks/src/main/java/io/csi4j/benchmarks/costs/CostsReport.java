package io.csi4j.benchmarks.costs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Prints the tables of costs in the README: the size of each module, and an idle server and agent. */
final class CostsReport {
    private CostsReport() {}

    /**
     * Prints the tables.
     *
     * @param args the directory of the clone, in which {@code benchmarks/run} has written the class path of each module,
     *     and the modules
     */
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        System.out.println("| module | its jar | all jars | size of all jars |");
        System.out.println("|---|---|---|---|");
        for (String module : List.of(args).subList(1, args.length)) {
            System.out.println(row(root.resolve(module).resolve("target/plain"), module));
        }
        System.out.println();
        System.out.println("| idle program | threads | heap after a collection | resident memory |");
        System.out.println("|---|---|---|---|");
        Path directory = Files.createTempDirectory("csi").toRealPath();
        try (IdleProcess server = IdleProcess.start(IdleServer.class, directory);
                IdleProcess agent = IdleProcess.start(IdleAgent.class, directory)) {
            System.out.println("| server, alone, with one agent | " + server.costs() + " |");
            System.out.println("| agent, without a plugin | " + agent.costs() + " |");
        }
        try (var files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static String row(Path built, String module) throws IOException {
        Path jar;
        try (var files = Files.list(built)) {
            jar = files.filter(file -> file.getFileName().toString().matches(module + "-[0-9][^-]*(-SNAPSHOT)?\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(module + " has no jar in " + built));
        }
        List<Path> all = new ArrayList<>(List.of(jar));
        for (String entry :
                Files.readString(built.resolve("runtime-class-path")).strip().split(":", -1)) {
            if (!entry.isEmpty()) {
                all.add(Path.of(entry));
            }
        }
        long bytes = 0;
        for (Path each : all) {
            bytes += Files.size(each);
        }
        return "| `" + module + "` | " + size(Files.size(jar)) + " | " + all.size() + " | " + size(bytes) + " |";
    }

    static String size(long bytes) {
        return bytes < 1 << 20
                ? (bytes >> 10) + " KiB"
                : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1 << 20));
    }
}
