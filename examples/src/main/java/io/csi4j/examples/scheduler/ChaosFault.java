package io.csi4j.examples.scheduler;

import java.util.Arrays;
import java.util.Random;

/** The faults of a chaos run. */
enum ChaosFault {
    SERVER(6),
    AGENT(6),
    PLUGIN(6),
    DRAIN(4),
    /** A node loses its power and comes back, unless it is fenced or replaced. */
    LOSE(5),
    UPGRADE(2),
    EXPAND(2),
    SNAPSHOT(2),
    /** The clock of a server or agent jumps by up to two days, or differs from the others by up to an hour. */
    CLOCK(2),
    /** The plugin of a node is removed, and comes back later. */
    REMOVE(1),
    /** All servers get the files of an older backup, or the database is recovered from one. */
    RESTORE(2),
    /** A lost node is fenced, and comes back with an empty disk. */
    FENCE(0),
    /** Another machine takes the place of a lost node: its plugin has another node id, and its disk is empty. */
    REPLACE(0),
    /** The database of the log is killed, or stands still for some rounds. Only with a log in a database. */
    DATABASE(4);

    private final int weight;

    ChaosFault(int weight) {
        this.weight = weight;
    }

    private int weight(LogPlace log) {
        return this == DATABASE && log == LogPlace.FILES ? 0 : weight;
    }

    /** Returns a random fault of a cluster with such a log, each as often as its weight says. */
    static ChaosFault random(Random random, LogPlace log) {
        int choice = random.nextInt(
                Arrays.stream(values()).mapToInt(fault -> fault.weight(log)).sum());
        for (ChaosFault fault : values()) {
            choice -= fault.weight(log);
            if (choice < 0) {
                return fault;
            }
        }
        throw new AssertionError("the weights have changed");
    }
}
