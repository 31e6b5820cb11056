package io.csi4j.examples.scheduler;

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
    /** The database of the log is killed, or stands still for some seconds. Not with a log in files. */
    DATABASE(4),
    /** A lost node is fenced, and comes back with an empty disk. */
    FENCE(0),
    /** Another machine takes the place of a lost node: its plugin has another node id, and its disk is empty. */
    REPLACE(0);

    private static final int TOTAL = total();

    private final int weight;

    ChaosFault(int weight) {
        this.weight = weight;
    }

    private static int total() {
        int sum = 0;
        for (ChaosFault fault : values()) {
            sum += fault.weight;
        }
        return sum;
    }

    /** Returns a random fault, each as often as its weight says. */
    static ChaosFault random(Random random) {
        int choice = random.nextInt(TOTAL);
        for (ChaosFault fault : values()) {
            choice -= fault.weight;
            if (choice < 0) {
                return fault;
            }
        }
        throw new AssertionError("the weights have changed");
    }
}
