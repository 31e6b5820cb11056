package io.csi4j.testkit;

import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import io.csi4j.testkit.internal.call.ActiveFaults;
import io.csi4j.testkit.internal.call.CallGate;
import io.csi4j.testkit.internal.call.CallRecorder;
import io.csi4j.testkit.internal.control.ControlServer;
import io.csi4j.testkit.internal.control.ControlledPlugin;
import io.csi4j.testkit.internal.serve.ListeningSocketPath;
import io.csi4j.testkit.internal.service.CallHook;
import io.csi4j.testkit.internal.service.PluginConfig;
import io.csi4j.testkit.internal.storage.NamedRequests;
import io.csi4j.testkit.internal.storage.NodeRecord;
import io.grpc.BindableService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a strict fake CSI plugin, in this process.
 *
 * <p>Build the plugin, start it in process, on a Unix socket, or both, and close it. Its volumes belong to its {@link FakeStorage}: with the same storage, a
 * new instance with the same node id continues where the old one stopped. Thread-safe.
 */
public final class FakeCsiPlugin implements ObservablePlugin, AutoCloseable {
    private final PluginConfig config;
    private final FakeStorage storage;
    private final boolean servesController;
    private final boolean servesNode;
    private final CallRecorder recorder;
    private final NamedRequests names;
    private final ActiveFaults faults = new ActiveFaults();
    private final PluginServices services;
    private final @Nullable ExecutorService executor;
    private final PluginServer server;
    private @Nullable ControlServer control;
    private boolean closed;

    /**
     * The parts of a plugin besides its settings and its storage: whether it has the controller and the node service,
     * and the objects that handle its calls.
     */
    record Parts(boolean controller, boolean node, CallHook hook, CallRecorder recorder, Optional<Runnable> crashAct) {}

    FakeCsiPlugin(PluginConfig config, FakeStorage storage, Parts parts) {
        this.config = config;
        this.storage = storage;
        this.servesController = parts.controller();
        this.servesNode = parts.node();
        this.recorder = parts.recorder();
        this.names = new NamedRequests(storage.backend());
        this.services = new PluginServices(config, storage, parts.hook());
        boolean direct = !storage.mayWait() && parts.hook().equals(CallHook.NONE);
        this.executor = direct ? null : Executors.newCachedThreadPool(PluginServer::thread);
        Executor continued = executor == null ? ForkJoinPool.commonPool() : executor;
        List<BindableService> bare = services.create(parts.controller(), parts.node());
        this.server = new PluginServer(
                transport -> {
                    CallGate gate = new CallGate(recorder, names, faults, transport, config.nodeId(), continued);
                    return bare.stream().map(gate::guard).toList();
                },
                executor,
                parts.crashAct());
    }

    /** Returns a builder with usable defaults. */
    public static FakeCsiPluginBuilder builder() {
        return new FakeCsiPluginBuilder();
    }

    /**
     * Starts to listen on a Unix socket. Replaces a socket file on which no process listens any more. Never replaces
     * the socket of a running plugin, or a file that is not a socket.
     *
     * @param endpoint like {@code unix:///run/x.sock}; the path is absolute, ends with {@code .sock} and has at most
     *     107 bytes
     * @throws IllegalArgumentException when the endpoint has another form
     * @throws UncheckedIOException when the socket cannot be created; the message is for operators
     * @throws IllegalStateException when the plugin is closed or listens on a socket already
     */
    public FakeCsiPlugin startOn(String endpoint) {
        requireOpen();
        server.listen(endpoint);
        return this;
    }

    /**
     * Starts to serve callers in this process, by the in-process transport of gRPC.
     *
     * @return this plugin; {@link #inProcessName} returns the name for callers
     * @throws IllegalStateException when the plugin is closed or served in process already
     */
    public FakeCsiPlugin startInProcess() {
        requireOpen();
        server.serveInProcess();
        return this;
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the plugin is closed; build a new one with the same storage");
        }
    }

    /**
     * Returns the name with which gRPC's in-process channel reaches this plugin. The name is unique in this process and stays the same when the
     * plugin is started again.
     *
     * @throws IllegalStateException when {@link #startInProcess} was not called
     */
    public String inProcessName() {
        return server.inProcessName()
                .orElseThrow(() ->
                        new IllegalStateException("the plugin is not served in process; call startInProcess first"));
    }

    /**
     * Returns the address for clients in this process, like {@code inprocess:///x}.
     *
     * @throws IllegalStateException when {@link #startInProcess} was not called
     */
    public String inProcessEndpoint() {
        return "inprocess:///" + inProcessName();
    }

    /**
     * Returns the address on which the plugin listens, like {@code unix:///run/x.sock}, or, if it listens on no socket, the address for clients in
     * this process.
     *
     * @throws IllegalStateException when the plugin is not started
     */
    @Override
    public String endpoint() {
        return server.socketEndpoint()
                .or(() -> server.inProcessName().map(name -> inProcessEndpoint()))
                .orElseThrow(() ->
                        new IllegalStateException("the plugin is not started; call startOn or startInProcess first"));
    }

    /** Returns whether the plugin serves callers. It serves them from its start until it is stopped or a fault crashes it. */
    public boolean isServing() {
        return server.isServing();
    }

    /**
     * Waits until the plugin has stopped, for example by a crash fault.
     *
     * @return true if the plugin has stopped in time
     */
    public boolean awaitStop(Duration maxWait) {
        return server.awaitStop(maxWait);
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
    public FakeCsiPlugin stop(Duration patience) {
        server.stop(patience);
        return this;
    }

    /** Stops serving permanently. The storage stays. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (control != null) {
                control.close();
                control = null;
            }
        }
        stop();
        faults.removeAll();
        if (executor != null) {
            executor.shutdownNow();
        }
    }

    /**
     * Starts to listen on a control socket, with which another process adds faults and reads the history. Each line is one command; the command
     * {@code help} lists all commands. {@link #close} closes the socket.
     *
     * @param endpoint in the form of {@link #startOn}
     * @throws IllegalArgumentException when the endpoint has another form
     * @throws UncheckedIOException when the socket cannot be created
     * @throws IllegalStateException when the plugin is closed or has a control socket already
     */
    public synchronized FakeCsiPlugin controlOn(String endpoint) {
        requireOpen();
        if (control != null) {
            throw new IllegalStateException("the plugin is controlled on " + control.endpoint() + " already");
        }
        try {
            control = new ControlServer(
                    ListeningSocketPath.of(endpoint),
                    new ControlledPlugin(recorder, faults, this::leaks, this::changedRequests, storage::setCapacity));
        } catch (IOException e) {
            throw new UncheckedIOException(e.getMessage(), e);
        }
        return this;
    }

    @Override
    public Fault addFault(FaultRule rule) {
        return faults.add(rule);
    }

    @Override
    public List<Fault> faults() {
        return faults.all();
    }

    @Override
    public void removeFaults() {
        faults.removeAll();
    }

    @Override
    public CallHistory history() {
        return recorder.history();
    }

    /** Returns the values of all secrets that came with calls, so that a test can check that no log, file or page shows them. */
    public Set<String> secretsOfCalls() {
        return recorder.secrets();
    }

    @Override
    public List<Leak> leaks() {
        return storage.leaks();
    }

    @Override
    public List<ChangedRequest> changedRequests() {
        return names.changed();
    }

    /** Returns the storage of this plugin, which other plugins may share. */
    public FakeStorage storage() {
        return storage;
    }

    /** Returns the name of the plugin, as in GetPluginInfo. */
    public String name() {
        return config.name();
    }

    /** Returns the version, as in GetPluginInfo. */
    public String vendorVersion() {
        return config.vendorVersion();
    }

    /** Returns whether this instance has the controller services. */
    public boolean servesController() {
        return servesController;
    }

    /** Returns whether this instance has the node service. */
    public boolean servesNode() {
        return servesNode;
    }

    /** Returns the topology of this plugin's node, as in NodeGetInfo; empty without VOLUME_ACCESSIBILITY_CONSTRAINTS. */
    public Map<String, String> topology() {
        return config.segments();
    }

    /** Returns the volume limit of this plugin's node, as in NodeGetInfo; zero: none. */
    public long attachLimit() {
        return storage.backend().attachLimit(config.nodeId());
    }

    /** Returns the id of this plugin's node, as in NodeGetInfo. */
    public String nodeId() {
        return config.nodeId();
    }

    /**
     * Changes the volume limit of this plugin's node while it runs. NodeGetInfo returns the new limit from now on (R93), and ControllerPublishVolume
     * applies it; published volumes stay. The other plugins on the same storage see the new limit too. A new plugin instance for this node begins
     * with the limit of its own builder.
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
     * Returns the number of calls that arrived for a volume or snapshot while another call for the same one was
     * pending, and were therefore refused with ABORTED (R26, R27). Counts the calls to all controllers on this plugin's
     * storage, and the calls to this plugin's node.
     *
     * @return the number of calls; zero if callers make only one call at a time for each volume and snapshot
     */
    public long overlappingCalls() {
        return services.overlappingCalls();
    }
}
