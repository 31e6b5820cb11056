package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.csi.Secrets;
import java.security.Principal;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The caller of an operation.
 *
 * @param principal the caller's identity
 * @param secrets the secrets that the caller passed, which replace those of the secrets provider; empty if the caller
 *     passed none
 */
public record Caller(Principal principal, Optional<Secrets> secrets) {
    /**
     * The engine as a caller. It needs no permission, because permissions were checked when the operation was accepted.
     */
    public static final Caller ENGINE = new Caller(new Host("csi4j"), Optional.empty());

    public Caller {
        Objects.requireNonNull(principal, "principal");
        Objects.requireNonNull(secrets, "secrets");
    }

    /** Returns the last caller that passed secrets; {@link #ENGINE} if none did. */
    public static Caller lastWithSecrets(Stream<Caller> callers) {
        return callers.filter(caller -> caller.secrets().isPresent()).reduce(ENGINE, (earlier, later) -> later);
    }

    /** A principal with a name only. */
    record Host(String name) implements Principal {
        @Override
        public String getName() {
            return name;
        }
    }
}
