package io.csi4j.core.volume;

/** The shared instances of the two policies without a value, because every volume refers to a policy. */
final class FencingPolicies {
    static final FencingPolicy WAIT = new FencingPolicy.WaitForConfirmation();
    static final FencingPolicy ON_FENCE = new FencingPolicy.OnFence();

    private FencingPolicies() {}
}
