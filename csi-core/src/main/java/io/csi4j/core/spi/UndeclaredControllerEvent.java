package io.csi4j.core.spi;

import io.csi4j.core.plugin.InstanceKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A node has reported that it runs a controller, and {@link ControllerTrust} does not trust it. The controller is not
 * called.
 *
 * @param controller the instance, as its node has reported it
 * @param index the index of a state that contains the report; later changes may be in that state, too
 * @param at the time of the report
 */
public record UndeclaredControllerEvent(InstanceKey controller, long index, Instant at) {
    public UndeclaredControllerEvent {
        Objects.requireNonNull(controller, "controller");
        Objects.requireNonNull(at, "at");
    }
}
