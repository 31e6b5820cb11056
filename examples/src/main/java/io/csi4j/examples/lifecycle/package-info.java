/**
 * A volume's whole life at any CSI endpoint: reads what the plugin offers, walks exactly the steps that it
 * has (R44), and takes everything back.
 *
 * <p>{@link io.csi4j.examples.lifecycle.Lifecycle} is the program.
 */
@NullMarked
package io.csi4j.examples.lifecycle;

import org.jspecify.annotations.NullMarked;
