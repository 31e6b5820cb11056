package io.csi4j.core.internal.metadata;

import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * Offers snapshot metadata as streams that resume after failures. If the stream of the underlying service breaks with
 * an unknown outcome, the same request is sent with the end of the last range as its offset (R102); subscribers see one
 * stream.
 *
 * <p>That stream keeps the order of ranges (R101) over all its parts: ranges ascend without overlap, and neither the
 * type of the ranges nor the volume's capacity changes. Ranges that a plugin repeats after a resumption, because it
 * rounded the offset down, are removed. If a plugin breaks this order, the stream fails with a
 * {@link io.csi4j.core.call.CsiCallException} with the outcome
 * {@link io.csi4j.core.call.CallOutcome#RETRY_AFTER_CAUSE}, and the ranges received before are unreliable, too.
 *
 * <p>Any other failure ends the stream, and so do several failures in a row without a new range in between.
 * Thread-safe.
 */
public final class ResumingSnapshotMetadata implements SnapshotMetadataService {
    private final SnapshotMetadataService service;
    private final String plugin;
    private final Timer timer;
    private final int maxResumesWithoutProgress;
    private final Duration pause;

    private ResumingSnapshotMetadata(Builder builder) {
        this.service = builder.service;
        this.plugin = builder.plugin;
        if (builder.timer == null) {
            throw new IllegalStateException("timer: none is given; give what runs a task after the pause");
        }
        this.timer = builder.timer;
        this.maxResumesWithoutProgress = builder.maxResumesWithoutProgress;
        this.pause = builder.pause;
    }

    /**
     * Returns a builder.
     *
     * @param service the service whose streams may break; the caller closes it
     * @param plugin the plugin's name for exceptions
     */
    public static Builder builder(SnapshotMetadataService service, String plugin) {
        return new Builder(Objects.requireNonNull(service, "service"), Objects.requireNonNull(plugin, "plugin"));
    }

    @Override
    public Flow.Publisher<GetMetadataAllocatedResponse> getMetadataAllocated(GetMetadataAllocatedRequest request) {
        return publisher(MetadataRpc.ALLOCATED, request);
    }

    @Override
    public Flow.Publisher<GetMetadataDeltaResponse> getMetadataDelta(GetMetadataDeltaRequest request) {
        return publisher(MetadataRpc.DELTA, request);
    }

    private <Q, R> Flow.Publisher<R> publisher(MetadataRpc<Q, R> rpc, Q request) {
        Objects.requireNonNull(request, "request");
        return subscriber ->
                new ResumingStream<>(this, rpc, request, Objects.requireNonNull(subscriber, "subscriber")).begin();
    }

    SnapshotMetadataService service() {
        return service;
    }

    String plugin() {
        return plugin;
    }

    Timer timer() {
        return timer;
    }

    int maxResumesWithoutProgress() {
        return maxResumesWithoutProgress;
    }

    Duration pause() {
        return pause;
    }

    /** Runs the tasks that resume a stream after a delay. */
    @FunctionalInterface
    public interface Timer {
        /**
         * Runs a task once, after a delay.
         *
         * @param task the task, which does not block
         */
        void schedule(Runnable task, Duration delay);
    }

    /** Builds {@link ResumingSnapshotMetadata}. Not thread-safe. */
    public static final class Builder {
        private final SnapshotMetadataService service;
        private final String plugin;
        private @Nullable Timer timer;
        private int maxResumesWithoutProgress = 5;
        private Duration pause = Duration.ofSeconds(1);

        private Builder(SnapshotMetadataService service, String plugin) {
            this.service = service;
            this.plugin = plugin;
        }

        /**
         * Sets the timer for the backoff before a resumption. Required.
         *
         * @param timer the timer, for example based on a scheduled executor of the caller
         */
        public Builder timer(Timer timer) {
            this.timer = Objects.requireNonNull(timer, "timer");
            return this;
        }

        /**
         * Sets how often a stream is resumed in a row while it delivers no new range. If the stream breaks once more
         * without a new range, it fails.
         *
         * @param times default: 5; with 0, a stream that breaks without a new range is not resumed
         * @throws IllegalArgumentException if negative
         */
        public Builder maxResumesWithoutProgress(int times) {
            if (times < 0) {
                throw new IllegalArgumentException("maxResumesWithoutProgress: " + times + " is below 0");
            }
            this.maxResumesWithoutProgress = times;
            return this;
        }

        /**
         * Sets the backoff before a resumption. Default: 1 second.
         *
         * @throws IllegalArgumentException if negative
         */
        public Builder pause(Duration pause) {
            if (pause.isNegative()) {
                throw new IllegalArgumentException("pause: " + pause + " is below 0");
            }
            this.pause = pause;
            return this;
        }

        /**
         * Builds the service.
         *
         * @throws IllegalStateException if no timer is set
         */
        public ResumingSnapshotMetadata build() {
            return new ResumingSnapshotMetadata(this);
        }
    }
}
