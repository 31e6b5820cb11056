/** The simulated servers with their engines. */
@NullMarked
package io.csi4j.simulation.internal.server;

import org.jspecify.annotations.NullMarked;
