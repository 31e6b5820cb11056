package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.csi.Secrets;
import java.security.Principal;
import java.util.Objects;
import java.util.Optional;

/**
 * The caller of an operation.
 *
 * @param principal the caller's identity
 * @param secrets the caller's own secrets, used in place of the provider's; empty: none
 */
public record Caller(Principal principal, Optional<Secrets> secrets) {
    /** The engine itself. The permission was checked when the operation was accepted. */
    public static final Caller ENGINE = new Caller(new Host("csi4j"), Optional.empty());

    public Caller {
        Objects.requireNonNull(principal, "principal");
        Objects.requireNonNull(secrets, "secrets");
    }

    /** A principal with a name only. */
    record Host(String name) implements Principal {
        @Override
        public String getName() {
            return name;
        }
    }
}
