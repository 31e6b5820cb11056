package io.csi4j.node.internal.worker;

import io.csi4j.core.id.PluginId;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many volumes of a node, and of one plugin, are published again at the same time, so that many due mounts do
 * not flood a plugin or its provider. Also keeps the problems of repeated publications for the status. Thread-safe.
 */
public final class RepublishLimits {
    static final int FOR_PLUGIN = 4;
    static final int FOR_NODE = 16;

    private final Map<PluginId, Integer> running = new HashMap<>();
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private final Map<Path, String> problems = new ConcurrentHashMap<>();
    private int all;

    private record Waiting(PluginId plugin, Object owner, Runnable wake) {}

    /** Creates limits without calls in flight. */
    public RepublishLimits() {}

    /**
     * Takes a slot for a call. If none is free, the caller is woken once when one may be free.
     *
     * @param owner identifies the caller, which waits at most once
     * @return whether the caller has a slot now, and has to call {@link #release}
     */
    synchronized boolean acquire(PluginId plugin, Object owner, Runnable wake) {
        if (isFree(plugin)) {
            running.merge(plugin, 1, Integer::sum);
            all++;
            return true;
        }
        if (waiting.stream().noneMatch(other -> other.owner().equals(owner))) {
            waiting.add(new Waiting(plugin, owner, wake));
        }
        return false;
    }

    void release(PluginId plugin) {
        synchronized (this) {
            all--;
            running.computeIfPresent(plugin, (id, count) -> count == 1 ? null : count - 1);
        }
        wakeNext();
    }

    /** Wakes the first caller that can have a slot. Each woken caller calls this when it has taken the slot or needs none. */
    void wakeNext() {
        Runnable next = next();
        if (next != null) {
            next.run();
        }
    }

    private synchronized @Nullable Runnable next() {
        for (Iterator<Waiting> each = waiting.iterator(); each.hasNext(); ) {
            Waiting first = each.next();
            if (isFree(first.plugin())) {
                each.remove();
                return first.wake();
            }
        }
        return null;
    }

    private boolean isFree(PluginId plugin) {
        return all < FOR_NODE && running.getOrDefault(plugin, 0) < FOR_PLUGIN;
    }

    /** Sets the problem of a mount; an empty text removes it. */
    void problem(Path target, String text) {
        if (text.isEmpty()) {
            problems.remove(target);
        } else {
            problems.put(target, text);
        }
    }

    /** Returns the problem of a mount, for operators; empty if there is none. */
    String problem(Path target) {
        return problems.getOrDefault(target, "");
    }
}
