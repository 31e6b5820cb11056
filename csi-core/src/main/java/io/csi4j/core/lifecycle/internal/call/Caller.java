package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.csi.Secrets;
import java.security.Principal;
import java.util.Objects;
import java.util.Optional;

/**
 * On whose behalf an operation runs.
 *
 * @param principal who
 * @param secrets in place of the provider's; empty: none given
 */
public record Caller(Principal principal, Optional<Secrets> secrets) {
    /** The engine itself: it was authorised when the work was taken on. */
    public static final Caller ENGINE = new Caller(new Host("csi4j"), Optional.empty());

    public Caller {
        Objects.requireNonNull(principal, "principal");
        Objects.requireNonNull(secrets, "secrets");
    }

    /** A principal that is just a name. */
    record Host(String name) implements Principal {
        @Override
        public String getName() {
            return name;
        }
    }
}
