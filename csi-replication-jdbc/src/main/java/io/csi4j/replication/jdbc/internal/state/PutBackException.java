package io.csi4j.replication.jdbc.internal.state;

/** Reports that the log was put back from a copy while this server ran: it lacks entries that this server has applied. */
public final class PutBackException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PutBackException(String place, long applied, long found) {
        super("The log in " + place
                + " was put back from an older copy, or a replica without its latest entries has taken"
                + " its place: this server has applied entries up to index " + applied + " that the log does not have"
                + " (its last index is " + found + "). This server has stopped. Start all servers again: before one"
                + " leads, each node has to say what it has mounted. Report the nodes that are fenced or gone, and all"
                + " running allocations");
    }
}
