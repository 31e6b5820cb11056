package io.csi4j.examples.quickstart;

import io.csi4j.client.CsiClient;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.examples.steps.StepRunner;
import io.csi4j.examples.steps.UndoStep;
import io.csi4j.testkit.FakePluginProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Starts the plugin as a process, with a directory as its storage, so that the stored files can be checked. */
final class OwnPlugin {
    private static final String FILE = "hello.txt";
    private static final String TEXT = "written through the target path";

    private final StepRunner steps;
    private @Nullable Path directory;
    private @Nullable FakePluginProcess process;

    OwnPlugin(StepRunner steps) {
        this.steps = steps;
    }

    /** The directory of this run; {@link #start} creates it. */
    Path directory() {
        return requireStarted(directory);
    }

    private Path provider() {
        return directory().resolve("provider");
    }

    /** Starts the plugin; each step records its undo. */
    void start() {
        steps.local(
                "make a directory",
                () -> {
                    directory = Files.createTempDirectory("csi4j-").toRealPath();
                    return directory.toString();
                },
                () -> quietUndo("remove the directory", () -> CallerDirectories.removeAll(directory())));
        steps.prepare(() -> {}, quietUndo("unmount remaining mounts", () -> CallerDirectories.unmountAll(directory())));
        steps.local(
                "start a plugin process",
                () -> {
                    process = launch("unix://" + directory().resolve("csi.sock"));
                    return "process " + process.pid() + " at " + process.endpoint();
                },
                () -> new UndoStep(
                        "stop the plugin process",
                        "SIGTERM",
                        false,
                        calls -> requireStarted(process).close(),
                        ""));
    }

    /** Starts a plugin that ignores Ctrl-C, because the undo steps need it. */
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

    CsiClient connect() {
        CsiClient client = CsiClient.connect(requireStarted(process).endpoint());
        steps.prepare(() -> {}, quietUndo("close the client", client::close));
        return client;
    }

    private static UndoStep quietUndo(String step, UndoStep.LocalAction action) {
        return UndoStep.local(step, step, action, "");
    }

    /** Writes a file through the target path and finds it at the provider, which works only with a real mount. */
    void writeAndFind(Path target) {
        Path file = target.resolve(FILE);
        steps.local("write a file", () -> Files.writeString(file, TEXT).toString());
        steps.local("read it back", () -> {
            String read = Files.readString(file);
            if (!read.equals(TEXT)) {
                throw new IOException(file + " holds '" + read + "' instead of '" + TEXT + "'");
            }
            return "'" + read + "'";
        });
        steps.local("find it at the provider", () -> find().toString());
    }

    private Path find() throws IOException {
        try (Stream<Path> files = Files.walk(provider())) {
            return files.filter(file -> file.endsWith(FILE))
                    .findFirst()
                    .orElseThrow(() -> new IOException(
                            "the file is not in " + provider() + ", so the target path was no mount of the volume"));
        }
    }

    String advice() {
        if (process != null && !process.isAlive()) {
            return "the plugin process ended on its own; its output was: " + process.output();
        }
        return "read the message above; if it is about mounting, run this as root, or allow user namespaces"
                + " ('unshare --map-root-user --mount true' must succeed).";
    }

    /** The processes, directories and mounts that remain, as the operating system reports them. */
    List<String> leftovers() {
        List<String> leftovers = new ArrayList<>();
        if (process != null && process.isAlive()) {
            leftovers.add("the plugin, process " + process.pid() + "; end it with: kill " + process.pid());
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

    private static <T> T requireStarted(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the plugin is not started");
        }
        return value;
    }
}
