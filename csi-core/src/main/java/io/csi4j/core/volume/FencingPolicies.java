package io.csi4j.core.volume;

/**
 * Holds one shared instance of each policy that has no parameter. This saves memory, because every volume refers to a
 * policy.
 */
final class FencingPolicies {
    static final FencingPolicy WAIT = new FencingPolicy.WaitForConfirmation();
    static final FencingPolicy ON_FENCE = new FencingPolicy.OnFence();

    private FencingPolicies() {}
}
