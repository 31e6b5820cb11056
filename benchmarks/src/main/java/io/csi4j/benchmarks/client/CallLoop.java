package io.csi4j.benchmarks.client;

/** A client with which the benchmark makes its calls. */
interface CallLoop extends AutoCloseable {
    String name();

    /** Makes one call and waits for its response. */
    void callAndWait() throws Exception;

    /**
     * Starts one call and runs {@code done} when the response has arrived; a failure ends the program.
     *
     * @param volume the index of the volume, below {@link Wire#VOLUMES}
     */
    void begin(int volume, Runnable done);

    /** Returns whether this client supports {@link #begin}. */
    default boolean asynchronous() {
        return true;
    }

    @Override
    void close();
}
