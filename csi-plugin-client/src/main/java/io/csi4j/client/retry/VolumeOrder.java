package io.csi4j.client.retry;

import java.time.Duration;
import java.util.Objects;

/** The setting that decides whether calls about one volume, snapshot or group wait for each other (R26). Immutable. */
public final class VolumeOrder {
    /** The default time for which a call with an unknown outcome blocks its volume. */
    public static final Duration DEFAULT_BLOCK_TIME = Duration.ofMinutes(10);

    private static final VolumeOrder ONE_AT_A_TIME = new VolumeOrder(true, DEFAULT_BLOCK_TIME);
    private static final VolumeOrder UNORDERED = new VolumeOrder(false, Duration.ZERO);

    private final boolean ordered;
    private final Duration blockTime;

    private VolumeOrder(boolean ordered, Duration blockTime) {
        this.ordered = ordered;
        this.blockTime = blockTime;
    }

    /**
     * Returns the order in which at most one call is in flight for each volume and service. Later calls wait for it; the wait counts
     * towards their deadlines. A call with an unknown outcome blocks its volume for {@link #DEFAULT_BLOCK_TIME}.
     */
    public static VolumeOrder oneAtATime() {
        return ONE_AT_A_TIME;
    }

    /**
     * Returns the setting in which calls never wait for each other. Use it for plugins that support concurrent calls on a volume, and for
     * callers that order their calls themselves.
     */
    public static VolumeOrder unordered() {
        return UNORDERED;
    }

    /**
     * Returns a copy with another time for which a call with an unknown outcome blocks its volume. After this time other calls are allowed
     * again, although the outcome is still unknown.
     *
     * @param blockTime zero or longer, at most 292 years; zero: an unknown outcome blocks nothing
     * @throws IllegalArgumentException if the time is negative or over 292 years
     * @throws IllegalStateException if this setting is {@link #unordered()}
     */
    public VolumeOrder blockTime(Duration blockTime) {
        Objects.requireNonNull(blockTime, "blockTime");
        if (!ordered) {
            throw new IllegalStateException("blockTime: without an order nothing is blocked; use oneAtATime()");
        }
        if (blockTime.isNegative() || blockTime.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("blockTime: " + blockTime + " is not between zero and 292 years");
        }
        return new VolumeOrder(true, blockTime);
    }

    /** Returns whether calls wait for each other; false for {@link #unordered()}. */
    public boolean ordered() {
        return ordered;
    }

    /** Returns the time for which a call with an unknown outcome blocks its volume; zero: it blocks nothing. */
    public Duration blockTime() {
        return blockTime;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeOrder that && that.ordered == ordered && that.blockTime.equals(blockTime);
    }

    @Override
    public int hashCode() {
        return Objects.hash(ordered, blockTime);
    }

    @Override
    public String toString() {
        return ordered ? "VolumeOrder[one at a time, blockTime=" + blockTime + "]" : "VolumeOrder[unordered]";
    }
}
