/**
 * Which calls and fields need which capability of a plugin (R42), as data, and what a plugin is known to have.
 *
 * <p>What is not known refuses nothing: then the plugin answers for itself.
 *
 * <pre>{@code
 * Capabilities known = Capabilities.from(pluginFacts);
 * List<Problem> problems = CapabilityTable.problems(Rpc.CREATE_VOLUME, request, known, "ebs");
 * }</pre>
 */
@NullMarked
package io.csi4j.core.capability;

import org.jspecify.annotations.NullMarked;
