package io.csi4j.core.rpc;

/** Asks the plugin whether it is healthy and ready (CSI {@code Probe}, R39-R41). */
public final class ProbeRequest extends CsiRequest {
    private static final ProbeRequest INSTANCE = new ProbeRequest();

    private ProbeRequest() {}

    /** Returns the request. All requests of this type are equal, because this message has no fields. */
    public static ProbeRequest of() {
        return INSTANCE;
    }

    @Override
    void describe(Fields fields) {}
}
