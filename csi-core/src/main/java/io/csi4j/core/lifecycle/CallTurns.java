package io.csi4j.core.lifecycle;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * One controller call at a time for each volume, and for each snapshot, in the order they were asked for
 * (R26, I4); one call of the node service at a time for each volume and node. Whoever makes a call about a
 * volume takes its turn here, under the volume's key, and reads the state again inside it: what was true before may have been changed by the one before. Safe for use by many
 * threads; what nobody calls about costs nothing.
 */
final class CallTurns {
    private final Map<Object, Queue<Runnable>> queues = new HashMap<>();
    private final Executor executor;

    CallTurns(Executor executor) {
        this.executor = executor;
    }

    /** Does something once it is its turn; the next one's comes when the future is complete. */
    <R> CompletableFuture<R> in(Object subject, Supplier<CompletableFuture<R>> turn) {
        CompletableFuture<R> result = new CompletableFuture<>();
        Runnable begin = () -> begin(subject, turn, result);
        synchronized (queues) {
            Queue<Runnable> queue = queues.get(subject);
            if (queue != null) {
                queue.add(begin);
                return result;
            }
            queues.put(subject, new ArrayDeque<>(0));
        }
        begin.run();
        return result;
    }

    /** The same for calls of the node service about a volume: each node has a service of its own. */
    <R> CompletableFuture<R> on(NodeId nodeId, VolumeKey key, Supplier<CompletableFuture<R>> turn) {
        return in(new OnNode(nodeId, key), turn);
    }

    private record OnNode(NodeId nodeId, VolumeKey key) {}

    private <R> void begin(Object subject, Supplier<CompletableFuture<R>> turn, CompletableFuture<R> result) {
        CompletableFuture<R> work;
        try {
            work = turn.get();
        } catch (RuntimeException e) {
            work = CompletableFuture.failedFuture(e);
        }
        var unused = work.whenComplete((value, failure) -> {
            end(subject);
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(Failures.of(failure));
            }
        });
    }

    private void end(Object subject) {
        Runnable next;
        synchronized (queues) {
            next = queues.getOrDefault(subject, new ArrayDeque<>(0)).poll();
            if (next == null) {
                queues.remove(subject);
            }
        }
        if (next != null) {
            executor.execute(next);
        }
    }

    /** How many volumes and snapshots somebody has a turn at. */
    int size() {
        synchronized (queues) {
            return queues.size();
        }
    }
}
