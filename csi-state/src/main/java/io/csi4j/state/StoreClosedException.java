package io.csi4j.state;

/** Somebody uses a store that is closed. */
final class StoreClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StoreClosedException() {
        super("StateStore: it is closed");
    }
}
