package io.csi4j.client.internal.retry;

import io.csi4j.core.call.Rpc;
import org.jspecify.annotations.Nullable;

/** A call as far as its order and repetition go. Shows nothing sensitive. */
public interface CallTarget {
    /** What is called. */
    Rpc rpc();

    /**
     * What it is about.
     *
     * @return an external volume id, a snapshot's or group's id, or the name of what is to be made; null: none
     */
    @Nullable String subject();

    /**
     * Whether the request carries a continuation token (R72).
     *
     * @return false for all but listings
     */
    boolean continuesPage();

    /**
     * Where it acts on its subject: a node's id or a path. A call and its opposite at another place have nothing
     * to do with each other. Asked for only after something went wrong.
     *
     * @return empty: everywhere, or the RPC knows no place
     */
    String place();

    /**
     * Equal for two calls with the same fields (R29), secrets aside: those may have been refreshed (R67, R89).
     * Asked for only after something went wrong; kept, so it holds no secret.
     *
     * @return any object with {@code equals}; never shown
     */
    Object identity();

    /**
     * The call in words, for people.
     *
     * @return for example {@code NodePublishVolume for vol-1 at /path}; nothing sensitive
     */
    String description();
}
