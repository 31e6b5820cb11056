/**
 * Takes a volume through its whole life at any CSI endpoint: reads the plugin's capabilities, runs exactly the steps that it
 * supports (R44), and undoes all of them.
 *
 * <p>{@link io.csi4j.examples.lifecycle.Lifecycle} is the program.
 */
@NullMarked
package io.csi4j.examples.lifecycle;

import org.jspecify.annotations.NullMarked;
