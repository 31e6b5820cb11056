package io.csi4j.examples.quickstart;

import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.examples.steps.StepRunner;
import io.csi4j.examples.steps.UndoStep;
import io.csi4j.testkit.FakePluginProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The steps of the quickstart. Each step records its undo, so that nothing is left behind in any case. */
final class QuickstartRun {
    private static final String FILE = "hello.txt";
    private static final String BEFORE = "written before the server was killed";
    private static final String AFTER = ", and after";

    private final StepRunner steps;
    private @Nullable Path directory;
    private @Nullable ServerProcess server;
    private @Nullable FakePluginProcess plugin;

    QuickstartRun(StepRunner steps) {
        this.steps = steps;
    }

    void run() {
        makeDirectory();
        startServer("start a durable server");
        startPlugin();
        ask("wait for the plugin", "plugin");
        ask("create a volume", "create");
        Path target = Path.of(ask("claim it and mount it", "mount"));
        Path file = target.resolve(FILE);
        steps.local("write a file", () -> Files.writeString(file, BEFORE).toString());
        steps.local("find it at the provider", () -> find().toString());

        steps.local("kill the server", () -> "SIGKILL; exit code " + server().kill());
        startServer("start it again");
        ask("look up the claim", "status");
        ask("wait for the plugin", "plugin");
        steps.local("write to the same file", () -> append(file));

        ask("end the allocation", "end");
        steps.local("check that nothing is mounted", () -> unmounted(target));
        ask("delete the volume", "delete");
    }

    private void makeDirectory() {
        steps.local(
                "make a directory",
                () -> {
                    directory = Files.createTempDirectory("csi4j-").toRealPath();
                    return directory.toString();
                },
                () -> quietUndo("remove the directory", () -> CallerDirectories.removeAll(directory())));
        steps.prepare(() -> {}, quietUndo("unmount remaining mounts", () -> CallerDirectories.unmountAll(directory())));
    }

    private void startServer(String step) {
        steps.local(
                step,
                () -> {
                    server = ServerProcess.start(directory().resolve("server"));
                    return "process " + server.pid() + ", data in "
                            + directory().resolve("server");
                },
                () -> UndoStep.local("stop the server", "end of input", stopper(server()), ""));
    }

    /**
     * Returns an action that stops the given server if it still runs, even when a later step has started another one.
     */
    private static UndoStep.LocalAction stopper(ServerProcess started) {
        return () -> {
            if (started.isAlive()) {
                started.close();
            }
        };
    }

    private void startPlugin() {
        steps.local(
                "start a plugin process",
                () -> {
                    plugin = launch(server().pluginEndpoint());
                    return "process " + plugin.pid() + " at " + plugin.endpoint();
                },
                () -> new UndoStep(
                        "stop the plugin process",
                        "SIGTERM",
                        false,
                        calls -> Objects.requireNonNull(plugin).close(),
                        ""));
    }

    /** Starts the plugin. It ignores Ctrl-C, because the undo steps after Ctrl-C still need the plugin. */
    private FakePluginProcess launch(String endpoint) throws IOException {
        try {
            return FakePluginProcess.builder(endpoint)
                    .stateDir(provider())
                    .nodeId("this-node")
                    .shieldedFromCtrlC()
                    .start();
        } catch (IllegalStateException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private String ask(String step, String request) {
        String[] answer = new String[1];
        steps.local(step, () -> {
            server().giveUpUnless(() -> plugin == null || plugin.isAlive());
            answer[0] = server().ask(request);
            return answer[0];
        });
        return answer[0];
    }

    private static String append(Path file) throws IOException {
        Files.writeString(file, AFTER, StandardOpenOption.APPEND);
        String read = Files.readString(file);
        if (!read.equals(BEFORE + AFTER)) {
            throw new IOException(file + " holds '" + read + "' instead of '" + BEFORE + AFTER + "'");
        }
        return "'" + read + "'";
    }

    private Path find() throws IOException {
        try (Stream<Path> files = Files.walk(provider())) {
            return files.filter(file -> file.endsWith(FILE))
                    .findFirst()
                    .orElseThrow(() -> new IOException(
                            "the file is not in " + provider() + ", so the target path was no mount of the volume"));
        }
    }

    private static String unmounted(Path target) throws IOException {
        if (ProcessMounts.read().at(target).isPresent()) {
            throw new IOException(target + " is still mounted");
        }
        return target + " is no mount any more";
    }

    private Path directory() {
        return Objects.requireNonNull(directory, "directory");
    }

    private ServerProcess server() {
        return Objects.requireNonNull(server, "server");
    }

    private Path provider() {
        return directory().resolve("provider");
    }

    private static UndoStep quietUndo(String step, UndoStep.LocalAction action) {
        return UndoStep.local(step, step, action, "");
    }

    String advice() {
        if (plugin != null && !plugin.isAlive()) {
            return "the plugin process ended on its own; its output was: " + plugin.output();
        }
        return "read the message above; if it is about mounting, run this as root, or allow user namespaces"
                + " ('unshare --map-root-user --mount true' must succeed).";
    }

    /** The processes, directories and mounts that remain, as the operating system reports them. */
    List<String> leftovers() {
        List<String> leftovers = new ArrayList<>();
        if (server != null && server.isAlive()) {
            leftovers.add("the server, process " + server.pid() + "; end it with: kill -9 " + server.pid());
        }
        if (plugin != null && plugin.isAlive()) {
            leftovers.add("the plugin, process " + plugin.pid() + "; end it with: kill " + plugin.pid());
        }
        if (directory != null && Files.exists(directory)) {
            leftovers.add("the directory " + directory + "; remove it when nothing is mounted in it");
            try {
                ProcessMounts.read()
                        .under(directory)
                        .forEach(mount -> leftovers.add("the mount " + mount.path() + "; umount it"));
            } catch (IOException e) {
                leftovers.add("possible mounts: the mount table cannot be read (" + e.getMessage() + ")");
            }
        }
        return leftovers;
    }
}
