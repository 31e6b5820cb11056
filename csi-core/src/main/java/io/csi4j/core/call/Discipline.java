package io.csi4j.core.call;

/** How calls of an RPC are made: whether they are repeated, whether they wait for each other. Every RPC has one. */
public enum Discipline {
    /**
     * Asks the plugin about itself. Never repeated by the client: who watches the plugin asks again at his own rate
     * (R41), and a failure is news he wants at once.
     */
    WATCHED("never repeated: who watches the plugin asks again at his own rate, and a failure is news (R39-R41)"),
    /** Asks about one volume or snapshot, or about room and backends. Changes nothing, so it may be asked again. */
    READ("repeated: it changes nothing; waits its turn on its volume, if it is about one (R26)"),
    /** Asks for a page of a list. Changes nothing; ABORTED to a token sends the caller back to the beginning (R72). */
    LISTING("repeated, but for ABORTED to a continuation token (R72): it changes nothing; waits for nobody"),
    /** Streams. Never repeated as a call: a stream goes on behind the last range that came (R102). */
    STREAM("never repeated as a call: a resuming stream goes on behind the last range that came (R102)"),
    /** Makes something under a name of ours, by which a repeat finds it (R51, R76, R97). */
    NAMED("repeated with identical fields (R29): the name makes it one; waits its turn on its name (R26)"),
    /** Changes what is there, known by its id. While its outcome is unknown only it or its opposite may follow. */
    CHANGE("repeated with identical fields (R29); waits its turn (R26); an unknown outcome holds the volume (R30)");

    private final String summary;

    Discipline(String summary) {
        this.summary = summary;
    }

    /**
     * The discipline of an RPC.
     *
     * @param rpc any RPC
     * @return never null
     */
    public static Discipline of(Rpc rpc) {
        return switch (rpc) {
            case GET_PLUGIN_INFO,
                    GET_PLUGIN_CAPABILITIES,
                    PROBE,
                    CONTROLLER_GET_CAPABILITIES,
                    GROUP_CONTROLLER_GET_CAPABILITIES,
                    NODE_GET_CAPABILITIES,
                    NODE_GET_INFO -> WATCHED;
            case LIST_VOLUMES, LIST_SNAPSHOTS, CONTROLLER_LIST_VOLUME_HEALTH -> LISTING;
            case VALIDATE_VOLUME_CAPABILITIES,
                    GET_CAPACITY,
                    GET_SNAPSHOT,
                    CONTROLLER_GET_VOLUME,
                    CONTROLLER_GET_VOLUME_HEALTH,
                    GET_VOLUME_GROUP_SNAPSHOT,
                    NODE_GET_VOLUME_STATS,
                    NODE_GET_VOLUME_HEALTH,
                    NODE_GET_STORAGE_HEALTH -> READ;
            case GET_METADATA_ALLOCATED, GET_METADATA_DELTA -> STREAM;
            case CREATE_VOLUME, CREATE_SNAPSHOT, CREATE_VOLUME_GROUP_SNAPSHOT -> NAMED;
            case DELETE_VOLUME,
                    CONTROLLER_PUBLISH_VOLUME,
                    CONTROLLER_UNPUBLISH_VOLUME,
                    DELETE_SNAPSHOT,
                    CONTROLLER_EXPAND_VOLUME,
                    CONTROLLER_MODIFY_VOLUME,
                    DELETE_VOLUME_GROUP_SNAPSHOT,
                    NODE_STAGE_VOLUME,
                    NODE_UNSTAGE_VOLUME,
                    NODE_PUBLISH_VOLUME,
                    NODE_UNPUBLISH_VOLUME,
                    NODE_EXPAND_VOLUME -> CHANGE;
        };
    }

    /**
     * The discipline in a line, with the rules it comes from.
     *
     * @return for people
     */
    public String summary() {
        return summary;
    }
}
