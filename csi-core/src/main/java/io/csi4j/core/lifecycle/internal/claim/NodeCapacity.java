package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.CallSubject;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.worker.PluginOnNode;
import io.csi4j.core.spi.Cancellable;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the room of a node asked anew when a plugin refuses a volume as if the node were full (X6): the limit on record
 * may be an old one. What the plugin tells comes as a fingerprint, so nothing waits for the answer here.
 *
 * <p>Of one plugin and node it is asked once at a time, and left in peace for a while after it. Refusals in between are
 * asked about once, when that is over; so the last one is never lost, however many there are. An answer that is lost or
 * late is not repeated: if the node is full still, the next refusal asks again. Safe for use by many threads.
 */
public final class NodeCapacity {
    private final Operations operations;
    private final BooleanSupplier leading;
    private final CapacityWaiters volumes;
    /** Who is being asked, or was lately. */
    private final Map<PluginOnNode, Asked> asked = new HashMap<>();

    /** Guarded by {@code asked}. */
    private static final class Asked {
        /** Somebody was refused there since. */
        private boolean again;
        /** Ends the time in which it is left in peace; none: it is being asked. */
        private @Nullable Cancellable rest;
    }

    public NodeCapacity(Operations operations, BooleanSupplier leading, CapacityWaiters volumes) {
        this.operations = operations;
        this.leading = leading;
        this.volumes = volumes;
    }

    /** A publish to the node failed. */
    public void refused(PluginOnNode place, VolumeKey key, Throwable failure) {
        if (Failures.code(failure) != StatusCode.RESOURCE_EXHAUSTED) {
            return;
        }
        Asked now = new Asked();
        synchronized (asked) {
            // In here, so that stop() either comes before it or finds what is kept.
            if (!leading.getAsBoolean()) {
                return;
            }
            volumes.refused(operations.state(), place, key);
            Asked before = asked.putIfAbsent(place, now);
            if (before != null) {
                before.again = true;
                return;
            }
        }
        ask(place, now);
    }

    private void ask(PluginOnNode place, Asked now) {
        var unused = sent(place).whenComplete((done, failure) -> {
            synchronized (asked) {
                if (leading.getAsBoolean()) {
                    now.rest = operations
                            .ports()
                            .timer()
                            .schedule(
                                    operations.ports().options().nodeInfoSpacing(),
                                    () -> operations.ports().executor().execute(() -> rested(place, now)));
                } else {
                    asked.remove(place);
                }
            }
        });
    }

    private CompletableFuture<Void> sent(PluginOnNode place) {
        boolean answers = operations
                .state()
                .node(place.nodeId())
                .filter(node -> node.status() == NodeStatus.READY)
                .isPresent();
        // A node that comes back tells all of its plugins anyway.
        return answers
                ? operations
                        .calls()
                        .node(
                                CallSubject.of(Rpc.NODE_GET_INFO, place.plugin(), ""),
                                place.nodeId(),
                                () -> operations.ports().gateway().refreshNodeInfo(place.nodeId(), place.plugin()))
                : CompletableFuture.completedFuture(null);
    }

    private void rested(PluginOnNode place, Asked now) {
        volumes.forgetSettled(operations.state());
        synchronized (asked) {
            if (now.rest == null || !now.equals(asked.get(place))) {
                return;
            }
            now.rest = null;
            if (!now.again) {
                asked.remove(place);
                return;
            }
            now.again = false;
        }
        ask(place, now);
    }

    /** This engine does not lead any more. Who is being asked is remembered until that ends. */
    public void stop() {
        synchronized (asked) {
            asked.values().removeIf(one -> {
                Cancellable rest = one.rest;
                if (rest != null) {
                    rest.cancel();
                }
                return rest != null;
            });
            volumes.clear();
        }
    }

    /** How many are remembered. */
    public int size() {
        synchronized (asked) {
            return asked.size();
        }
    }
}
