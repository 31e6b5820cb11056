package io.csi4j.testkit.junit;

/** How long a plugin lives: for one test, or for all tests of a class. */
public enum Lifetime {
    /** Each test has its own plugin and storage. */
    PER_TEST,
    /** The tests of a class share a plugin and its storage. The strict checks run after the last test. */
    PER_CLASS
}
