package io.csi4j.examples.lifecycle;

import io.csi4j.client.CallDeadlines;
import io.csi4j.client.CsiClient;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CsiException;
import io.csi4j.examples.steps.CallerDirectories;
import io.csi4j.examples.steps.Interruption;
import io.csi4j.examples.steps.ProcessMounts;
import io.csi4j.examples.steps.StepFailedException;
import io.csi4j.examples.steps.StepLog;
import io.csi4j.examples.steps.StepRunner;
import io.csi4j.examples.steps.UndoStep;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Takes a volume through its whole life at the given CSI endpoint. */
public final class Lifecycle {
    private static final int BAD_ARGUMENTS = 2;

    private final RunOptions options;
    private final StepRunner steps;
    private final PrintStream err;

    private Lifecycle(RunOptions options, StepRunner steps, PrintStream err) {
        this.options = options;
        this.steps = steps;
        this.err = err;
    }

    /**
     * Runs the program. It exits with 0 if every attempted step succeeded, 1 if one failed, 2 if the arguments are wrong, and 130
     * or 143 after Ctrl-C or SIGTERM.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(run(List.of(args), System.out, System.err, Interruption::watch));
    }

    /** Runs the program without the exit; {@code watch} registers the steps for interruptions. */
    static int run(List<String> args, PrintStream out, PrintStream err, Consumer<StepRunner> watch) {
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
        StepRunner steps = new StepRunner(new StepLog(out), options.get().timeout());
        watch.accept(steps);
        return new Lifecycle(options.get(), steps, err).run();
    }

    private int run() {
        boolean completed = false;
        try {
            new LifecycleSteps(session(createDirectory())).run();
            completed = true;
        } catch (StepFailedException e) {
            err.println("lifecycle: the run cannot continue without '" + e.step() + "': " + e.getMessage());
        } catch (CsiException e) {
            err.println("lifecycle: " + e.getMessage());
        }
        steps.end();
        return new Summary(steps, options).print(completed);
    }

    /** Creates the directory of all staging and target paths. */
    private Path createDirectory() {
        Path directory = options.directory();
        steps.local(
                "make a directory",
                () -> CallerDirectories.createOwned(directory).toString(),
                () -> UndoStep.local(
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
        steps.prepare(
                () -> {},
                UndoStep.local(
                        "unmount",
                        "mounts",
                        () -> unmountIfLost(plugin, directory),
                        "mounts in " + directory
                                + "; once the plugin is well, call NodeUnpublishVolume and NodeUnstageVolume, or umount them"));
        return new Session(options, plugin, new PluginDiscovery(options, plugin, steps).discover(), steps, directory);
    }

    private CsiClient connect(Endpoint endpoint) {
        CsiClient client = CsiClient.builder(endpoint)
                .deadlines(CallDeadlines.ofDefaults().withAll(options.timeout()))
                .build();
        steps.prepare(() -> {}, UndoStep.local("close", "client", client::close, "a connection"));
        return client;
    }

    /**
     * Unmounts remaining mounts if the plugin is gone, because it cannot unmount any more. Fails if the plugin is healthy, because
     * then the mounts are its defect.
     */
    private void unmountIfLost(Plugin plugin, Path directory) throws IOException {
        int mountCount = ProcessMounts.read().under(directory).size();
        if (mountCount > 0 && plugin.isReachable()) {
            throw new IOException("the plugin left " + mountCount + " mounts in " + directory);
        }
        if (mountCount > 0) {
            CallerDirectories.unmountAll(directory);
            steps.log()
                    .executed(
                            "umount",
                            StepLog.Outcome.WARNING,
                            0,
                            mountCount + " mounts in " + directory + ", because the plugin is gone");
        }
    }
}
