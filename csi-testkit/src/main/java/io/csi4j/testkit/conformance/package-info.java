/**
 * Checks that a CSI plugin, in any language, keeps the specification.
 *
 * <p>{@link io.csi4j.testkit.conformance.CsiConformance} is the entry point: it runs as a JUnit test factory, as a method
 * call, or from the command line.
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicNode> conformance() {
 *     return CsiConformance.builder("unix:///run/my-plugin/csi.sock").build().tests();
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.conformance;

import org.jspecify.annotations.NullMarked;
