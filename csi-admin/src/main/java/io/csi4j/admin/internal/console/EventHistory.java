package io.csi4j.admin.internal.console;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.AttachmentEvent;
import io.csi4j.core.spi.CallEvent;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.ClaimWaitingEvent;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.spi.SecretsAbsentEvent;
import io.csi4j.core.spi.VolumeEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The last events of an engine, for the pages. It is a listener of the engine and keeps a fixed
 * number of events in memory; a new event replaces the oldest one. A restart begins without events. Thread-safe; never
 * blocks for long.
 */
public final class EventHistory implements EventListener {
    private static final int FAILURES = 50;

    private final int limit;
    private final ArrayDeque<HistoryEvent> events = new ArrayDeque<>();
    private final ArrayDeque<CallEvent> failures = new ArrayDeque<>();
    private long added;

    /** @param limit the number of events to keep */
    public EventHistory(int limit) {
        this.limit = limit;
    }

    @Override
    public void callFinished(CallEvent event) {
        boolean failed = event.code() != StatusCode.OK;
        if (failed) {
            synchronized (events) {
                failures.addLast(event);
                if (failures.size() > FAILURES) {
                    failures.removeFirst();
                }
            }
        }
        event.volume().ifPresent(volume -> {
            String rpc = event.rpc().csiName() + (event.attempt() > 1 ? ", attempt " + event.attempt() : "");
            add(new HistoryEvent(
                    event.at(),
                    volume,
                    HistoryEvent.Kind.CALL,
                    rpc + " on node " + event.nodeId() + ": " + Words.of(event.code()),
                    Optional.of(new HistoryEvent.Call(
                            event.rpc().service(),
                            event.nodeId().toString(),
                            rpc,
                            Words.of(event.code()),
                            event.duration())),
                    failed));
        });
    }

    @Override
    public void volumeChanged(VolumeEvent event) {
        add(new HistoryEvent(
                event.at(),
                event.volume(),
                HistoryEvent.Kind.STATE,
                "volume " + Words.of(event.change()) + (event.reason().isEmpty() ? "" : ": " + event.reason()),
                Optional.empty(),
                event.change() == VolumeEvent.Change.STEP_FAILED));
    }

    @Override
    public void claimChanged(ClaimEvent event) {
        String id = event.allocationId().toString();
        switch (event.change()) {
            case TAKEN -> claim(event, HistoryEvent.Kind.FROM_HOST, id + " claims the volume");
            case GRANTED -> claim(event, HistoryEvent.Kind.TO_HOST, "granted to " + id);
            case UNPUBLISHING -> claim(event, HistoryEvent.Kind.FROM_HOST, id + " releases the volume");
            case FREED -> claim(event, HistoryEvent.Kind.TO_HOST, "claim of " + id + " freed");
            case NODE_DETACHED, READY_TO_FREE, STEP_FAILED, OVERRIDDEN ->
                claim(event, HistoryEvent.Kind.STATE, "claim of " + id + ": " + Words.of(event.change()));
        }
    }

    private void claim(ClaimEvent event, HistoryEvent.Kind kind, String text) {
        boolean failed = event.change() == ClaimEvent.Change.STEP_FAILED;
        add(new HistoryEvent(event.at(), event.volume(), kind, text, Optional.empty(), failed));
    }

    @Override
    public void claimWaiting(ClaimWaitingEvent event) {
        String reason = event.reason().map(known -> ": " + Words.of(known)).orElse("");
        String behind = event.behind().map(first -> " behind " + first).orElse("");
        add(new HistoryEvent(
                event.at(),
                event.volume(),
                HistoryEvent.Kind.TO_HOST,
                event.allocationId() + " waits" + behind + reason,
                Optional.empty(),
                false));
    }

    @Override
    public void attachmentChanged(AttachmentEvent event) {
        add(new HistoryEvent(
                event.at(),
                event.volume(),
                HistoryEvent.Kind.STATE,
                event.nodeId() + ": " + Words.of(event.change()),
                Optional.empty(),
                event.change() == AttachmentEvent.Change.STEP_FAILED));
    }

    @Override
    public void secretsAbsent(SecretsAbsentEvent event) {
        event.volume()
                .ifPresent(volume -> add(new HistoryEvent(
                        event.at(),
                        volume,
                        HistoryEvent.Kind.STATE,
                        event.rpc().csiName() + " is sent without secrets, because their source has none",
                        Optional.empty(),
                        true)));
    }

    @Override
    public void missedStepFound(MissedStepEvent event) {
        add(new HistoryEvent(
                event.at(),
                event.volume(),
                HistoryEvent.Kind.STATE,
                "a step begins late, because only the scan of all volumes found it",
                Optional.empty(),
                true));
    }

    private void add(HistoryEvent event) {
        synchronized (events) {
            events.addLast(event);
            added++;
            if (events.size() > limit) {
                events.removeFirst();
            }
        }
    }

    /** Returns the events of a volume, oldest first. */
    List<HistoryEvent> of(VolumeKey volume) {
        List<HistoryEvent> found = new ArrayList<>();
        synchronized (events) {
            for (HistoryEvent event : events) {
                if (event.volume().equals(volume)) {
                    found.add(event);
                }
            }
        }
        return found;
    }

    /** Returns the last failed calls, newest first. */
    List<CallEvent> failures() {
        List<CallEvent> list;
        synchronized (events) {
            list = new ArrayList<>(failures);
        }
        Collections.reverse(list);
        return list;
    }

    /** Returns the number of events since the start. */
    long added() {
        synchronized (events) {
            return added;
        }
    }
}
