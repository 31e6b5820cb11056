package io.csi4j.client.retry;

import java.time.Duration;
import java.util.Objects;

/** Whether calls about one volume, snapshot or group wait for each other (R26). Immutable. */
public final class VolumeOrder {
    /** How long an unknown outcome holds its volume unless set otherwise. */
    public static final Duration DEFAULT_HOLD = Duration.ofMinutes(10);

    private static final VolumeOrder ONE_AT_A_TIME = new VolumeOrder(true, DEFAULT_HOLD);
    private static final VolumeOrder UNORDERED = new VolumeOrder(false, Duration.ZERO);

    private final boolean ordered;
    private final Duration hold;

    private VolumeOrder(boolean ordered, Duration hold) {
        this.ordered = ordered;
        this.hold = hold;
    }

    /**
     * At most one call under way for each volume and service; later ones wait their turn within their deadlines.
     * A change whose outcome is unknown holds its volume for {@link #DEFAULT_HOLD}.
     *
     * @return the default
     */
    public static VolumeOrder oneAtATime() {
        return ONE_AT_A_TIME;
    }

    /**
     * No order: for plugins known to cope with several calls on a volume, or a caller who keeps the order himself.
     *
     * @return the order of nobody
     */
    public static VolumeOrder unordered() {
        return UNORDERED;
    }

    /**
     * The same order with another time for which an unknown outcome holds its volume. After it other calls are let
     * in again: not because the outcome were known by then, but because this client is not who has to know it.
     *
     * @param hold zero or longer, at most 292 years; zero: an unknown outcome holds nothing
     * @throws IllegalArgumentException if the time is negative or over 292 years
     * @throws IllegalStateException if this order is {@link #unordered()}
     */
    public VolumeOrder hold(Duration hold) {
        Objects.requireNonNull(hold, "hold");
        if (!ordered) {
            throw new IllegalStateException("hold: without an order nothing is held; use oneAtATime()");
        }
        if (hold.isNegative() || hold.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("hold: " + hold + " is not between zero and 292 years");
        }
        return new VolumeOrder(true, hold);
    }

    /**
     * Whether calls wait for each other.
     *
     * @return false for {@link #unordered()}
     */
    public boolean ordered() {
        return ordered;
    }

    /**
     * For how long an unknown outcome holds its volume.
     *
     * @return zero: it holds nothing
     */
    public Duration hold() {
        return hold;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof VolumeOrder that && that.ordered == ordered && that.hold.equals(hold);
    }

    @Override
    public int hashCode() {
        return Objects.hash(ordered, hold);
    }

    @Override
    public String toString() {
        return ordered ? "VolumeOrder[one at a time, hold=" + hold + "]" : "VolumeOrder[unordered]";
    }
}
