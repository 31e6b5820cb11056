package io.csi4j.examples.quickstart;

import io.csi4j.client.CsiClient;
import io.csi4j.examples.walk.Back;
import io.csi4j.examples.walk.CallerDirectories;
import io.csi4j.examples.walk.ProcessMounts;
import io.csi4j.examples.walk.Walk;
import io.csi4j.testkit.FakePluginProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The plugin process of this program, its directory, and what can be seen from outside: the storage
 * provider's data is a directory of this machine, so that it can be looked into.
 */
final class OwnPlugin {
    private static final String FILE = "hello.txt";
    private static final String TEXT = "written through the target path";

    private final Walk walk;
    private @Nullable Path directory;
    private @Nullable FakePluginProcess process;

    OwnPlugin(Walk walk) {
        this.walk = walk;
    }

    /** Where everything of this run is; made by {@link #start}. */
    Path directory() {
        return required(directory);
    }

    private Path provider() {
        return directory().resolve("provider");
    }

    /** Each step remembers at once how it is taken back. */
    void start() {
        walk.local(
                "make a directory",
                () -> {
                    directory = Files.createTempDirectory("csi4j-").toRealPath();
                    return directory.toString();
                },
                () -> quiet("remove the directory", () -> CallerDirectories.removeAll(directory())));
        walk.prepare(() -> {}, quiet("unmount what the plugin left", () -> CallerDirectories.unmountAll(directory())));
        walk.local(
                "start a plugin process",
                () -> {
                    process = launch("unix://" + directory().resolve("csi.sock"));
                    return "process " + process.pid() + " at " + process.endpoint();
                },
                () -> new Back(
                        "stop the plugin process",
                        "SIGTERM",
                        false,
                        calls -> required(process).close(),
                        ""));
    }

    /** The plugin must outlive Ctrl-C, for it is needed to take the steps back. */
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
        CsiClient client = CsiClient.connect(required(process).endpoint());
        walk.prepare(() -> {}, quiet("close the client", client::close));
        return client;
    }

    private static Back quiet(String step, Back.LocalAction action) {
        return Back.local(step, step, action, "");
    }

    /** What goes in through the target path must come out at the provider: only a real mount does that. */
    void writeAndFind(Path target) {
        Path file = target.resolve(FILE);
        walk.local("write a file", () -> Files.writeString(file, TEXT).toString());
        walk.local("read it back", () -> {
            String read = Files.readString(file);
            if (!read.equals(TEXT)) {
                throw new IOException(file + " holds '" + read + "' instead of '" + TEXT + "'");
            }
            return "'" + read + "'";
        });
        walk.local("find it at the provider", () -> find().toString());
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
            return "the plugin process has ended by itself; this is what it said: " + process.output();
        }
        return "read the message above; if it is about mounting, run this as root, or allow user namespaces"
                + " ('unshare --map-root-user --mount true' must succeed).";
    }

    /** The kernel's word for it, not ours. */
    List<String> whatIsLeft() {
        List<String> left = new ArrayList<>();
        if (process != null && process.isAlive()) {
            left.add("the plugin, process " + process.pid() + "; end it with: kill " + process.pid());
        }
        if (directory != null && Files.exists(directory)) {
            left.add("the directory " + directory + "; remove it when nothing is mounted in it");
            try {
                ProcessMounts.read()
                        .under(directory)
                        .forEach(mount -> left.add("the mount " + mount.path() + "; umount it"));
            } catch (IOException e) {
                left.add("perhaps mounts: the mount table cannot be read (" + e.getMessage() + ")");
            }
        }
        return left;
    }

    private static <T> T required(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("the plugin is not started");
        }
        return value;
    }
}
