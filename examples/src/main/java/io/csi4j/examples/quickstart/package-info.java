/**
 * The main job of csi4j on one machine: a volume from create to delete, with a durable server that is killed in the middle.
 *
 * <p>{@link io.csi4j.examples.quickstart.Quickstart} is the program, and {@link io.csi4j.examples.quickstart.VolumeServer} the code to copy.
 */
@NullMarked
package io.csi4j.examples.quickstart;

import org.jspecify.annotations.NullMarked;
