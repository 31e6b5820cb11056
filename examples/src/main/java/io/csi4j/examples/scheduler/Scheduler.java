package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Starts a cluster of servers and nodes on this machine, with jobs that use volumes, and stops it without leaving anything behind. */
@Command(
        name = "scheduler",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = Chaos.class,
        description =
                "Runs a small cluster on this machine: servers, nodes, plugins and jobs with volumes, each in a process"
                        + " of its own. 'examples/run csi' is its shell. Ctrl-C stops all of it.")
public final class Scheduler implements Callable<Integer> {
    private static final int LONGEST_DIRECTORY = 64;

    @Option(names = "--servers", paramLabel = "N", defaultValue = "1", description = "1 or 3 servers; default: 1")
    private int servers = 1;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "2", description = "nodes; default: 2")
    private int nodes = 2;

    @Option(
            names = "--log",
            paramLabel = "PLACE",
            defaultValue = "FILES",
            description = "where the servers keep their log: files, or postgres, which is started; default: files")
    private LogPlace log = LogPlace.FILES;

    @Option(names = "--jobs", paramLabel = "FILE", description = "volumes and jobs, for example examples/jobs.txt")
    private @Nullable Path jobs;

    @Option(
            names = "--driver-command",
            paramLabel = "CMD",
            defaultValue = "",
            description =
                    "starts the CSI driver of a node, with {endpoint}, {nodeId}, {dir} and {version} in it; default:"
                            + " the fake plugin")
    private String driver = "";

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "an absolute directory with a short name, which stays at the end")
    private @Nullable Path directory;

    private Scheduler() {}

    /**
     * Runs the program until it is interrupted.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        CommandLine program = new CommandLine(new Scheduler()).setCaseInsensitiveEnumValuesAllowed(true);
        program.setExecutionExceptionHandler((failure, command, parsed) -> {
            System.err.println("scheduler: " + failure.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        });
        System.exit(program.execute(args));
    }

    /** Returns the directory of a scheduler that was started without one. */
    public static Path defaultDirectory() {
        return Path.of(System.getProperty("java.io.tmpdir"), "csi4j-scheduler");
    }

    @Override
    public Integer call() throws Exception {
        if (servers != 1 && servers != 3) {
            System.err.println("scheduler: --servers is " + servers + "; give 1 or 3");
            return CommandLine.ExitCode.USAGE;
        }
        if (jobs != null && !Files.isReadable(jobs)) {
            System.err.println("scheduler: the job file '" + jobs + "' does not exist or cannot be read");
            return CommandLine.ExitCode.USAGE;
        }
        boolean keep = directory != null;
        Path chosen = directory == null ? defaultDirectory() : directory.toAbsolutePath();
        if (!keep && Files.exists(chosen)) {
            System.err.println(
                    "scheduler: " + chosen + " exists: another scheduler runs, or one was killed; stop it and"
                            + " remove the directory, or give --dir");
            return CommandLine.ExitCode.SOFTWARE;
        }
        if (chosen.toString().length() > LONGEST_DIRECTORY) {
            System.err.println(
                    "scheduler: " + chosen + " is too long for the sockets in it; give a directory of at most "
                            + LONGEST_DIRECTORY + " characters");
            return CommandLine.ExitCode.USAGE;
        }
        ClusterRun run = new ClusterRun(chosen, servers, nodes, log, jobs, new DriverCommand(driver), keep);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(run), "csi4j-example-stop"));
        run.start();
        System.out.println("The cluster runs in " + chosen + ": " + servers + " server(s), " + nodes + " node(s).");
        System.out.println("In another terminal: examples/run csi node list" + (keep ? " --dir " + chosen : "")
                + "; examples/run csi --help lists all commands");
        for (int server : run.layout().servers()) {
            System.out.println("Status page of server-" + server + ": http://127.0.0.1:"
                    + run.layout().page(server).getPort() + "/");
        }
        run.layout()
                .firstToken()
                .ifPresent(file -> System.out.println("Their password, with any name: the first token, in " + file));
        System.out.println("Ctrl-C stops it.");
        follow(run);
        return CommandLine.ExitCode.OK;
    }

    private static void stop(ClusterRun run) {
        try {
            System.out.println("Stopping: ending jobs, releasing volumes; this ends within two minutes.");
            run.close();
            System.out.println("Stopped.");
        } catch (IOException | RuntimeException e) {
            System.err.println("scheduler: left behind: " + e.getMessage());
        }
    }

    /** Prints each change of the allocations, until the program is interrupted. */
    private static void follow(ClusterRun run) throws IOException {
        Map<String, String> known = new TreeMap<>();
        List<String> wrong = List.of();
        while (!Thread.currentThread().isInterrupted()) {
            Map<String, String> now = new TreeMap<>();
            try {
                JsonObject answer = run.ask("job list").getAsJsonObject();
                List<String> problems = answer.getAsJsonArray("problems").asList().stream()
                        .map(JsonElement::getAsString)
                        .toList();
                if (!problems.equals(wrong)) {
                    problems.forEach(problem -> System.out.println("Wrong line, the others count: " + problem));
                    System.out.print(problems.isEmpty() ? "All lines of the job file count again.\n" : "");
                    wrong = problems;
                }
                for (JsonElement job : answer.getAsJsonArray("jobs")) {
                    JsonObject row = job.getAsJsonObject();
                    now.put(
                            row.get("allocation").getAsString(),
                            row.get("status").getAsString() + " on "
                                    + row.get("node").getAsString());
                }
            } catch (LineClient.UnreachableException e) {
                System.out.println(e.getMessage());
                continue;
            }
            now.forEach((allocation, state) -> {
                if (!state.equals(known.get(allocation))) {
                    System.out.println(allocation + " is " + state);
                }
            });
            known.keySet().stream()
                    .filter(allocation -> !now.containsKey(allocation))
                    .forEach(allocation -> System.out.println(allocation + " is gone, its volumes are free"));
            known.clear();
            known.putAll(now);
            Pause.millis(500);
        }
    }
}
