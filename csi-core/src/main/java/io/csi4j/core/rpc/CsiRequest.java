package io.csi4j.core.rpc;

/**
 * A request of CSI. Two requests are equal if they have the same type and equal fields; {@code toString} shows no
 * secret, context or mount flag.
 */
public abstract class CsiRequest {
    CsiRequest() {}

    /** Returns the request of an RPC whose message has no fields. The services have methods without a parameter for it. */
    public static CsiRequest empty() {
        return EmptyRequest.INSTANCE;
    }

    /** Passes each field of the request with its value to {@code fields}, in the order of the CSI specification. */
    abstract void describe(Fields fields);

    private Fields fields() {
        Fields fields = new Fields();
        describe(fields);
        return fields;
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof CsiRequest that
                && that.getClass() == getClass()
                && that.fields().equals(fields());
    }

    @Override
    public final int hashCode() {
        return 31 * getClass().hashCode() + fields().hashCode();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + fields();
    }
}
