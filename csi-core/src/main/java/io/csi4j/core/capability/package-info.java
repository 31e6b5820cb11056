/**
 * The capabilities that a plugin has reported (R42).
 *
 * <p>Unknown capabilities reject no request; the plugin then decides.
 *
 * <pre>{@code
 * Capabilities known = pluginFacts.capabilities();
 * boolean attaches = known.has(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.capability;

import org.jspecify.annotations.NullMarked;
