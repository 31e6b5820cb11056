package io.csi4j.testkit.conformance.internal;

/** The clock of this machine. */
public final class SystemTimeSource implements TimeSource {
    private final String runId =
            Long.toString(System.currentTimeMillis(), 36) + Long.toString(System.nanoTime() & 0xFFFFF, 36);

    /** Creates a source with a new run id. */
    public SystemTimeSource() {}

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public String runId() {
        return runId;
    }
}
