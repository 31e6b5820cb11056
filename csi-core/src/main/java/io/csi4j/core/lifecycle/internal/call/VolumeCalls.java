package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of this engine for volumes and snapshots. It remembers the planned calls in flight, and queues controller
 * calls, so that each volume and each snapshot has one call at a time (R26). A queued call reads the state again right
 * before it begins, because an earlier call may have changed the state. Calls for different nodes may run concurrently
 * if the plugin allows it.
 *
 * <p>The calls are kept when a term of leadership ends: an engine that leads again must not send them a second time while
 * they are in flight. Thread-safe.
 */
public final class VolumeCalls {
    private static final int ALONE = 1;

    private final Map<Object, Line> lines = new HashMap<>();
    private final Map<VolumeKey, InFlightSnapshot> inFlight = new HashMap<>();
    private final Executor executor;

    public VolumeCalls(Executor executor) {
        this.executor = executor;
    }

    /** The running and the waiting calls for one volume or snapshot. Guarded by {@code lines}. */
    private static final class Line {
        private final Queue<Turn> waiting = new ArrayDeque<>(0);
        private int running;
        private boolean alone;

        /** Returns whether a waiting call may begin while the running calls continue. */
        boolean admits(int max) {
            return running == 0 || (!alone && max > ALONE && running < max);
        }

        void begin(int max) {
            running++;
            alone = max == ALONE;
        }

        @Nullable Turn next() {
            Turn first = waiting.peek();
            return first != null && admits(first.max) ? waiting.remove() : null;
        }
    }

    private record Turn(int max, Runnable begin) {}

    /**
     * Runs a call alone, after all earlier calls for the same subject. The next call begins when the future of this
     * call completes.
     */
    public <R> CompletableFuture<R> exclusively(Object subject, Supplier<CompletableFuture<R>> turn) {
        return concurrently(subject, ALONE, turn);
    }

    /**
     * Runs a call after earlier calls for the same subject, concurrently with at most {@code max - 1} other calls that
     * were also queued by this method.
     */
    public <R> CompletableFuture<R> concurrently(Object subject, int max, Supplier<CompletableFuture<R>> turn) {
        synchronized (lines) {
            Line line = lines.computeIfAbsent(subject, key -> new Line());
            if (!line.waiting.isEmpty() || !line.admits(max)) {
                CompletableFuture<R> result = new CompletableFuture<>();
                line.waiting.add(new Turn(max, () -> {
                    var unused = begin(subject, turn)
                            .whenComplete((value, failure) -> Futures.complete(result, value, failure));
                }));
                return result;
            }
            line.begin(max);
        }
        return begin(subject, turn);
    }

    private <R> CompletableFuture<R> begin(Object subject, Supplier<CompletableFuture<R>> turn) {
        return Futures.start(turn).whenComplete((value, failure) -> ended(subject));
    }

    private void ended(Object subject) {
        List<Turn> begun = new ArrayList<>(1);
        synchronized (lines) {
            Line line = lines.get(subject);
            if (line == null) {
                return;
            }
            line.running--;
            for (Turn next = line.next(); next != null; next = line.next()) {
                line.begin(next.max);
                begun.add(next);
            }
            if (line.running == 0) {
                lines.remove(subject);
            }
        }
        begun.forEach(next -> executor.execute(next.begin));
    }

    /** Returns the number of volumes and snapshots with running or waiting calls. */
    public int queues() {
        synchronized (lines) {
            return lines.size();
        }
    }

    /** Returns the planned calls of a volume that are in flight. */
    public InFlightSnapshot inFlight(VolumeKey key) {
        synchronized (inFlight) {
            return inFlight.getOrDefault(key, InFlightSnapshot.none());
        }
    }

    /** Returns the number of volumes with planned calls in flight. */
    public int volumesInFlight() {
        synchronized (inFlight) {
            return inFlight.size();
        }
    }

    /** The kind of object that a planned call is about. */
    public enum Side {
        VOLUME,
        CONTROLLER,
        NODE;

        /** Returns the kind of object that a planned call is about. */
        public static Side of(Rpc rpc) {
            return switch (rpc) {
                case CREATE_VOLUME,
                        DELETE_VOLUME,
                        VALIDATE_VOLUME_CAPABILITIES,
                        CONTROLLER_EXPAND_VOLUME,
                        CONTROLLER_MODIFY_VOLUME -> VOLUME;
                case CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME -> CONTROLLER;
                case NODE_UNPUBLISH_VOLUME, NODE_EXPAND_VOLUME -> NODE;
                default -> throw new IllegalArgumentException(rpc + " is not a planned call");
            };
        }
    }

    /**
     * Adds a planned call, and returns false if a call of the same kind is in flight already. At a change of leadership, the
     * last plan of the old term and the first plan of the new term may both try to begin the same call.
     */
    public boolean begin(VolumeKey key, Side side, NodeId nodeId) {
        synchronized (inFlight) {
            InFlightSnapshot before = inFlight(key);
            boolean there = switch (side) {
                case VOLUME -> before.volume();
                case CONTROLLER -> before.controller().contains(nodeId);
                case NODE -> before.node().contains(nodeId);
            };
            if (!there) {
                inFlight.put(key, changed(before, side, nodeId, true));
            }
            return !there;
        }
    }

    /** Removes a planned call, because it has ended and its result is stored. */
    public void end(VolumeKey key, Side side, NodeId nodeId) {
        synchronized (inFlight) {
            InFlightSnapshot after = changed(inFlight(key), side, nodeId, false);
            if (after.isEmpty()) {
                inFlight.remove(key);
            } else {
                inFlight.put(key, after);
            }
        }
    }

    /** Returns the calls in flight except the given one, which has ended. */
    public static InFlightSnapshot without(InFlightSnapshot calls, Side side, NodeId nodeId) {
        return changed(calls, side, nodeId, false);
    }

    private static InFlightSnapshot changed(InFlightSnapshot before, Side side, NodeId nodeId, boolean on) {
        return switch (side) {
            case VOLUME -> new InFlightSnapshot(on, before.controller(), before.node());
            case CONTROLLER ->
                new InFlightSnapshot(before.volume(), with(before.controller(), nodeId, on), before.node());
            case NODE -> new InFlightSnapshot(before.volume(), before.controller(), with(before.node(), nodeId, on));
        };
    }

    private static Set<NodeId> with(Set<NodeId> nodeIds, NodeId nodeId, boolean on) {
        if (nodeIds.contains(nodeId) == on) {
            return nodeIds;
        }
        if (nodeIds.size() == (on ? 0 : 1)) {
            return on ? Set.of(nodeId) : Set.of();
        }
        Set<NodeId> changed = new HashSet<>(nodeIds);
        if (on) {
            changed.add(nodeId);
        } else {
            changed.remove(nodeId);
        }
        return changed;
    }
}
