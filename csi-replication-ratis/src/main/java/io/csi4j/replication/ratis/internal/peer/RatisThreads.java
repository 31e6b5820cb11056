package io.csi4j.replication.ratis.internal.peer;

/**
 * The threads of a Ratis server. A thread may fail because the server closes while the thread works. This does no harm,
 * so such failures are logged at DEBUG.
 */
final class RatisThreads extends ThreadGroup {
    private static final System.Logger LOG = System.getLogger(RatisThreads.class.getName());

    private volatile boolean closing;

    RatisThreads(String peer) {
        super("csi4j-log-" + peer);
    }

    void closing() {
        closing = true;
    }

    /** Returns whether the server closes, so that threads may end. */
    boolean isClosing() {
        return closing;
    }

    @Override
    public void uncaughtException(Thread thread, Throwable failure) {
        LOG.log(
                closing ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "Thread " + thread.getName() + " of Ratis ended",
                failure);
    }
}
