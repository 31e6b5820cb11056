package io.csi4j.testkit.internal.service;

/** Called at the start of each call that changes something, while the call counts as in flight. */
@FunctionalInterface
public interface CallHook {
    /** A hook without effect. */
    CallHook NONE = (rpc, key) -> {};

    /**
     * Handles the start of a call. May block; may throw to fail the call.
     *
     * @param rpc the name of the call in CSI
     * @param key the id or name of the call's subject
     */
    void pending(String rpc, String key);
}
