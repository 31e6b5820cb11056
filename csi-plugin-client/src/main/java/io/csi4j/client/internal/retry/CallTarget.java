package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Rpc;
import org.jspecify.annotations.Nullable;

/** The properties of a call that decide in which queue it waits and whether it may be retried. They contain nothing sensitive. */
public interface CallTarget {
    Rpc rpc();

    /**
     * Returns the subject of the call: the external id of a volume, snapshot or group, or the name of the object to create; null if there
     * is none.
     */
    @Nullable String subject();

    /** Returns whether the request has the token of a next page (R72); always false for RPCs that do not return lists. */
    boolean continuesPage();

    /**
     * Returns the location of the call: a node's id or a path. A call is undone only by the opposite call at the same location. This method
     * is called only after failures.
     *
     * @return the location; empty if the call concerns all locations, or the RPC has none
     */
    String location();

    /**
     * Returns an object for comparison with another call: two objects are equal if both calls have the same fields (R29), apart from
     * secrets. Secrets are left out because they may change between attempts (R67, R89), and because the object is kept in memory. This
     * method is called only after failures.
     */
    Object identity();

    /** Returns a text about the call without anything sensitive, for example {@code NodePublishVolume for vol-1 at /path}. */
    String description();
}
