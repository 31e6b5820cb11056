package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Rpc;
import org.jspecify.annotations.Nullable;

/** The properties of a call that its order and its repeats depend on. Shows nothing sensitive. */
public interface CallTarget {
    Rpc rpc();

    /**
     * Returns the subject: an external volume id, a snapshot's or group's id, or the name of the object to create; null: none.
     */
    @Nullable String subject();

    /** Returns whether the request has the token of a next page (R72); false for all RPCs but lists. */
    boolean continuesPage();

    /**
     * Returns the place of the call: a node's id or a path. A call and its opposite at another place are unrelated. Used after failures only.
     *
     * @return empty: everywhere, or the RPC has no place
     */
    String location();

    /**
     * Returns an object that is equal for two calls with the same fields (R29), without secrets, which may have been renewed (R67, R89). Used after failures only. Kept in memory, so it has no
     * secret.
     */
    Object identity();

    /**
     * Returns the call as text, for example {@code NodePublishVolume for vol-1 at /path}, without anything sensitive.
     */
    String description();
}
