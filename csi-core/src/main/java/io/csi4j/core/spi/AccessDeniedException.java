package io.csi4j.core.spi;

import io.csi4j.core.call.CsiException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The caller may not do that. Nothing was read, written or sent. */
public final class AccessDeniedException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final String caller;
    private final transient @Nullable Access access;

    /**
     * A refused operation.
     *
     * @param caller the caller's name
     * @param access what was refused
     */
    public AccessDeniedException(String caller, Access access) {
        super("caller '" + caller + "' needs " + access + "; grant it, or use another caller");
        this.caller = Objects.requireNonNull(caller, "caller");
        this.access = access;
    }

    /**
     * Who was refused.
     *
     * @return the caller's name
     */
    public String caller() {
        return caller;
    }

    /**
     * The right that is missing.
     *
     * @return empty only after the exception was serialized
     */
    public Optional<Access> access() {
        return Optional.ofNullable(access);
    }
}
