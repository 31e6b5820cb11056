package io.csi4j.core.lifecycle;

import io.csi4j.core.lifecycle.internal.LifecycleEngine;
import io.csi4j.core.lifecycle.internal.call.AnswerTimeout;
import io.csi4j.core.lifecycle.internal.call.CallbackThreads;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EngineExecutor;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.LimitedLog;
import io.csi4j.core.lifecycle.internal.call.UnconfirmedCommands;
import io.csi4j.core.lifecycle.internal.event.ObservedLog;
import io.csi4j.core.lifecycle.internal.event.SafeListener;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Fencing;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.SecretsProvider;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Builds {@link VolumeLifecycle}s. What is injected stays the host's to close. Not safe for use by several threads. */
public final class VolumeLifecycleBuilder {
    private @Nullable CommandLog log;
    private @Nullable NodeGateway gateway;
    private @Nullable Environment environment;
    private Executor callbackExecutor = CallbackThreads.shared();
    private SecretsProvider secrets = SecretsProvider.ofVolumes();
    private AccessControl access = AccessControl.off();
    private EventListener listener = EventListener.none();
    private Fencing fencing = Fencing.byHost();
    private LifecycleOptions options = LifecycleOptions.ofDefaults();

    VolumeLifecycleBuilder() {}

    /**
     * Sets the only way state is changed. Required.
     *
     * @param log the log
     * @return this
     */
    public VolumeLifecycleBuilder log(CommandLog log) {
        this.log = Objects.requireNonNull(log, "log");
        return this;
    }

    /**
     * Sets the only way plugins and nodes are reached. Required.
     *
     * @param gateway the gateway
     * @return this
     */
    public VolumeLifecycleBuilder gateway(NodeGateway gateway) {
        this.gateway = Objects.requireNonNull(gateway, "gateway");
        return this;
    }

    /**
     * Sets time, threads and randomness.
     *
     * @param environment the host closes it, after the engine. If not set, the engine has its own {@link
     *     Environment#system()} and closes it with itself
     * @return this
     */
    public VolumeLifecycleBuilder environment(Environment environment) {
        this.environment = Objects.requireNonNull(environment, "environment");
        return this;
    }

    /**
     * Sets where the futures of operations complete, and so where stages that depend on them run. A stage may block, or
     * wait for another operation, as long as this executor has a thread left; the engine itself needs none of them.
     *
     * @param callbackExecutor daemon threads that all engines share, as many as callbacks run at a time, if not set
     * @return this
     */
    public VolumeLifecycleBuilder callbackExecutor(Executor callbackExecutor) {
        this.callbackExecutor = Objects.requireNonNull(callbackExecutor, "callbackExecutor");
        return this;
    }

    /**
     * Sets what gives the secrets of calls.
     *
     * @param secrets those declared with the volumes if not set
     * @return this
     */
    public VolumeLifecycleBuilder secrets(SecretsProvider secrets) {
        this.secrets = Objects.requireNonNull(secrets, "secrets");
        return this;
    }

    /**
     * Sets who may do what.
     *
     * @param access everybody may do everything if not set
     * @return this
     */
    public VolumeLifecycleBuilder access(AccessControl access) {
        this.access = Objects.requireNonNull(access, "access");
        return this;
    }

    /**
     * Sets who is told what the engine does.
     *
     * @param listener nobody if not set
     * @return this
     */
    public VolumeLifecycleBuilder listener(EventListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * Sets who is asked to fence nodes.
     *
     * @param fencing nobody if not set: the host fences of its own accord
     * @return this
     */
    public VolumeLifecycleBuilder fencing(Fencing fencing) {
        this.fencing = Objects.requireNonNull(fencing, "fencing");
        return this;
    }

    /**
     * Sets how the engine behaves.
     *
     * @param options the defaults if not set
     * @return this
     */
    public VolumeLifecycleBuilder options(LifecycleOptions options) {
        this.options = Objects.requireNonNull(options, "options");
        return this;
    }

    /**
     * The engine, on behalf of the host.
     *
     * @return ready for use; nothing is read, written or sent before it is used
     * @throws IllegalStateException if something required was not set
     */
    public VolumeLifecycle build() {
        EventListener told = EventListener.none().equals(listener) ? listener : new SafeListener(listener);
        CommandLog observed = new ObservedLog(set("log", log), told);
        NodeGateway reached = set("gateway", gateway);
        Environment world = environment == null ? Environment.system() : environment;
        EngineExecutor runs = new EngineExecutor(world.executor(), callbackExecutor);
        LifecycleEngine engine = new LifecycleEngine(new EnginePorts(
                new UnconfirmedCommands(
                        new LimitedLog(observed, new AnswerTimeout(world.timer(), runs, options.logTimeout()))),
                reached,
                world.timer(),
                world.clock(),
                runs,
                world.random(),
                secrets,
                access,
                told,
                fencing,
                options));
        return new VolumeLifecycle(engine, Caller.ENGINE, environment == null ? world::close : () -> {});
    }

    private static <T> T set(String port, @Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("VolumeLifecycle: " + port + " is not set; it has no default");
        }
        return value;
    }
}
