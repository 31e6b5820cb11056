package io.csi4j.architecture.broken;

import io.csi4j.architecture.broken.bad.RuleBreaker;

/** Closes a cycle between two packages, and knows gRPC's types through the other. */
public class Accomplice {
    public static RuleBreaker other() {
        return new RuleBreaker();
    }
}
