package io.csi4j.core.lifecycle;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * The lanes of one term: one for each volume with something to do, none for the others. Safe for use by
 * many threads.
 */
final class Lanes {
    private final ConcurrentMap<VolumeKey, Lane> lanes = new ConcurrentHashMap<>();
    private final Operations operations;
    private final Term term;
    private final LaneCalls calls;
    private final UnderWay underWay;
    private final FenceRequests fences;
    private final LaneEvents events;
    private final Consequences consequences;
    private final Executor looks;

    Lanes(Operations operations, Term term, UnderWay underWay, VolumeWork work, LaneEvents events) {
        this.operations = operations;
        this.term = term;
        this.underWay = underWay;
        this.events = events;
        this.consequences = new Consequences(operations);
        this.calls = new LaneCalls(operations, term, work, new CallEnds(operations, term, underWay, events));
        this.looks = new Paced(operations.ports().executor());
        this.fences = new FenceRequests(operations.ports(), this::wakeOn);
    }

    Operations operations() {
        return operations;
    }

    Term term() {
        return term;
    }

    LaneCalls calls() {
        return calls;
    }

    UnderWay underWay() {
        return underWay;
    }

    FenceRequests fences() {
        return fences;
    }

    Consequences consequences() {
        return consequences;
    }

    LaneEvents events() {
        return events;
    }

    /** Where volumes are looked at, because something may have changed. */
    Executor looks() {
        return looks;
    }

    /** Has a volume looked at. */
    void wake(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(Lane.Urgency.NORMAL));
    }

    /** Has a volume looked at, unless its lane has seen it as it is at that index. */
    void wake(VolumeKey key, long index) {
        if (lanes.containsKey(key) || unsettled(operations.state(), key)) {
            wakeUnsettled(key, index);
        }
    }

    /** The same for one that is known to be unsettled. */
    void wakeUnsettled(VolumeKey key, long index) {
        Lane lane = lanes.get(key);
        if (lane == null || lane.seen() < index) {
            wake(key);
        }
    }

    static boolean unsettled(StateReader state, VolumeKey key) {
        return state.volume(key).filter(Volume::unsettled).isPresent();
    }

    /** Has a volume looked at, claims that are held included. */
    void sweep(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(Lane.Urgency.SWEEP));
    }

    /** Has a volume looked at, without waiting for the time of its next attempt. */
    void tryNow(VolumeKey key) {
        boolean unused = lane(key, lane -> lane.wake(Lane.Urgency.NOW));
    }

    /** Has a volume looked at on behalf of somebody who waits. */
    void await(VolumeKey key, LaneWaiter waiter, Lane.Urgency urgency) {
        if (!lane(key, lane -> lane.await(waiter, urgency))) {
            waiter.over();
        }
    }

    /** Uses the lane of a volume. One that is being dropped refuses; then there is a new one. */
    private boolean lane(VolumeKey key, Predicate<Lane> use) {
        boolean used = false;
        while (!used && !term.over()) {
            Lane lane = lanes.computeIfAbsent(key, k -> new Lane(this, k));
            used = use.test(lane);
            if (!used) {
                lanes.remove(key, lane);
            }
        }
        if (term.over()) {
            close();
        }
        return used;
    }

    private void wakeOn(NodeId nodeId) {
        StateReader state = operations.state();
        for (VolumeKey key : state.volumesOn(nodeId)) {
            if (unsettled(state, key)) {
                wake(key);
            }
        }
    }

    /** Drops a lane that has nothing to do. */
    void retire(Lane lane) {
        if (lane.retired()) {
            lanes.remove(lane.key(), lane);
        }
    }

    int size() {
        return lanes.size();
    }

    /** After the term is over: whoever waits is told, and nothing is begun any more. */
    void close() {
        fences.close();
        // One by one: a lane that comes in between stays for whoever made it, who looks at the term after that.
        for (Lane lane : lanes.values()) {
            lane.close();
            lanes.remove(lane.key(), lane);
        }
    }
}
