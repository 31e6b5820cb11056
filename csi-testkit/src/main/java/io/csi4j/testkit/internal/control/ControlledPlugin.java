package io.csi4j.testkit.internal.control;

import io.csi4j.testkit.history.ChangedRequest;
import io.csi4j.testkit.history.Leak;
import io.csi4j.testkit.internal.call.ActiveFaults;
import io.csi4j.testkit.internal.call.CallRecorder;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The parts of a plugin that can be controlled.
 *
 * @param recorder records the calls
 * @param faults the fault rules
 * @param leaks finds what callers created and have not removed
 * @param changedRequests finds the names that callers used for different requests
 * @param capacity sets the capacity of a topology segment
 */
public record ControlledPlugin(
        CallRecorder recorder,
        ActiveFaults faults,
        Supplier<List<Leak>> leaks,
        Supplier<List<ChangedRequest>> changedRequests,
        Capacity capacity) {
    /** Sets the capacity of a topology segment, in bytes. */
    public interface Capacity {
        void set(Map<String, String> segment, long bytes);
    }
}
