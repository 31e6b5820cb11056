package io.csi4j.core.volume;

/** The two policies that need no value, once each: every volume refers to one. */
final class FencingPolicies {
    static final FencingPolicy WAIT = new FencingPolicy.WaitForConfirmation();
    static final FencingPolicy ON_FENCE = new FencingPolicy.OnFence();

    private FencingPolicies() {}
}
