/**
 * A simulation of the whole system: the real engine, store and node side in a world that one seed decides. A scheduler author
 * tests placement code with it; see {@link io.csi4j.simulation.LifecycleSimulation}.
 *
 * <pre>{@code
 * SimulationReport report = LifecycleSimulation.ofDefaults().run(4711);
 * }</pre>
 *
 * <p>A failed seed gives the same run again, with a sequence diagram of its last events.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.simulation;

import org.jspecify.annotations.NullMarked;
