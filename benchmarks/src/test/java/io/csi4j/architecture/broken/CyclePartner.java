package io.csi4j.architecture.broken;

import io.csi4j.architecture.broken.bad.RuleBreaker;

/** Forms a cycle between two packages, and depends on gRPC through the other one. */
public class CyclePartner {
    public static RuleBreaker other() {
        return new RuleBreaker();
    }
}
