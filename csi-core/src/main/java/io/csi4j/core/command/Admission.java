package io.csi4j.core.command;

/** Placeholder until the predicate is written. */
public final class Admission {
    private Admission() {}
}
