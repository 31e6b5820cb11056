package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.StatusCode;

/** Fails a simulated call with a status code of the called plugin; the call has no effect. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final StatusCode code;

    public Refusal(StatusCode code) {
        super(code.name());
        this.code = code;
    }

    public StatusCode code() {
        return code;
    }
}
