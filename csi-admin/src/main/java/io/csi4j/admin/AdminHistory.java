package io.csi4j.admin;

import io.csi4j.admin.internal.console.EventHistory;
import io.csi4j.core.spi.EventListener;

/**
 * The last events of an engine, for the pages of an {@link AdminServer}. A fixed number of events is in memory; a new event
 * replaces the oldest one. A restart begins without events. Thread-safe.
 */
public final class AdminHistory {
    /** The number of events that {@link #create()} keeps. */
    public static final int DEFAULT_EVENTS = 20_000;

    private final EventHistory events;

    private AdminHistory(int limit) {
        this.events = new EventHistory(limit);
    }

    /** Creates a history of {@value #DEFAULT_EVENTS} events, which take about 5 MB. */
    public static AdminHistory create() {
        return of(DEFAULT_EVENTS);
    }

    /**
     * Creates a history.
     *
     * @param events the number of events to keep, 1 or more
     * @throws IllegalArgumentException if the number is below 1
     */
    public static AdminHistory of(int events) {
        if (events < 1) {
            throw new IllegalArgumentException("AdminHistory: events is " + events + "; use 1 or more");
        }
        return new AdminHistory(events);
    }

    /** Returns the listener that the host gives to {@link io.csi4j.core.lifecycle.VolumeLifecycleBuilder#listener}. */
    public EventListener listener() {
        return events;
    }

    EventHistory events() {
        return events;
    }
}
