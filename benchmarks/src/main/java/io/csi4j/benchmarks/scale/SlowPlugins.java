package io.csi4j.benchmarks.scale;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.InstantGateway;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Plugins whose calls take virtual time. */
public final class SlowPlugins extends InstantGateway {
    private final VirtualTime time;
    private final Duration latency;
    private int inFlight;
    private int maxInFlight;
    private long calls;

    /**
     * Creates the plugins.
     *
     * @param latency the time of each call
     */
    public SlowPlugins(VirtualTime time, Duration latency) {
        this.time = time;
        this.latency = latency;
    }

    /** Returns the largest number of calls that were in flight since the last call of this method. */
    public int takeMaxInFlight() {
        int max = maxInFlight;
        maxInFlight = inFlight;
        return max;
    }

    /** Returns the number of calls until now. */
    public long calls() {
        return calls;
    }

    @Override
    protected boolean createsVolumes() {
        return true;
    }

    @Override
    protected <R> CompletableFuture<R> answer(PluginId plugin, @Nullable R response) {
        calls++;
        inFlight++;
        maxInFlight = Math.max(maxInFlight, inFlight);
        CompletableFuture<R> answer = new CompletableFuture<>();
        var unused = time.schedule(latency, () -> {
            inFlight--;
            answer.complete(response);
        });
        return answer;
    }
}
