package io.csi4j.examples.lifecycle;

import io.csi4j.client.CallDeadlines;
import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CsiException;
import io.csi4j.examples.walk.Back;
import io.csi4j.examples.walk.CallerDirectories;
import io.csi4j.examples.walk.Interruption;
import io.csi4j.examples.walk.ProcessMounts;
import io.csi4j.examples.walk.StepFailedException;
import io.csi4j.examples.walk.StepLog;
import io.csi4j.examples.walk.Walk;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The program: walks a volume through its whole life at the CSI endpoint that the user names. */
public final class Lifecycle {
    private static final int BAD_ARGUMENTS = 2;

    private final RunOptions options;
    private final Walk walk;
    private final PrintStream err;

    private Lifecycle(RunOptions options, Walk walk, PrintStream err) {
        this.options = options;
        this.walk = walk;
        this.err = err;
    }

    /**
     * Runs the program. It exits with 0 if every step that was tried succeeded, 1 if one failed, 2 if the
     * arguments are wrong, and 130 or 143 after Ctrl-C or SIGTERM.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(run(List.of(args), System.out, System.err, Interruption::watch));
    }

    /** All but the exit; {@code watch} sees to it that an interruption finds the walk. */
    static int run(List<String> args, PrintStream out, PrintStream err, Consumer<Walk> watch) {
        OptionsParser parser = new OptionsParser(args);
        if (parser.help()) {
            out.print(Usage.TEXT);
            out.flush();
            return 0;
        }
        Optional<RunOptions> options = parser.parse();
        if (options.isEmpty()) {
            parser.problems().forEach(problem -> err.println("lifecycle: " + problem));
            return BAD_ARGUMENTS;
        }
        Walk walk = new Walk(new StepLog(out), options.get().timeout());
        watch.accept(walk);
        return new Lifecycle(options.get(), walk, err).run();
    }

    private int run() {
        boolean reachedTheEnd = false;
        try {
            new VolumeLife(session(makeDirectory())).run();
            reachedTheEnd = true;
        } catch (StepFailedException e) {
            err.println("lifecycle: the walk cannot go on without '" + e.step() + "': " + e.getMessage());
        } catch (CsiException e) {
            err.println("lifecycle: " + e.getMessage());
        }
        walk.end();
        return new Summary(walk, options).print(reachedTheEnd);
    }

    /** In it are all the paths that are given to the plugin, and nothing else. */
    private Path makeDirectory() {
        Path directory = options.directory();
        walk.local(
                "make a directory",
                () -> CallerDirectories.makeOwn(directory).toString(),
                () -> Back.local(
                        "remove " + directory,
                        "directory",
                        () -> CallerDirectories.removeEmpty(directory),
                        "the directory " + directory + "; remove it when nothing is mounted in it"));
        return directory;
    }

    private Session session(Path directory) {
        CsiClient node = connect(options.endpoint());
        CsiClient controller = options.split() ? connect(options.controllerEndpoint()) : node;
        Plugin plugin = new Plugin(
                controller.identity(),
                controller.controller(),
                controller.groupController(),
                controller.snapshotMetadata(),
                node.identity(),
                node.node());
        walk.prepare(
                () -> {},
                Back.local(
                        "unmount",
                        "mounts",
                        () -> unmountIfLost(plugin, directory),
                        "mounts in " + directory
                                + "; once the plugin is well, call NodeUnpublishVolume and NodeUnstageVolume, or umount them"));
        return new Session(options, plugin, new Acquaintance(options, plugin, walk).make(), walk, directory);
    }

    private CsiClient connect(Endpoint endpoint) {
        CsiClient client = CsiClient.builder(endpoint)
                .deadlines(CallDeadlines.ofDefaults().withAll(options.timeout()))
                .build();
        walk.prepare(() -> {}, Back.local("close", "client", client::close, "a connection"));
        return client;
    }

    /**
     * A plugin that is gone cannot unmount. What it mounted in this program's own directory is then
     * unmounted here; a plugin that is well and left mounts is a reason to look, not to unmount.
     */
    private void unmountIfLost(Plugin plugin, Path directory) throws IOException {
        int left = ProcessMounts.read().under(directory).size();
        if (left > 0 && plugin.answers()) {
            throw new IOException("the plugin left " + left + " mounts in " + directory);
        }
        if (left > 0) {
            CallerDirectories.unmountAll(directory);
            walk.log()
                    .tried(
                            "umount",
                            StepLog.Outcome.WARNING,
                            0,
                            left + " mounts in " + directory + ", because the plugin is gone");
        }
    }
}
