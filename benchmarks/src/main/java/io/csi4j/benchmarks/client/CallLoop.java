package io.csi4j.benchmarks.client;

/** One way of making the benchmark's call. */
interface CallLoop extends AutoCloseable {
    /** The name in the table. */
    String name();

    /** Makes one call and waits for its answer. */
    void callAndWait() throws Exception;

    /**
     * Begins one call and runs {@code done} when its answer is there; a failure ends the program.
     *
     * @param volume which of the {@link Wire#VOLUMES} the call is about
     */
    void begin(int volume, Runnable done);

    /** Whether {@link #begin} is supported. */
    default boolean asynchronous() {
        return true;
    }

    @Override
    void close();
}
