package io.csi4j.core.lifecycle;

import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.CallbackThreads;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EngineLog;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.SafeTrust;
import io.csi4j.core.lifecycle.internal.event.SafeListener;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Fencing;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.SecretsProvider;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Builds {@link VolumeLifecycle}s. The host closes the objects that it passes in. Not thread-safe. */
public final class VolumeLifecycleBuilder {
    private @Nullable CommandLog log;
    private @Nullable NodeGateway gateway;
    private @Nullable Environment environment;
    private Executor callbackExecutor = CallbackThreads.shared();
    private SecretsProvider secrets = SecretsProvider.ofVolumes();
    private @Nullable ControllerTrust controllers;
    private AccessControl access = AccessControl.off();
    private EventListener listener = EventListener.none();
    private Fencing fencing = Fencing.byHost();
    private LifecycleOptions options = LifecycleOptions.ofDefaults();

    VolumeLifecycleBuilder() {}

    /** Sets the log that takes all commands of the engine. Required. */
    public VolumeLifecycleBuilder log(CommandLog log) {
        this.log = Objects.requireNonNull(log, "log");
        return this;
    }

    /** Sets the gateway through which the engine calls plugins and nodes. Required. */
    public VolumeLifecycleBuilder gateway(NodeGateway gateway) {
        this.gateway = Objects.requireNonNull(gateway, "gateway");
        return this;
    }

    /**
     * Sets the clock, the timer, the threads and the random numbers.
     *
     * @param environment the host's environment, which the host closes after the engine; if not set, the engine has its own {@link
     *     Environment#system()} and closes it
     */
    public VolumeLifecycleBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets the executor in which the futures of operations complete and dependent stages run. A stage may block, or
     * wait for another operation, as long as the executor has another free thread. The engine itself uses no thread of
     * this executor.
     *
     * @param callbackExecutor the executor; if not set, all engines share daemon threads, one for each running callback
     */
    public VolumeLifecycleBuilder callbackExecutor(Executor callbackExecutor) {
        this.callbackExecutor = Objects.requireNonNull(callbackExecutor, "callbackExecutor");
        return this;
    }

    /**
     * Sets the provider of the secrets for calls.
     *
     * @param secrets the provider; if not set, calls use the secrets that the volumes declare
     */
    public VolumeLifecycleBuilder secrets(SecretsProvider secrets) {
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        return this;
    }

    /**
     * Sets which reported controllers are called, with the secrets of the calls.
     *
     * @param controllers the host's word; for example {@link ControllerTrust#declaredDeployments()}. If not set, the
     *     controllers of every node are called, which is right if the host itself reports all plugins; an {@code
     *     AgentServer} refuses such an engine
     */
    public VolumeLifecycleBuilder controllers(ControllerTrust controllers) {
        this.controllers = Objects.requireNonNull(controllers, "controllers");
        return this;
    }

    /**
     * Sets the access control.
     *
     * @param access the access control; if not set, every caller may do everything
     */
    public VolumeLifecycleBuilder access(AccessControl access) {
        this.access = Objects.requireNonNull(access, "access");
        return this;
    }

    /**
     * Sets the listener for the engine's events.
     *
     * @param listener the listener; if not set, events are dropped
     */
    public VolumeLifecycleBuilder listener(EventListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets the service of the host that the engine asks to fence nodes.
     *
     * @param fencing the service; if not set, the engine never requests fencing, and the host alone decides when to
     *     fence a node
     */
    public VolumeLifecycleBuilder fencing(Fencing fencing) {
        this.fencing = Objects.requireNonNull(fencing, "fencing");
        return this;
    }

    /**
     * Sets the options of the engine.
     *
     * @param options the options; if not set, {@link LifecycleOptions#ofDefaults()}
     */
    public VolumeLifecycleBuilder options(LifecycleOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * Builds the engine; its operations run on behalf of the host. The engine reads, writes and sends nothing before
     * its first use.
     *
     * @throws IllegalStateException if the log or the gateway is not set
     */
    public VolumeLifecycle build() {
        CommandLog written = set("log", log);
        NodeGateway reached = set("gateway", gateway);
        Environment world = environment == null ? Environment.system() : environment;
        HostCallbacks host = new HostCallbacks(world.executor(), world.timer());
        EventListener safe =
                EventListener.none().equals(listener) ? listener : new SafeListener(listener, world.executor(), host);
        ControllerTrust trust = controllers == null ? ControllerTrust.everyNode() : new SafeTrust(controllers, host);
        LifecycleEngine engine = new LifecycleEngine(new EnginePorts(
                new EngineLog(
                        written,
                        safe,
                        trust,
                        host,
                        new Timeouts(world.timer(), world.executor()),
                        options.logTimeout()),
                reached,
                world.timer(),
                world.clock(),
                world.executor(),
                callbackExecutor,
                world.random(),
                secrets,
                trust,
                access,
                safe,
                fencing,
                host,
                options));
        return new VolumeLifecycle(
                engine, Caller.ENGINE, controllers != null, environment == null ? world::close : () -> {});
    }

    private static <T> T set(String port, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("VolumeLifecycle: " + port + " is not set; it has no default");
        }
        return value;
    }
}
