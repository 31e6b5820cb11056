package io.csi4j.client.registry;

import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.instance.ExceededLimit;
import io.csi4j.client.registry.instance.MountRoot;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.instance.PluginSnapshot;
import io.csi4j.client.registry.instance.StoredPlugin;
import io.csi4j.client.registry.internal.store.SocketRecords;
import io.csi4j.client.registry.internal.supervisor.SocketDirectory;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.Cancellable;
import java.io.IOException;
import java.lang.System.Logger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Supervises the host's tasks that run plugins. Thread-safe.
 *
 * <p>The host calls {@link #prepare} before each start of a task and carries out the returned steps. It calls {@link #taskStarted} after each
 * start, and {@link #taskStopped} when the task has ended permanently. A task that is started several times is still one instance. If the host
 * restarted and the task still runs, {@code taskStarted} alone resumes the supervision.
 */
public final class PluginSupervisor implements AutoCloseable {
    private static final Logger LOG = System.getLogger(PluginSupervisor.class.getName());
    private static final Path DEVICES = Path.of("/dev");
    private static final String MAY_MOUNT = "CAP_SYS_ADMIN";

    private final PluginRegistry registry;
    private final PluginPaths paths;
    private final RestartPolicy policy;
    private final SupervisorListener listener;
    private final Map<InstanceKey, Supervision> tasks = new ConcurrentHashMap<>();
    private final SerialExecutor serial;
    private final Cancellable subscription;
    /** The version of the last observed snapshot; used in the serial executor only. */
    private long observedVersion;

    private PluginSupervisor(
            PluginRegistry registry, PluginPaths paths, RestartPolicy policy, SupervisorListener listener) {
        this.registry = registry;
        this.paths = paths;
        this.policy = policy;
        this.listener = listener;
        this.serial = registry.environment().serialExecutor();
        this.subscription = registry.subscribe((snapshot, changes) -> observeLater(snapshot));
    }

    /**
     * Returns a supervisor of the plugins of one node.
     *
     * @param registry the registry; the caller closes it after the supervisor
     * @param paths the directories of the plugins
     * @param policy the conditions for a restart of a plugin
     * @param listener gets events about the health of plugins
     * @return the supervisor; the caller closes it
     */
    public static PluginSupervisor over(
            PluginRegistry registry, PluginPaths paths, RestartPolicy policy, SupervisorListener listener) {
        return new PluginSupervisor(
                Objects.requireNonNull(registry, "registry"),
                Objects.requireNonNull(paths, "paths"),
                Objects.requireNonNull(policy, "policy"),
                Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Creates the directories of a task, removes the socket that a killed process left, and returns the setup that the task needs. Call it
     * before each start, while no process of the task runs. Blocks briefly on the disk.
     *
     * @return the steps for the host before it starts the task; the same each time
     * @throws PluginStoreException if a directory or record cannot be created
     * @throws IllegalArgumentException if the path of the socket inside the task is too long
     */
    public TaskSetup prepare(PluginTask task) {
        Objects.requireNonNull(task, "task");
        TaskSetup setup = setup(task);
        Path socket = setup.registration().socket();
        try {
            SocketDirectory.make(paths.socketDirectories());
            SocketDirectory.make(paths.socketDirectory(task.key()));
            SocketDirectory.make(paths.mountRoot(task.key().pluginId()));
            SocketRecords.write(
                    paths.record(task.key()),
                    new StoredPlugin(
                            setup.registration(), registry.environment().clock().instant()));
            SocketDirectory.removeStale(socket);
        } catch (IOException unmade) {
            throw new PluginStoreException(
                    "the directories of " + task.key() + " cannot be made below " + paths + ": " + unmade
                            + "; see to their permissions and free space",
                    unmade);
        }
        return setup;
    }

    private TaskSetup setup(PluginTask task) {
        InstanceKey key = task.key();
        Path root = paths.mountRoot(key.pluginId());
        Path socket = paths.socket(key);
        Set<String> privileges = PluginRole.NODE.servedBy(key.type()) ? Set.of(MAY_MOUNT) : Set.of();
        if (task.sharesFileSystem()) {
            return new TaskSetup(
                    Map.of("CSI_ENDPOINT", "unix://" + socket),
                    List.of(),
                    privileges,
                    new PluginRegistration(key, socket, Optional.of(MountRoot.same(root))));
        }
        Endpoint inTask = Endpoint.unix(task.mountDir().resolve(PluginPaths.SOCKET));
        return new TaskSetup(
                Map.of("CSI_ENDPOINT", inTask.toString()),
                List.of(
                        new TaskMount(paths.socketDirectory(key), task.mountDir(), true),
                        new TaskMount(root, task.stagePublishBaseDir(), true),
                        new TaskMount(DEVICES, DEVICES, false)),
                privileges,
                new PluginRegistration(key, socket, Optional.of(new MountRoot(root, task.stagePublishBaseDir()))));
    }

    /**
     * Registers and supervises a task that was started, for the first time or again, or that still runs after a restart of the host. The plugin need not listen yet.
     *
     * @return completes when the registration is stored; see {@link PluginRegistry#register}
     * @throws IllegalStateException if the registry is closed
     */
    public CompletableFuture<Registered> taskStarted(PluginTask task) {
        Objects.requireNonNull(task, "task");
        InstanceKey key = task.key();
        CompletableFuture<Registered> registered = registry.register(setup(task).registration());
        tasks.putIfAbsent(key, new Supervision());
        registry.snapshot().instance(key).ifPresent(each -> each.connection().restarted());
        // Handles the present snapshot, because the state of the instance may have been reported before the task was
        // added.
        observeLater(registry.snapshot());
        return registered;
    }

    private void observeLater(RegistrySnapshot snapshot) {
        registry.environment().execute(serial, () -> observe(snapshot), () -> {});
    }

    /** Handles a snapshot in the serial executor; ignores it if a newer one has been handled before. */
    private void observe(RegistrySnapshot snapshot) {
        if (snapshot.version() < observedVersion) {
            return;
        }
        observedVersion = snapshot.version();
        tasks.forEach((key, supervision) -> snapshot.instance(key).ifPresent(plugin -> {
            var now = registry.environment().clock().instant();
            for (PluginTaskEvent event : supervision.events(plugin.snapshot(), policy, now)) {
                publish(event);
            }
        }));
    }

    private void publish(PluginTaskEvent event) {
        try {
            listener.onEvent(event);
        } catch (RuntimeException | Error broken) {
            LOG.log(Logger.Level.WARNING, "A listener to plugins' tasks failed; it gets later events", broken);
        }
    }

    /**
     * Checks whether a running task may be stopped permanently. Volumes on this node may need the plugin for their
     * unmount.
     *
     * @throws PluginInUseException if volumes need it, no other instance of the plugin is ready, and the registry's
     *     policy is {@link StopPolicy#REFUSE}. With {@link StopPolicy#WARN} a warning in the log names the volumes
     *     instead
     */
    public void taskStopping(InstanceKey key) {
        Optional<PluginInUseException> objection = registry.objectionToStopping(Objects.requireNonNull(key, "key"));
        if (objection.isPresent()) {
            throw objection.get();
        }
    }

    /**
     * Removes a task that has ended permanently, with its socket and the socket's directory. If the directory has other
     * files or is a mount point, it is not removed, and a warning in the log names it. The staging and target paths of
     * the plugin are not removed. Has no effect for a task that was never started. Wait for the future before preparing
     * the same task again.
     *
     * @return whether the task was registered; completes when the removal is stored and the files are removed. Fails
     *     with a {@link PluginStoreException} if the removal could not be stored or the files could not be removed
     */
    public CompletableFuture<Boolean> taskStopped(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        tasks.remove(key);
        return registry.deregisterAnyway(key)
                .whenCompleteAsync((was, unstored) -> clean(key), registry.environment()::complete);
    }

    private void clean(InstanceKey key) {
        try {
            SocketDirectory.remove(paths.socketDirectory(key), paths.socket(key))
                    .ifPresent(left ->
                            LOG.log(Logger.Level.WARNING, "The stopped plugin " + key + " left something: " + left));
            Files.deleteIfExists(paths.record(key));
        } catch (IOException stuck) {
            throw new PluginStoreException(
                    "the socket of " + key + " in " + paths.socketDirectory(key) + " cannot be removed: " + stuck
                            + "; remove it by hand",
                    stuck);
        }
    }

    /** Ends the supervision. The tasks continue and stay registered. */
    @Override
    public void close() {
        subscription.cancel();
        tasks.clear();
    }

    /** The events of one task over all its restarts. Used by one thread at a time. */
    private static final class Supervision {
        private boolean healthy;
        private boolean advised;

        List<PluginTaskEvent> events(PluginSnapshot snapshot, RestartPolicy policy, Instant now) {
            List<PluginTaskEvent> events = new ArrayList<>();
            if (snapshot.ready() != healthy) {
                healthy = snapshot.ready();
                PluginTaskEvent.Kind kind = healthy ? PluginTaskEvent.Kind.HEALTHY : PluginTaskEvent.Kind.UNHEALTHY;
                events.add(new PluginTaskEvent(snapshot.key(), kind, snapshot.description(), now));
            }
            Optional<ExceededLimit> exceeded = snapshot.exceeded().filter(policy::advises);
            if (exceeded.isEmpty()) {
                // Permits a new RESTART_ADVISED event, because the task is ready, has another process, or was
                // restarted.
                advised = false;
            } else if (!advised) {
                advised = true;
                String limit = exceeded.get() == ExceededLimit.START_UP
                        ? "it did not become ready in time: "
                        : "it has been unwell for too long: ";
                events.add(new PluginTaskEvent(
                        snapshot.key(), PluginTaskEvent.Kind.RESTART_ADVISED, limit + snapshot.description(), now));
            }
            return events;
        }
    }
}
