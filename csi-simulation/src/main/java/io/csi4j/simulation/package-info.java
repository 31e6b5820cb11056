/**
 * A simulation of the whole system: the real engine and store in a world that one seed decides.
 *
 * <pre>{@code
 * SimulationResult result = LifecycleSimulation.run(4711, SimulationOptions.ofDefaults());
 * }</pre>
 *
 * <p>A failed seed gives the same run again, with a sequence diagram of its last events. The package also has
 * {@link io.csi4j.simulation.InstantGateway}, for trying an engine without any plugin.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.simulation;

import org.jspecify.annotations.NullMarked;
