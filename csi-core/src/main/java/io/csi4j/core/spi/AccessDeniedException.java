package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Thrown when the caller lacks a permission. Nothing was read, written or sent. */
public final class AccessDeniedException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final String caller;
    private final transient @Nullable Access access;

    public AccessDeniedException(String caller, Access access) {
        super("caller '" + caller + "' needs " + access + "; grant it, or use another caller");
        this.caller = Objects.requireNonNull(caller, "caller");
        this.access = access;
    }

    /**
     * Creates an exception for an object that a field of the request names and that the caller may not see. Its text
     * shows neither the namespace of the object nor whether the object exists.
     *
     * @param need the needed permission and the object as the caller named it
     */
    public AccessDeniedException(String caller, String need) {
        super("caller '" + caller + "' needs " + need + "; grant it, or use another caller");
        this.caller = Objects.requireNonNull(caller, "caller");
        this.access = null;
    }

    /** Returns the name of the caller. */
    public String caller() {
        return caller;
    }

    /**
     * Returns the missing permission. Empty if its namespace is not for this caller to know, and for an exception that
     * was deserialized, because serialization drops it.
     */
    public Optional<Access> access() {
        return Optional.ofNullable(access);
    }
}
