package io.csi4j.node;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.file.OwnDirectory;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.internal.ledger.DurableDirectories;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.MachineIds;
import io.csi4j.node.internal.ledger.VolumeLedger;
import io.csi4j.node.internal.mount.NodeFailures;
import io.csi4j.node.internal.mount.NodePaths;
import io.csi4j.node.internal.mount.StatProbe;
import io.csi4j.node.internal.mount.UmountProcess;
import io.csi4j.node.internal.worker.GuardedPlugins;
import io.csi4j.node.internal.worker.NodePorts;
import io.csi4j.node.internal.worker.Reporter;
import io.csi4j.node.internal.worker.RepublishLimits;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Builds {@link NodeVolumes}. Not thread-safe. */
public final class NodeVolumesBuilder {
    private static final Duration UMOUNT_LIMIT = Duration.ofMinutes(1);

    private final Path baseDirectory;
    private final NodePlugins plugins;
    private @Nullable Environment environment;
    private @Nullable PathProbe probe;
    private @Nullable DirectUnmount directUnmount;
    private @Nullable VolumeOwnership ownership;
    private @Nullable VolumeLedger ledger;
    private MountTable table = MountTable.ofLinux();
    private MountSecretsProvider secrets = MountSecretsProvider.none();
    private PublishTokenProvider tokens = PublishTokenProvider.none();
    private NodeVolumeListener listener = NodeVolumeListener.none();
    private NodeVolumeOptions options = NodeVolumeOptions.defaults();
    private Predicate<AllocationId> runs = allocation -> true;
    private Duration checkPeriod = Duration.ofMinutes(1);

    NodeVolumesBuilder(Path baseDirectory, NodePlugins plugins) {
        this.baseDirectory = Objects.requireNonNull(baseDirectory, "baseDirectory");
        this.plugins = Objects.requireNonNull(plugins, "plugins");
    }

    /** Returns the base directory, which contains the ledger, the stagings and the targets. */
    public Path baseDirectory() {
        return baseDirectory;
    }

    /** Returns the object that finds the node's plugins. */
    public NodePlugins plugins() {
        return plugins;
    }

    /**
     * Sets the clock, the timer, the threads and the random numbers. Tasks of the executor read and write small files; dependent stages of
     * futures run there, too. The environment has to accept tasks until {@link NodeVolumes#stop()} has completed.
     *
     * @param environment the host's environment, which the host closes after {@link NodeVolumes#stop()} has completed; if not set, an
     *     {@link Environment#system()} that ends with the node volumes
     */
    public NodeVolumesBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /** Sets the mount table. Default: {@link MountTable#ofLinux()}. */
    public NodeVolumesBuilder mountTable(MountTable table) {
        this.table = Objects.requireNonNull(table, "table");
        return this;
    }

    /**
     * Sets the probe that finds out whether a mount answers. Default: reads the attributes of the path on a daemon
     * thread.
     */
    public NodeVolumesBuilder probe(PathProbe probe) {
        this.probe = Objects.requireNonNull(probe, "probe");
        return this;
    }

    /**
     * Sets the way in which a target is unmounted without the plugin. It is used only if the plugin answers that it has no such mount, and
     * an operator {@linkplain NodeVolumes#unmountDirectly orders the unmount} or {@link NodeVolumeOptions#directUnmount()} is on. Default:
     * the program {@code umount} of util-linux, for at most a minute; it follows no symbolic link below the base directory.
     */
    public NodeVolumesBuilder directUnmount(DirectUnmount directUnmount) {
        this.directUnmount = Objects.requireNonNull(directUnmount, "directUnmount");
        return this;
    }

    /**
     * Sets the way in which the files of a volume are given to the volume mount group if the plugin does not have
     * VOLUME_MOUNT_GROUP. Default: {@link VolumeOwnership#ofLinux()}.
     */
    public NodeVolumesBuilder ownership(VolumeOwnership ownership) {
        this.ownership = Objects.requireNonNull(ownership, "ownership");
        return this;
    }

    /**
     * Sets the source of secrets for mounts that have to be made again from the ledger, which has no secrets. Default: {@link
     * MountSecretsProvider#none()}.
     */
    public NodeVolumesBuilder secrets(MountSecretsProvider secrets) {
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        return this;
    }

    /**
     * Sets the source of the tokens of NodePublishVolume, for plugins whose profile names audiences. Default: {@link
     * PublishTokenProvider#none()}.
     */
    public NodeVolumesBuilder publishTokens(PublishTokenProvider tokens) {
        this.tokens = Objects.requireNonNull(tokens, "tokens");
        return this;
    }

    /** Sets the listener for events. Default: {@link NodeVolumeListener#none()}. */
    public NodeVolumesBuilder listener(NodeVolumeListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /** Sets the limits and policies of the node volumes. Default: {@link NodeVolumeOptions#defaults()}. */
    public NodeVolumesBuilder options(NodeVolumeOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Sets the interval of the checks of all mounts, see {@link NodeVolumes#check()}.
     *
     * @param period the time from the end of one check to the beginning of the next. Default: a minute; zero: never
     * @throws IllegalArgumentException if negative
     */
    public NodeVolumesBuilder checkEvery(Duration period) {
        if (period.isNegative()) {
            throw new IllegalArgumentException(
                    "NodeVolumes: checkEvery is " + period + "; give a duration above zero, or zero for never");
        }
        this.checkPeriod = period;
        return this;
    }

    /**
     * Sets the function that says whether an allocation still runs. {@link NodeVolumes#start} asks for each allocation
     * of the ledger: one that no longer runs is unmounted, and nothing is mounted again for it. After a reboot, only
     * the allocations that the host has started again run. Default: all run.
     *
     * <p>If the function throws, or does not answer within ten seconds, the allocation counts as running, a log line
     * names the function, and each {@linkplain NodeVolumes#check() check} asks again, until the host mounts a volume
     * for the allocation.
     *
     * @param runs fast; does not block
     */
    public NodeVolumesBuilder stillRuns(Predicate<AllocationId> runs) {
        this.runs = Objects.requireNonNull(runs, "runs");
        return this;
    }

    NodeVolumesBuilder ledger(VolumeLedger ledger) {
        this.ledger = ledger;
        return this;
    }

    /**
     * Opens the base directory. Opening it reads and writes a few small files, so it may block.
     *
     * @return the node's volumes, which have to be {@linkplain NodeVolumes#start started}
     * @throws NodeVolumeException with LEDGER if the base directory cannot be used, belongs to another user, or others
     *     can write to it; also if another process uses it
     */
    public NodeVolumes build() {
        Path base;
        VolumeLedger opened;
        MachineIds machineIds;
        try {
            DurableDirectories.make(baseDirectory.toAbsolutePath());
            // Resolves symbolic links, because the mount table has paths without them.
            base = baseDirectory.toRealPath();
            OwnDirectory.make(base);
            // Opened before the ledger, whose lock would stay if this failed.
            machineIds = MachineIds.open(base.resolve("machine-ids"), options.syncedWrites());
            opened = ledger != null ? ledger : ledgerIn(base);
        } catch (IOException e) {
            throw new NodeVolumeException(
                    NodeVolumeException.Reason.LEDGER,
                    "The base directory " + baseDirectory + " of the node volumes cannot be used: "
                            + NodeFailures.text(e),
                    e);
        }
        Environment used = environment != null ? environment : Environment.system();
        Timer timer = used.timer();
        HostCallbacks host = new HostCallbacks(used.executor(), used.timer());
        PathProbe someProbe =
                probe != null ? probe : new StatProbe(NodeVolumesBuilder::probeThread, timer, options.probeLimit());
        NodePorts ports = new NodePorts(
                new NodePaths(base),
                opened,
                machineIds,
                table,
                someProbe,
                directUnmount != null ? directUnmount : new UmountProcess("umount", timer, UMOUNT_LIMIT),
                ownership != null ? ownership : VolumeOwnership.ofLinux(),
                new GuardedPlugins(plugins, host),
                secrets,
                tokens,
                new RepublishLimits(),
                timer,
                used.clock(),
                used.executor(),
                new Backoff(options.firstRetry(), options.longestRetry(), used.random()),
                new Reporter(listener, used.clock(), used.executor(), host),
                host,
                options);
        try {
            return new NodeVolumes(ports, checkPeriod, runs, environment == null ? used::close : () -> {});
        } catch (RuntimeException | Error e) {
            // Releases the lock of the directory if the host's mount table throws, so that another attempt can open the
            // directory.
            close(opened, e);
            if (environment == null) {
                used.close();
            }
            throw e;
        }
    }

    private VolumeLedger ledgerIn(Path base) throws IOException {
        Path directory = base.resolve("ledger");
        OwnDirectory.takeOver(directory);
        return FileLedger.open(directory, options.syncedWrites());
    }

    private static void close(VolumeLedger ledger, Throwable error) {
        try {
            ledger.close();
        } catch (IOException e) {
            error.addSuppressed(e);
        }
    }

    private static Thread probeThread(Runnable query) {
        Thread thread = new Thread(query, "csi4j-mount-probe");
        thread.setDaemon(true);
        return thread;
    }
}
