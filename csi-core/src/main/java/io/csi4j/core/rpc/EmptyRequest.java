package io.csi4j.core.rpc;

/** The request of each RPC whose message has no fields. */
final class EmptyRequest extends CsiRequest {
    static final CsiRequest INSTANCE = new EmptyRequest();

    private EmptyRequest() {}

    @Override
    void describe(Fields fields) {}
}
