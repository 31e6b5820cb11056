package io.csi4j.examples.scheduler;

/** The place where the servers of a cluster keep their log. */
enum LogPlace {
    /** Files of each server, replicated with Ratis. */
    FILES,
    /** A PostgreSQL that this program starts. */
    POSTGRES
}
