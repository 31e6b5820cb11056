package io.csi4j.agent.internal.relay;

import io.csi4j.client.CallDeadlines;
import io.csi4j.core.call.Rpc;
import java.time.Duration;

/** The time limits of requests to a node that take longer than one call of a plugin. */
public final class NodeDeadlines {
    /**
     * The additional time for a new NodeGetInfo query, with which an agent refreshes a plugin's volume limit. It
     * includes the pause that the agent makes between two such queries, 10 s by default.
     */
    private static final Duration REFRESH_WAIT = Duration.ofSeconds(20);

    private NodeDeadlines() {}

    /** Returns the time limit of a detach, which may unpublish and unstage the volume. */
    public static Duration detach(CallDeadlines deadlines) {
        return deadlines.of(Rpc.NODE_UNPUBLISH_VOLUME).plus(deadlines.of(Rpc.NODE_UNSTAGE_VOLUME));
    }

    /** Returns the time limit of a new NodeGetInfo query, before which the agent may have to wait. */
    public static Duration refresh(CallDeadlines deadlines) {
        return deadlines.of(Rpc.NODE_GET_INFO).plus(REFRESH_WAIT);
    }
}
