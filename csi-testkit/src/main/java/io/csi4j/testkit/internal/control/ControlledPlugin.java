package io.csi4j.testkit.internal.control;

import io.csi4j.testkit.history.Leak;
import io.csi4j.testkit.internal.call.ActiveFaults;
import io.csi4j.testkit.internal.call.CallRecorder;
import java.util.List;
import java.util.function.Supplier;

/**
 * The parts of a plugin that can be controlled.
 *
 * @param recorder records the calls
 * @param faults the fault rules
 * @param leaks finds what callers created and have not removed
 */
public record ControlledPlugin(CallRecorder recorder, ActiveFaults faults, Supplier<List<Leak>> leaks) {}
