package io.csi4j.client.registry;

import io.csi4j.core.call.CsiException;
import org.jspecify.annotations.Nullable;

/** Reports that the instances of a node could not be stored or read. */
public final class PluginStoreException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failed operation, the file and the remedy
     * @param cause the cause, or null
     */
    public PluginStoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
