package io.csi4j.testkit.internal.service;

/** Called at the beginning of every call that changes something, while that call counts as pending. */
@FunctionalInterface
public interface CallHook {
    /** Does nothing. */
    CallHook NONE = (rpc, key) -> {};

    /**
     * May wait, or throw to fail the call.
     *
     * @param rpc the name of the call in CSI
     * @param key what it is about: an id or a name
     */
    void pending(String rpc, String key);
}
