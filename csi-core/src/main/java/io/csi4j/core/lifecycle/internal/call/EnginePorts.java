package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.plugin.CallSettings;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Fencing;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.StateReader;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * The services of the host that the engine uses. The engine's own tasks run in {@code executor} and never block. The
 * futures that the host gets are completed in {@code callbacks}, because the host's dependent stages may block.
 * {@code host} calls the services that may misbehave.
 */
public record EnginePorts(
        EngineLog log,
        NodeGateway gateway,
        Timer timer,
        Clock clock,
        Executor executor,
        Executor callbacks,
        RandomGenerator random,
        SecretsProvider secrets,
        ControllerTrust trust,
        AccessControl access,
        EventListener listener,
        Fencing fencing,
        HostCallbacks host,
        LifecycleOptions options) {
    public EnginePorts {
        Objects.requireNonNull(log, "log");
        Objects.requireNonNull(gateway, "gateway");
        Objects.requireNonNull(timer, "timer");
        Objects.requireNonNull(clock, "clock");
        Objects.requireNonNull(executor, "executor");
        Objects.requireNonNull(callbacks, "callbacks");
        Objects.requireNonNull(random, "random");
        Objects.requireNonNull(secrets, "secrets");
        Objects.requireNonNull(trust, "trust");
        Objects.requireNonNull(access, "access");
        Objects.requireNonNull(listener, "listener");
        Objects.requireNonNull(fencing, "fencing");
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(options, "options");
    }

    /**
     * Returns the elapsed time in nanoseconds, for everything that the engine measures or waits for. The clock is only
     * for the times that people read.
     */
    public long nanoTime() {
        return timer.nanoTime();
    }

    /** Returns how the controllers of a plugin are called, as its profile in the state of this server says. */
    public CallSettings callSettings(PluginId plugin) {
        return callSettings(log.state().snapshot(), plugin);
    }

    /** Returns how the controllers of a plugin are called, as its profile in a state says. */
    public static CallSettings callSettings(StateReader state, PluginId plugin) {
        return state.pluginProfile(plugin).map(PluginProfile::calls).orElse(CallSettings.ofDefaults());
    }

    /** Returns the number of controller calls that a plugin may have in flight at one time. */
    public int callsInFlight(PluginId plugin) {
        int own = callSettings(plugin).callsInFlight();
        return own == 0 ? options.callsInFlight() : own;
    }

    /** Returns the present moment. */
    public Moment moment() {
        return new Moment(this, Duration.ZERO);
    }

    /** Returns the moment of a time of the clock; the present one if the time is in the future. */
    public Moment moment(Instant time) {
        Duration age = Duration.between(time, clock.instant());
        return new Moment(this, age.isNegative() ? Duration.ZERO : age);
    }
}
