package io.csi4j.registry;

import io.csi4j.client.Endpoint;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.registry.instance.ExceededLimit;
import io.csi4j.registry.instance.MountRoot;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.PluginRole;
import io.csi4j.registry.instance.PluginSnapshot;
import io.csi4j.registry.instance.StoredPlugin;
import io.csi4j.registry.internal.store.SocketRecords;
import io.csi4j.registry.internal.supervisor.SocketDirectory;
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
 * Looks after the tasks of the host that run plugins. Safe for use by many threads.
 *
 * <p>Before each start the host calls {@link #prepare} and does what it says; after each start, {@link #started}; when
 * the task has ended for good, {@link #stopped}. The same task may be started any number of times: it is one instance,
 * watched once. When the host itself was restarted and the task runs on, {@code started} alone takes it up again.
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
    /** Which picture was seen last; in the serial executor only. */
    private long seen;

    private PluginSupervisor(
            PluginRegistry registry, PluginPaths paths, RestartPolicy policy, SupervisorListener listener) {
        this.registry = registry;
        this.paths = paths;
        this.policy = policy;
        this.listener = listener;
        this.serial = registry.environment().serialExecutor();
        this.subscription = registry.subscribe((picture, changes) -> observeLater(picture));
    }

    /**
     * A supervisor of the plugins of one node.
     *
     * @param registry where they are registered; the caller closes it, after the supervisor
     * @param paths where they have their files
     * @param policy when they should be started anew
     * @param listener is told of their health
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
     * Makes the directories of a task, removes the socket that a killed process left, and says what the task needs.
     * To be called before each start, while no process of the task runs. Blocks on the disk, briefly.
     *
     * @param task the task
     * @return what the host has to do before it starts the task; the same each time
     * @throws PluginStoreException if a directory or record cannot be made
     * @throws IllegalArgumentException if the path of the socket in the task is too long
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
     * Registers and watches a task that was started, for the first time or again, or that still runs after a restart
     * of the host. It need not listen yet.
     *
     * @param task the task
     * @return when the registration is stored; see {@link PluginRegistry#register}
     * @throws IllegalStateException if the registry is closed
     */
    public CompletableFuture<Registered> started(PluginTask task) {
        Objects.requireNonNull(task, "task");
        InstanceKey key = task.key();
        CompletableFuture<Registered> registered = registry.register(setup(task).registration());
        tasks.putIfAbsent(key, new Supervision());
        registry.picture().instance(key).ifPresent(each -> each.connection().restarted());
        // The state of the instance may have been published before the task was added.
        observeLater(registry.picture());
        return registered;
    }

    private void observeLater(RegistrySnapshot picture) {
        registry.environment().execute(serial, () -> observe(picture), () -> {});
    }

    /** In the serial executor only. A newer snapshot may have come before this one. */
    private void observe(RegistrySnapshot picture) {
        if (picture.version() < seen) {
            return;
        }
        seen = picture.version();
        tasks.forEach((key, supervision) -> picture.instance(key).ifPresent(plugin -> {
            var now = registry.environment().clock().instant();
            for (PluginTaskEvent event : supervision.events(plugin.snapshot(), policy, now)) {
                publish(event);
            }
        }));
    }

    private void publish(PluginTaskEvent event) {
        try {
            listener.happened(event);
        } catch (RuntimeException | Error broken) {
            LOG.log(Logger.Level.WARNING, "a listener to plugins' tasks failed; it is told of later events", broken);
        }
    }

    /**
     * To be asked before a task is stopped for good, while it still runs: volumes on this node may need it to be
     * unmounted.
     *
     * @param key which instance
     * @throws PluginInUseException if they do, no other instance of the plugin is ready, and the {@link StopPolicy} of
     *     the registry says to refuse; otherwise they are named in a warning in the log
     */
    public void stopping(InstanceKey key) {
        Optional<PluginInUseException> objection = registry.objectionToStopping(Objects.requireNonNull(key, "key"));
        if (objection.isPresent()) {
            throw objection.get();
        }
    }

    /**
     * Forgets a task that has ended for good, and removes its socket and the socket's directory. What is mounted, or
     * is not the supervisor's, is left and logged. Where the plugin has staged and published is left as it is. Does
     * nothing for a task that was never started. To be waited for before the same task is prepared again.
     *
     * @param key which instance
     * @return whether it was registered, when that is done; exceptionally, with a {@link PluginStoreException}, if it
     *     could not be stored, or the files could not be removed
     */
    public CompletableFuture<Boolean> stopped(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        tasks.remove(key);
        return registry.deregisterAnyway(key)
                .whenCompleteAsync((was, unstored) -> clean(key), registry.environment()::complete);
    }

    private void clean(InstanceKey key) {
        try {
            SocketDirectory.remove(paths.socketDirectory(key), paths.socket(key))
                    .ifPresent(left -> LOG.log(Logger.Level.WARNING, "of the stopped plugin " + key + ": " + left));
            Files.deleteIfExists(paths.record(key));
        } catch (IOException stuck) {
            throw new PluginStoreException(
                    "the socket of " + key + " in " + paths.socketDirectory(key) + " cannot be removed: " + stuck
                            + "; remove it by hand",
                    stuck);
        }
    }

    /** Watches no more. The tasks go on and stay registered. */
    @Override
    public void close() {
        subscription.cancel();
        tasks.clear();
    }

    /** The events of one task through all its restarts. Used by one thread at a time. */
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
                // The task is ready, has another process or was started again: its next excess is a new one.
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
