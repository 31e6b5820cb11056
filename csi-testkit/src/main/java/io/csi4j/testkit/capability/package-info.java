/**
 * The capabilities that a test can switch on or off in a fake plugin.
 *
 * <p>Each constant of {@link io.csi4j.testkit.capability.FakeCapability} is one capability of CSI; it has the same name
 * as in CSI, and where two services use the same name, the name of the service comes before it.
 *
 * <pre>{@code
 * FakeCsiPlugin plugin = FakeCsiPlugin.builder()
 *         .without(FakeCapability.PUBLISH_UNPUBLISH_VOLUME)
 *         .build();
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.capability;

import org.jspecify.annotations.NullMarked;
