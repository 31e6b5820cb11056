package io.csi4j.examples.shell;

import io.csi4j.examples.scheduler.ClusterLayout;
import io.csi4j.examples.scheduler.Scheduler;
import io.csi4j.shell.Csi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The shell for operators of the example scheduler: the one of csi4j, with the scheduler's own commands. */
public final class SchedulerShell {
    private static final Set<String> WITHOUT_SERVER = Set.of("-h", "--help", "-V", "--version", "completion", "man");

    private SchedulerShell() {}

    /**
     * Runs one command.
     *
     * @param args see {@code --help}; {@code --dir DIR} is the directory of the scheduler, if it has one
     */
    public static void main(String[] args) {
        System.exit(run(Csi.builder(), new PrintWriter(System.err, true, StandardCharsets.UTF_8), args));
    }

    /**
     * Runs one command.
     *
     * @param shell a builder without commands and variables
     * @param err receives the failures
     * @return the exit code
     */
    public static int run(Csi.Builder shell, PrintWriter err, String... args) {
        List<String> command = new ArrayList<>();
        Path directory = Scheduler.defaultDirectory();
        for (Iterator<String> rest = List.of(args).iterator(); rest.hasNext(); ) {
            String arg = rest.next();
            if (arg.startsWith("--dir=")) {
                directory = Path.of(arg.substring("--dir=".length()));
            } else if (!arg.equals("--dir")) {
                command.add(arg);
            } else if (rest.hasNext()) {
                directory = Path.of(rest.next());
            } else {
                err.println("csi: --dir needs the directory of the scheduler");
                return Csi.USAGE;
            }
        }
        Map<String, String> variables = new HashMap<>(System.getenv());
        if (Files.exists(directory.resolve("cluster.json"))) {
            Map<String, String> known = variables(directory);
            if (known.containsKey("CSI_TOKEN_FILE")) {
                variables.remove("CSI_TOKEN");
            }
            variables.putAll(known);
        } else if (!command.isEmpty() && command.stream().noneMatch(WITHOUT_SERVER::contains)) {
            err.println("csi: no scheduler runs in " + directory
                    + "; start it with 'examples/run scheduler', or give its --dir");
            return Csi.UNREACHABLE;
        }
        Path sockets = directory.resolve("sockets/admin");
        Path power = directory.resolve("sockets/power");
        return shell.environment(variables)
                .command("job", new JobList(sockets))
                .command("node", new NodeCommands.Drain(sockets))
                .command("node", new NodeCommands.Undrain(sockets))
                .destroyingCommand("node", new NodeCommands.Fence(sockets))
                .command("node", new NodeCommands.Start(sockets))
                .command("plugin", new PluginUpgrade(sockets))
                .command("server", new PeerCommands.ListAll(sockets))
                .command("server", new PeerCommands.Meters(sockets))
                .command("server", new PeerCommands.Stop(power))
                .command("server", new PeerCommands.Start(power))
                .command("server", new PeerCommands.Add(sockets))
                .destroyingCommand("server", new PeerCommands.Replace(sockets))
                .destroyingCommand("server", new PeerCommands.Remove(sockets))
                .build()
                .run(command.toArray(new String[0]));
    }

    private static Map<String, String> variables(Path directory) {
        try {
            return ClusterLayout.read(directory).shellVariables();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
