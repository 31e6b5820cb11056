/**
 * One volume from create to delete, with a plugin process that the program starts itself.
 *
 * <p>{@link io.csi4j.examples.quickstart.Quickstart} is the program, and {@link
 * io.csi4j.examples.quickstart.FirstVolume} the code to copy.
 */
@NullMarked
package io.csi4j.examples.quickstart;

import org.jspecify.annotations.NullMarked;
