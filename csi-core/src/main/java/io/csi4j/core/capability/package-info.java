/**
 * The rules that say which calls and fields need which capabilities of a plugin (R42), as data, and the capabilities that a plugin has reported.
 *
 * <p>Unknown capabilities reject no request; the plugin then decides.
 *
 * <pre>{@code
 * Capabilities known = Capabilities.from(pluginFacts);
 * List<Problem> problems = CapabilityTable.problems(Rpc.CREATE_VOLUME, request, known, "ebs");
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.core.capability;

import org.jspecify.annotations.NullMarked;
