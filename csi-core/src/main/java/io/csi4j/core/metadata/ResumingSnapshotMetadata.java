package io.csi4j.core.metadata;

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
 * Snapshot metadata whose streams are not interrupted. Where the stream of the service behind it breaks
 * with an unknown outcome, it asks again with the same fields but for the offset, which is the end of the
 * last range (R102); subscribers see one stream.
 *
 * <p>That stream keeps R101 over all its parts: ranges ascend without overlap, and neither the kind of
 * ranges nor the capacity changes. What a plugin repeats after a resumption, because it rounded the offset
 * down, is taken out. A plugin that breaks the rule ends the stream with a {@link
 * io.csi4j.core.call.CsiCallException} whose outcome is {@link
 * io.csi4j.core.call.CallOutcome#RETRY_AFTER_CAUSE}: what came before is not to be relied on.
 *
 * <p>Every other failure ends the stream as it is, and so does one that comes again and again without a new
 * range in between. Safe for use by many threads.
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
     * A builder.
     *
     * @param service whose streams may break; not closed by this
     * @param plugin the plugin, as exceptions are to name it
     * @return a new builder
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

    /** Runs a task later. */
    @FunctionalInterface
    public interface Timer {
        /**
         * Runs a task once, after a time.
         *
         * @param task does not block
         * @param delay how long from now
         */
        void schedule(Runnable task, Duration delay);
    }

    /** Collects the settings. Not safe for use by several threads. */
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
         * What waits before a resumption. Required.
         *
         * @param timer for example a scheduled executor of the caller
         * @return this
         */
        public Builder timer(Timer timer) {
            this.timer = Objects.requireNonNull(timer, "timer");
            return this;
        }

        /**
         * How often in a row to resume without a new range, before the failure is passed on.
         *
         * @param times 5 unless set; 0 to never resume a stream that brought nothing
         * @return this
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
         * How long to wait before a resumption.
         *
         * @param pause 1 second unless set
         * @return this
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
         * The service with uninterrupted streams.
         *
         * @return a new service
         * @throws IllegalStateException if no timer was given
         */
        public ResumingSnapshotMetadata build() {
            return new ResumingSnapshotMetadata(this);
        }
    }
}
