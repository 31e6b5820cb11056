/**
 * A simulation of the whole system: the real engine and store, everything else played by a seed.
 *
 * <pre>{@code
 * SimulationResult result = LifecycleSimulation.run(4711, SimulationOptions.ofDefaults());
 * }</pre>
 *
 * <p>A failing seed runs the same again, and tells what happened as a sequence diagram. Beside it,
 * {@link io.csi4j.simulation.InstantGateway} is for trying an engine of one's own without any plugin.
 */
@NullMarked
package io.csi4j.simulation;

import org.jspecify.annotations.NullMarked;
