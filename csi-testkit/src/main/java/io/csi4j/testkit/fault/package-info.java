/**
 * Faults of a fake plugin, as sentences in Java or as lines of a script.
 *
 * <p>A rule says for which calls it holds, how often, and what happens. The rules of a plugin are tried in the order in which they were added; the first one that
 * holds for a call acts, and the later ones do not see that call.
 *
 * <pre>{@code
 * Fault refusal = plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).forVolume(id).times(2).failWith(StatusCode.UNAVAILABLE);
 * // ... let the code under test publish the volume ...
 * assertThat(refusal.used()).isEqualTo(2);
 * }</pre>
 *
 * <p>{@link io.csi4j.testkit.fault.FaultScript} describes the form of a script.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.fault;

import org.jspecify.annotations.NullMarked;
