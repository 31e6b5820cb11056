/**
 * The capabilities that a test can switch on or off in a fake plugin.
 *
 * <p>Each constant of {@link io.csi4j.testkit.capability.FakeCapability} is one capability of CSI; its name is the one
 * of CSI, with the service before it where two services use the same name.
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
