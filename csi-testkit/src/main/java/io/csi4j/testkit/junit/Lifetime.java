package io.csi4j.testkit.junit;

/** The time for which tests have one plugin. */
public enum Lifetime {
    /** Each test has its own plugin and storage. */
    PER_TEST,
    /** The tests of a class share a plugin and its storage; the checks are made after the last of them. */
    PER_CLASS
}
