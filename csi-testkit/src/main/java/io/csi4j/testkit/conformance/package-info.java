/**
 * Checks that a CSI plugin, in any language, keeps the specification.
 *
 * <p>{@link io.csi4j.testkit.conformance.CsiConformance} is the entry point: it runs as a JUnit test factory, as a method
 * call, or from the command line.
 */
@NullMarked
package io.csi4j.testkit.conformance;

import org.jspecify.annotations.NullMarked;
