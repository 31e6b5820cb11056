package io.csi4j.benchmarks.client;

/** A client that makes the benchmark's call. */
interface CallLoop extends AutoCloseable {
    String name();

    /** Makes one call and waits for its answer. */
    void callAndWait() throws Exception;

    /**
     * Starts one call and runs {@code done} when it is answered; a failure ends the program.
     *
     * @param volume the index of the volume, below {@link Wire#VOLUMES}
     */
    void begin(int volume, Runnable done);

    /** Whether {@link #begin} is supported. */
    default boolean asynchronous() {
        return true;
    }

    @Override
    void close();
}
