package io.csi4j.node;

import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.internal.ledger.DurableDirectories;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.VolumeLedger;
import io.csi4j.node.internal.mount.NodeFailures;
import io.csi4j.node.internal.mount.NodePaths;
import io.csi4j.node.internal.mount.StatProbe;
import io.csi4j.node.internal.mount.UmountProcess;
import io.csi4j.node.internal.worker.GuardedPlugins;
import io.csi4j.node.internal.worker.NodePorts;
import io.csi4j.node.internal.worker.Reporter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Builds {@link NodeVolumes}. Not safe for use by several threads. */
public final class NodeVolumesBuilder {
    private static final Duration UMOUNT_LIMIT = Duration.ofMinutes(1);

    private final Path baseDirectory;
    private final NodePlugins plugins;
    private @Nullable Environment environment;
    private @Nullable PathProbe probe;
    private @Nullable DirectUnmount directUnmount;
    private @Nullable VolumeLedger ledger;
    private MountTable table = MountTable.ofLinux();
    private MountSecretsProvider secrets = MountSecretsProvider.none();
    private NodeVolumeListener listener = NodeVolumeListener.none();
    private NodeVolumeOptions options = NodeVolumeOptions.defaults();
    private Duration checkPeriod = Duration.ofMinutes(1);

    NodeVolumesBuilder(Path baseDirectory, NodePlugins plugins) {
        this.baseDirectory = Objects.requireNonNull(baseDirectory, "baseDirectory");
        this.plugins = Objects.requireNonNull(plugins, "plugins");
    }

    /**
     * The directory of ledger, stagings and targets.
     *
     * @return the directory
     */
    public Path baseDirectory() {
        return baseDirectory;
    }

    /**
     * Finds the plugins of the node.
     *
     * @return the plugins
     */
    public NodePlugins plugins() {
        return plugins;
    }

    /**
     * Sets time, threads and randomness. Tasks of the executor read and write small files; futures of {@link NodeVolumes}
     * run what depends on them there too. It accepts tasks until {@link NodeVolumes#stop()} has
     * completed.
     *
     * @param environment the host closes it after {@link NodeVolumes#stop()} has completed; if not set, an {@link
     *     Environment#system()} that ends with the node volumes
     * @return this
     */
    public NodeVolumesBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets where mounts are looked up.
     *
     * @param table {@link MountTable#ofLinux()} if not set
     * @return this
     */
    public NodeVolumesBuilder mountTable(MountTable table) {
        this.table = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * Sets how it is found out whether a mount answers.
     *
     * @param probe if not set, attributes are read on a daemon thread for each look
     * @return this
     */
    public NodeVolumesBuilder probe(PathProbe probe) {
        this.probe = Objects.requireNonNull(probe, "probe");
        return this;
    }

    /**
     * Sets how a target is unmounted that the plugin denies. It is not used unless an operator {@linkplain
     * NodeVolumes#unmountDirectly orders it} or {@link NodeVolumeOptions#directUnmount()} is on.
     *
     * @param directUnmount if not set, the program {@code umount} of the system is run, for a minute at most
     * @return this
     */
    public NodeVolumesBuilder directUnmount(DirectUnmount directUnmount) {
        this.directUnmount = Objects.requireNonNull(directUnmount, "directUnmount");
        return this;
    }

    /**
     * Sets where secrets come from when a mount is made again from the ledger.
     *
     * @param secrets {@link MountSecretsProvider#none()} if not set
     * @return this
     */
    public NodeVolumesBuilder secrets(MountSecretsProvider secrets) {
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        return this;
    }

    /**
     * Sets who hears of events.
     *
     * @param listener {@link NodeVolumeListener#none()} if not set
     * @return this
     */
    public NodeVolumesBuilder listener(NodeVolumeListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets limits and policies.
     *
     * @param options {@link NodeVolumeOptions#defaults()} if not set
     * @return this
     */
    public NodeVolumesBuilder options(NodeVolumeOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets how often all mounts are looked at while the process runs, as by {@link NodeVolumes#check()}.
     *
     * @param period from the end of one look to the next; a minute if not set, and zero: never
     * @return this
     * @throws IllegalArgumentException if it is negative
     */
    public NodeVolumesBuilder checkEvery(Duration period) {
        if (period.isNegative()) {
            throw new IllegalArgumentException(
                    "NodeVolumes: checkEvery is " + period + "; give a duration above zero, or zero for never");
        }
        this.checkPeriod = period;
        return this;
    }

    NodeVolumesBuilder ledger(VolumeLedger ledger) {
        this.ledger = ledger;
        return this;
    }

    /**
     * Opens the base directory. Reads and writes a few small files.
     *
     * @return volumes that have to be {@linkplain NodeVolumes#start started}
     * @throws NodeVolumeException with LEDGER if the base directory cannot be used, or another process uses it
     */
    public NodeVolumes build() {
        Path base;
        VolumeLedger opened;
        try {
            DurableDirectories.make(baseDirectory.toAbsolutePath());
            // The mount table tells paths without links in them.
            base = baseDirectory.toRealPath();
            opened = ledger != null ? ledger : FileLedger.open(base.resolve("ledger"), options.syncedWrites());
        } catch (IOException e) {
            throw new NodeVolumeException(
                    NodeVolumeException.Reason.LEDGER,
                    "The base directory " + baseDirectory + " of the node volumes cannot be used: "
                            + NodeFailures.text(e),
                    e);
        }
        Environment used = environment != null ? environment : Environment.system();
        Timer timer = used.timer();
        PathProbe someProbe =
                probe != null ? probe : new StatProbe(NodeVolumesBuilder::probeThread, timer, options.probeLimit());
        NodePorts ports = new NodePorts(
                new NodePaths(base),
                opened,
                table,
                someProbe,
                directUnmount != null ? directUnmount : new UmountProcess("umount", timer, UMOUNT_LIMIT),
                new GuardedPlugins(plugins),
                secrets,
                timer,
                used.clock(),
                used.executor(),
                new Backoff(options.firstRetry(), options.longestRetry(), used.random()),
                new Reporter(listener, used.clock()),
                options);
        try {
            return new NodeVolumes(ports, checkPeriod, environment == null ? used::close : () -> {});
        } catch (RuntimeException | Error e) {
            // The mount table is the host's; whoever tries again needs the directory.
            close(opened, e);
            if (environment == null) {
                used.close();
            }
            throw e;
        }
    }

    private static void close(VolumeLedger ledger, Throwable error) {
        try {
            ledger.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    private static Thread probeThread(Runnable look) {
        Thread thread = new Thread(look, "csi4j-mount-probe");
        thread.setDaemon(true);
        return thread;
    }
}
