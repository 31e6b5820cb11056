package io.csi4j.state;

/** Reports the use of a closed store. */
final class StoreClosedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    StoreClosedException() {
        super("StateStore: it is closed");
    }
}
