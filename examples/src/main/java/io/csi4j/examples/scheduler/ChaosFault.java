package io.csi4j.examples.scheduler;

/** The kinds of faults and changes of a chaos run that can be left out. Jobs always come and go. */
enum ChaosFault {
    SERVER,
    AGENT,
    PLUGIN,
    DRAIN,
    LOSE,
    FENCE,
    UPGRADE,
    EXPAND,
    SNAPSHOT
}
