package io.csi4j.testkit;

import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.node.FakeNodeVolumes;
import io.csi4j.testkit.internal.node.NodeGauge;
import io.csi4j.testkit.internal.serve.InProcess;
import io.csi4j.testkit.internal.serve.ListeningSocketPath;
import io.csi4j.testkit.internal.serve.SocketServer;
import io.csi4j.testkit.internal.service.CallHook;
import io.csi4j.testkit.internal.service.FakeControllerService;
import io.csi4j.testkit.internal.service.FakeGroupService;
import io.csi4j.testkit.internal.service.FakeIdentityService;
import io.csi4j.testkit.internal.service.FakeMetadataService;
import io.csi4j.testkit.internal.service.FakeNodeService;
import io.csi4j.testkit.internal.service.InFlight;
import io.csi4j.testkit.internal.service.PluginConfig;
import io.csi4j.testkit.internal.storage.Backend;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.csi4j.testkit.internal.storage.NodeShelf;
import io.grpc.BindableService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a strict fake CSI plugin, in this process.
 *
 * <p>Build the plugin, start it in process, on a Unix socket, or both, and close it. Its volumes belong to its {@link FakeStorage}: with the same storage, a
 * new instance with the same node id continues where the old one stopped. Thread-safe.
 */
public final class FakeCsiPlugin implements AutoCloseable {
    private static final AtomicInteger THREADS = new AtomicInteger();

    private final PluginConfig config;
    private final FakeStorage storage;
    private final boolean servesNode;
    private final InFlight nodeCalls = new InFlight();
    private final List<BindableService> services = new ArrayList<>();
    private final @Nullable ExecutorService executor;
    private @Nullable SocketServer socketServer;
    private @Nullable InProcess inProcess;
    private boolean closed;

    FakeCsiPlugin(PluginConfig config, FakeStorage storage, boolean controller, boolean node, CallHook hook) {
        this.config = config;
        this.storage = storage;
        this.servesNode = node;
        Backend backend = storage.backend();
        services.add(new FakeIdentityService(config));
        if (controller && config.capabilities().contains(FakeCapability.CONTROLLER_SERVICE)) {
            services.add(new FakeControllerService(config, backend, storage.controllerCalls(), hook));
        }
        if (controller && config.capabilities().contains(FakeCapability.GROUP_CONTROLLER_SERVICE)) {
            services.add(new FakeGroupService(backend, storage.controllerCalls(), hook));
        }
        if (controller && config.capabilities().contains(FakeCapability.SNAPSHOT_METADATA_SERVICE)) {
            services.add(new FakeMetadataService(backend));
        }
        backend.store().locked(() -> backend); // takes up what an earlier process left
        if (node) {
            backend.register(new NodeRecord(config.nodeId(), config.segments(), config.attachLimit()));
            NodeShelf shelf = backend.shelf(config.nodeId());
            FakeNodeVolumes volumes = new FakeNodeVolumes(
                    backend,
                    shelf,
                    storage.effects(),
                    config.capabilities().contains(FakeCapability.PUBLISH_UNPUBLISH_VOLUME),
                    config.capabilities().contains(FakeCapability.STAGE_UNSTAGE_VOLUME));
            volumes.recover();
            services.add(new FakeNodeService(
                    config, volumes, new NodeGauge(backend, shelf, storage.effects()), nodeCalls, hook));
        }
        boolean direct = !storage.mayWait() && hook.equals(CallHook.NONE);
        this.executor = direct ? null : Executors.newCachedThreadPool(FakeCsiPlugin::thread);
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(work, "csi4j-fake-plugin-call-" + THREADS.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** Returns a builder with usable defaults. */
    public static FakeCsiPluginBuilder builder() {
        return new FakeCsiPluginBuilder();
    }

    /**
     * Starts to listen on a Unix socket. Replaces the socket file of a dead plugin; refuses to replace that of a live plugin, or a file that is no socket.
     *
     * @param endpoint like {@code unix:///run/x.sock}; the path is absolute, ends with {@code .sock} and has at most 107 bytes
     * @throws IllegalArgumentException when the endpoint has another form
     * @throws UncheckedIOException when the socket cannot be created; the message is for operators
     * @throws IllegalStateException when the plugin is closed or listens on a socket already
     */
    public synchronized FakeCsiPlugin startOn(String endpoint) {
        requireOpen();
        if (socketServer != null) {
            throw new IllegalStateException(
                    "the plugin listens on " + socketServer.socket().endpoint() + " already; stop it first");
        }
        try {
            socketServer = new SocketServer(ListeningSocketPath.of(endpoint), services, executor);
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return this;
    }

    /**
     * Starts to serve callers in this process, by the in-process transport of gRPC.
     *
     * @return this; see {@link #inProcessName}
     * @throws IllegalStateException when the plugin is closed or served in process already
     */
    public synchronized FakeCsiPlugin startInProcess() {
        requireOpen();
        if (inProcess != null) {
            throw new IllegalStateException("the plugin is served in process as '" + inProcess.name() + "' already");
        }
        inProcess = InProcess.start(services, executor);
        return this;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the plugin is closed; build a new one with the same storage");
        }
    }

    /**
     * Returns the name for gRPC's in-process channel, unique in this process.
     *
     * @throws IllegalStateException when {@link #startInProcess} was not called
     */
    public synchronized String inProcessName() {
        if (inProcess == null) {
            throw new IllegalStateException("the plugin is not served in process; call startInProcess first");
        }
        return inProcess.name();
    }

    /**
     * Returns the address on which the plugin listens, like {@code unix:///run/x.sock}.
     *
     * @throws IllegalStateException when {@link #startOn} was not called
     */
    public synchronized String endpoint() {
        if (socketServer == null) {
            throw new IllegalStateException("the plugin listens on no socket; call startOn first");
        }
        return socketServer.socket().endpoint();
    }

    /** Stops serving, and cuts off the calls in flight. The storage stays; the plugin can be started again. */
    public FakeCsiPlugin stop() {
        return stop(Duration.ZERO);
    }

    /**
     * Stops serving. The storage stays; the plugin can be started again.
     *
     * @param patience the time for calls in flight to finish, before they are cut off
     */
    public synchronized FakeCsiPlugin stop(Duration patience) {
        if (socketServer != null) {
            socketServer.close(patience.toMillis());
            socketServer = null;
        }
        if (inProcess != null) {
            inProcess.close(patience.toMillis());
            inProcess = null;
        }
        return this;
    }

    /** Stops serving permanently. The storage stays. */
    @Override
    public synchronized void close() {
        closed = true;
        stop();
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    /** Returns the storage of this plugin, which other plugins may share. */
    public FakeStorage storage() {
        return storage;
    }

    /** Returns the id of this plugin's node, as in NodeGetInfo. */
    public String nodeId() {
        return config.nodeId();
    }

    /**
     * Changes the volume limit of this plugin's node while it runs. NodeGetInfo returns the new limit from now on (R93), and ControllerPublishVolume applies it;
     * published volumes stay. The storage keeps the limit for its other plugins; a new instance for this node begins with its own.
     *
     * @param volumes the limit; zero for none
     * @throws IllegalArgumentException if it is negative
     * @throws IllegalStateException if this plugin serves no node
     */
    public void attachLimit(long volumes) {
        if (volumes < 0) {
            throw new IllegalArgumentException(
                    "attachLimit is " + volumes + "; it must not be negative, zero means no limit (R93)");
        }
        if (!servesNode) {
            throw new IllegalStateException("this plugin serves no node; change the limit of the one that does");
        }
        storage.backend().register(new NodeRecord(config.nodeId(), config.segments(), volumes));
    }

    /** Returns the capabilities that are turned on. */
    public Set<FakeCapability> capabilities() {
        return config.capabilities();
    }

    /**
     * Returns the number of calls that arrived for a volume or snapshot while another call for it was pending, and were refused with ABORTED (R26, R27): those of the
     * controllers on this plugin's storage and those of this plugin's node.
     *
     * @return zero if the caller makes one call at a time
     */
    public long overlappingCalls() {
        return storage.controllerCalls().overlapping() + nodeCalls.overlapping();
    }
}
